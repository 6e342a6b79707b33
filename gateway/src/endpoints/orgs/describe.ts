// OpenAPI descriptions of organizations, their teams, members, invitations and lists of models.

import { Type } from '@sinclair/typebox';
import {
  AcceptedInvitation,
  AcceptInvitationBody,
  AllowedModelsAnswer,
  AllowedModelsBody,
  AuditLogAnswer,
  ChangeMemberBody,
  ChangeOrgBody,
  ChangeTeamBody,
  DeclineInvitationBody,
  FoundOrgBody,
  HeldAnswer,
  InvitationObject,
  InvitationPreview,
  InvitationsAnswer,
  MemberObject,
  MembersAnswer,
  MembershipsAnswer,
  NewMemberBody,
  NewTeamBody,
  OrgDetailAnswer,
  TeamObject,
  TeamsAnswer,
} from '../../contract/org-management.ts';
import { OrgAnswer } from '../../contract/orgs.ts';
import type { Description, Descriptions } from '../docs/description.ts';
import { limit, optional } from '../docs/queries.ts';
import { LIMIT_MAX } from './audit-log.ts';

const tag = 'Organizations';

const readModels: Description = {
  tag,
  summary: 'Read allowed models',
  notes:
    'There are three layers: organization, team, member. A model is allowed if every layer that is not empty lists it.',
  answers: { 200: { json: AllowedModelsAnswer } },
};

const replaceModels: Description = {
  tag,
  summary: 'Replace allowed models',
  notes: 'Send the whole list of this layer; an empty list allows every model.',
  body: AllowedModelsBody,
  answers: { 200: { json: AllowedModelsAnswer } },
  example: { body: { allowedModels: ['acme/*', 'globex/large'] } },
};

const organizations: Descriptions = {
  'GET /v1/orgs': {
    tag,
    summary: 'List your organizations',
    answers: { 200: { json: MembershipsAnswer } },
  },
  'POST /api/orgs': {
    tag,
    summary: 'Found an organization',
    body: FoundOrgBody,
    answers: { 201: { json: OrgAnswer } },
    errors: ['http_409'],
    example: { body: { name: 'Acme' } },
  },
  'GET /v1/orgs/:orgId': { tag, summary: 'Read an organization', answers: { 200: { json: OrgDetailAnswer } } },
  'PATCH /v1/orgs/:orgId': {
    tag,
    summary: 'Change an organization',
    body: ChangeOrgBody,
    answers: { 200: { json: OrgDetailAnswer } },
    example: { body: { settings: { defaultMemberBudget: 50 } } },
  },
  'GET /api/orgs/:orgId/audit-log': {
    tag,
    summary: 'Read the audit log',
    notes: 'Newest first.',
    query: Type.Object({
      action: optional('Only this action, such as `org.key.create`.'),
      actor: optional('Only actions of this user or key.'),
      target: optional('Only actions on this target.'),
      from: optional('A date or a time in ISO 8601.'),
      to: optional('A date or a time in ISO 8601.'),
      cursor: optional('The `nextCursor` of the previous page.'),
      limit: limit(LIMIT_MAX),
    }),
    answers: { 200: { json: AuditLogAnswer } },
    example: { query: 'limit=20' },
  },
};

const teams: Descriptions = {
  'GET /v1/orgs/:orgId/teams': { tag, summary: 'List teams', answers: { 200: { json: TeamsAnswer } } },
  'POST /v1/orgs/:orgId/teams': {
    tag,
    summary: 'Create a team',
    body: NewTeamBody,
    answers: { 201: { json: TeamObject } },
    errors: ['http_409'],
    example: { body: { name: 'Research', monthlyBudget: 500 } },
  },
  'PATCH /v1/orgs/:orgId/teams/:teamId': {
    tag,
    summary: 'Change a team',
    notes: "A team's administrator may set its budget.",
    body: ChangeTeamBody,
    answers: { 200: { json: TeamObject } },
    errors: ['http_409'],
    example: { body: { monthlyBudget: 800 } },
  },
  'DELETE /v1/orgs/:orgId/teams/:teamId': {
    tag,
    summary: 'Delete a team',
    notes: 'Members stay in the organization; the keys of the team are revoked.',
    answers: { 204: {} },
    errors: ['http_409'],
  },
};

