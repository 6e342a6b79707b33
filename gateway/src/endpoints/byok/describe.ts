// OpenAPI descriptions of organizations' own upstream keys: for management keys, and for administrators in the console.

import {
  ByokKeyChangesBody,
  ByokKeyObject,
  ByokKeysAnswer,
  NewByokKeyBody,
  NewByokKeyObject,
} from '../../contract/byok.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { ofOrganization } from '../docs/variants.ts';

const list: Description = {
  tag: 'Own upstreams',
  summary: 'List upstream keys',
  answers: { 200: { json: ByokKeysAnswer } },
};

const create: Description = {
  tag: 'Own upstreams',
  summary: 'Add an upstream key',
  notes: "Calls with the organization's keys go to this upstream first. The upstream's key is never shown again.",
  body: NewByokKeyBody,
  answers: { 201: { json: NewByokKeyObject } },
  errors: ['http_409'],
  example: {
    body: {
      name: 'our own',
      baseUrl: '$UPSTREAM_URL',
      apiKey: '$UPSTREAM_KEY',
      modelMappings: [{ model: 'acme/large', upstreamModel: 'large-2' }],
    },
  },
};

const read: Description = {
  tag: 'Own upstreams',
  summary: 'Read an upstream key',
  answers: { 200: { json: ByokKeyObject } },
};

const change: Description = {
  tag: 'Own upstreams',
  summary: 'Change an upstream key',
  notes: "The upstream's key cannot be replaced, nor its host changed.",
  body: ByokKeyChangesBody,
  answers: { 200: { json: ByokKeyObject } },
  example: { body: { fallbackMode: 'strict' } },
};

const remove: Description = {
  tag: 'Own upstreams',
  summary: 'Delete an upstream key',
  notes: 'Calls then go to the platform again.',
  answers: { 204: {} },
};

export const byokDescriptions: Descriptions = {
  'GET /v1/management/byok-keys': list,
  'POST /v1/management/byok-keys': create,
  'GET /v1/management/byok-keys/:id': read,
  'PATCH /v1/management/byok-keys/:id': change,
  'DELETE /v1/management/byok-keys/:id': remove,
  'GET /api/orgs/:orgId/byok-keys': ofOrganization(list),
  'POST /api/orgs/:orgId/byok-keys': ofOrganization(create),
  'GET /api/orgs/:orgId/byok-keys/:id': ofOrganization(read),
  'PATCH /api/orgs/:orgId/byok-keys/:id': ofOrganization(change),
  'DELETE /api/orgs/:orgId/byok-keys/:id': ofOrganization(remove),
};
