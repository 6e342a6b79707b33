// OpenAPI descriptions of SCIM and of the tokens of directories.

import { Type } from '@sinclair/typebox';
import {
  NewProvisioningTokenAnswer,
  NewProvisioningTokenBody,
  ProvisioningAnswer,
  ScimDiscovery,
  ScimGroup,
  ScimGroupBody,
  ScimGroups,
  ScimPatchBody,
  ScimSearchBody,
  ScimUser,
  ScimUserBody,
  ScimUsers,
} from '../../contract/scim.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { optional } from '../docs/queries.ts';

const tag = 'Provisioning';

const shown = {
  attributes: optional('The attributes to return, separated by commas.'),
  excludedAttributes: optional('The attributes to leave out, such as members.'),
};

const listed = Type.Object({
  filter: optional('Such as userName eq "ann@example.com": attributes that equal a value, joined by "and".'),
  startIndex: optional('The first, from 1.'),
  count: optional('How many at most.'),
  ...shown,
});

const discovery = (summary: string): Description => ({
  tag,
  summary,
  answers: { 200: { json: ScimDiscovery } },
});

const deactivation = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'active', value: false }],
};

const renaming = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations: [{ op: 'replace', path: 'displayName', value: 'Sales' }],
};

const ANN = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Lee' },
  emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
  active: true,
};

const SEARCH = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
  filter: 'externalId eq "00u1"',
  count: 1,
};

const GROUP = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'], displayName: 'Engineers' };

export const scimDescriptions: Descriptions = {
  'GET /scim/v2/ServiceProviderConfig': discovery('Read what the service can do'),
  'GET /scim/v2/ResourceTypes': discovery('List the types of resources'),
  'GET /scim/v2/ResourceTypes/:id': discovery('Read a type of resources'),
  'GET /scim/v2/Schemas': discovery('List the schemas'),
  'GET /scim/v2/Schemas/:id': discovery('Read a schema'),
  'GET /scim/v2/Users': { tag, summary: 'List users', query: listed, answers: { 200: { json: ScimUsers } } },
  'POST /scim/v2/Users/.search': {
    tag,
    summary: 'Search users',
    notes: 'The same as the list, with the filter in the body, so that names do not get into the logs of proxies.',
    body: ScimSearchBody,
    answers: { 200: { json: ScimUsers } },
    example: { body: SEARCH },
  },
  'POST /scim/v2/Groups/.search': {
    tag,
    summary: 'Search groups',
    body: ScimSearchBody,
    answers: { 200: { json: ScimGroups } },
    example: { body: SEARCH },
  },
  'POST /scim/v2/Users': {
    tag,
    summary: 'Create a user',
    notes:
      'Only addresses of confirmed domains of the organization. An active user becomes a member; a person without an account gets one.',
    body: ScimUserBody,
    answers: { 201: { json: ScimUser } },
    errors: ['http_409'],
    example: { body: ANN },
  },
  'GET /scim/v2/Users/:id': {
    tag,
    summary: 'Read a user',
    query: Type.Object(shown),
    answers: { 200: { json: ScimUser } },
  },
  'PUT /scim/v2/Users/:id': {
    tag,
    summary: 'Replace a user',
    body: ScimUserBody,
    answers: { 200: { json: ScimUser } },
    errors: ['http_409'],
    example: { body: ANN },
  },
  'PATCH /scim/v2/Users/:id': {
    tag,
    summary: 'Change a user',
    notes: 'A user who is no longer active loses the membership, its keys and all sessions.',
    body: ScimPatchBody,
    answers: { 200: { json: ScimUser } },
    errors: ['http_409'],
    example: { body: deactivation },
  },
  'DELETE /scim/v2/Users/:id': {
    tag,
    summary: 'Delete a user',
    notes: 'The same as making the user inactive. The person keeps the account.',
    answers: { 204: {} },
    errors: ['http_400'],
  },
  'GET /scim/v2/Groups': { tag, summary: 'List groups', query: listed, answers: { 200: { json: ScimGroups } } },
  'POST /scim/v2/Groups': {
    tag,
    summary: 'Create a group',
    notes: 'A group is a team. A team of the same name becomes the team of the group.',
    body: ScimGroupBody,
    answers: { 201: { json: ScimGroup } },
    errors: ['http_409'],
    example: { body: GROUP },
  },
  'GET /scim/v2/Groups/:id': {
    tag,
    summary: 'Read a group',
    query: Type.Object(shown),
    answers: { 200: { json: ScimGroup } },
  },
  'PUT /scim/v2/Groups/:id': {
    tag,
    summary: 'Replace a group',
    body: ScimGroupBody,
    answers: { 200: { json: ScimGroup } },
    errors: ['http_409'],
    example: { body: { ...GROUP, displayName: 'Support' } },
  },
  'PATCH /scim/v2/Groups/:id': {
    tag,
    summary: 'Change a group',
    body: ScimPatchBody,
    answers: { 204: {} },
    errors: ['http_409'],
    example: { body: renaming },
  },
  'DELETE /scim/v2/Groups/:id': {
    tag,
    summary: 'Delete a group',
    notes: 'A team that the directory made is deleted with it.',
    answers: { 204: {} },
  },
  'GET /api/orgs/:orgId/provisioning': {
    tag,
    summary: "Read what to enter in an organization's directory",
    answers: { 200: { json: ProvisioningAnswer } },
  },
  'POST /api/orgs/:orgId/provisioning/tokens': {
    tag,
    summary: 'Make a provisioning token',
    body: NewProvisioningTokenBody,
    answers: { 201: { json: NewProvisioningTokenAnswer } },
    errors: ['http_409'],
    example: { body: { name: 'Entra' } },
  },
  'DELETE /api/orgs/:orgId/provisioning/tokens/:id': {
    tag,
    summary: 'Remove a provisioning token',
    answers: { 204: {} },
  },
};