const members: Descriptions = {
  'GET /v1/orgs/:orgId/members': { tag, summary: 'List members', answers: { 200: { json: MembersAnswer } } },
  'POST /v1/orgs/:orgId/members': {
    tag,
    summary: 'Add a member',
    notes:
      'If the operator has opened the organization or vouches for it, a person with an account becomes a member (201). Otherwise the address is invited (202), whether or not it has an account.',
    body: NewMemberBody,
    answers: { 201: { json: MemberObject }, 202: { json: InvitationObject } },
    errors: ['http_409', 'http_429'],
    example: { body: { email: '$MEMBER_EMAIL', role: 'member', monthlyBudget: 50 } },
  },
  'PATCH /v1/orgs/:orgId/members/:memberId': {
    tag,
    summary: 'Change a member',
    body: ChangeMemberBody,
    answers: { 200: { json: MemberObject } },
    errors: ['http_400', 'http_409'],
    example: { body: { monthlyBudget: 80 } },
  },
  'DELETE /v1/orgs/:orgId/members/:memberId': {
    tag,
    summary: 'Remove a member',
    notes: 'The last administrator cannot be removed.',
    answers: { 204: {} },
    errors: ['http_400', 'http_409'],
  },
};

const invitations: Descriptions = {
  'GET /api/orgs/:orgId/invitations': {
    tag,
    summary: 'List invitations',
    answers: { 200: { json: InvitationsAnswer } },
  },
  'POST /api/orgs/:orgId/invitations': {
    tag,
    summary: 'Invite somebody',
    notes: 'Only the mail has the link.',
    body: NewMemberBody,
    answers: { 201: { json: InvitationObject } },
    errors: ['http_409'],
    example: { body: { email: 'grace@example.com', role: 'member' } },
  },
  'DELETE /api/orgs/:orgId/invitations/:invitationId': {
    tag,
    summary: 'Withdraw an invitation',
    answers: { 204: {} },
  },
  'POST /api/orgs/:orgId/leave': {
    tag,
    summary: 'Leave an organization',
    notes: 'Your keys of the organization are revoked. The last administrator cannot leave.',
    answers: { 204: {} },
    errors: ['http_400', 'http_404'],
  },
  'GET /api/account/held': {
    tag,
    summary: 'Read what is held in your name',
    notes: 'Memberships with the keys in your name, invitations to your address, evidence of refused prompts.',
    answers: { 200: { json: HeldAnswer } },
  },
  'POST /api/invitations/decline': {
    tag,
    summary: 'Decline an invitation',
    body: DeclineInvitationBody,
    answers: { 204: {} },
    errors: ['http_404'],
    example: { body: { id: 'inv-0123456789abcdef01234567' } },
  },
  'POST /api/invitations/accept': {
    tag,
    summary: 'Accept an invitation',
    notes: 'Send the token of the mail, or the id of an invitation that `GET /api/account/held` lists.',
    body: AcceptInvitationBody,
    answers: { 200: { json: AcceptedInvitation } },
    errors: ['http_404', 'http_409'],
    example: { body: { token: '$TOKEN_OF_THE_MAIL' } },
  },
  'GET /api/invitations/:token': {
    tag,
    summary: 'Read an invitation',
    notes: 'With the token of its link, before signing in.',
    answers: { 200: { json: InvitationPreview } },
    errors: ['http_429'],
  },
};

export const orgDescriptions: Descriptions = {
  ...organizations,
  ...teams,
  ...members,
  ...invitations,
  'GET /api/orgs/:orgId/allowed-models': readModels,
  'PATCH /api/orgs/:orgId/allowed-models': replaceModels,
  'GET /api/orgs/:orgId/teams/:teamId/allowed-models': { ...readModels, summary: 'Read allowed models of a team' },
  'PATCH /api/orgs/:orgId/teams/:teamId/allowed-models': {
    ...replaceModels,
    summary: 'Replace allowed models of a team',
  },
  'GET /api/orgs/:orgId/members/:memberId/allowed-models': {
    ...readModels,
    summary: 'Read allowed models of a member',
  },
  'PATCH /api/orgs/:orgId/members/:memberId/allowed-models': {
    ...replaceModels,
    summary: 'Replace allowed models of a member',
  },
};
