// GET, POST and DELETE /api/orgs/:orgId/invitations, and what the invited person does with the link: GET
// /api/invitations/:token and POST /api/invitations/accept. The token itself is only in the mail, in no answer here.

import {
  type AcceptedInvitation,
  AcceptInvitationBody,
  type InvitationPreview,
  type InvitationsAnswer,
  NewMemberBody,
} from '../../contract/org-management.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import { type Invitations, unusable } from '../../modules/orgs/invitations.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { usdField } from '../request-fields.ts';
import { requireAuthority } from './authority.ts';
import { mailableField } from './body-fields.ts';
import { invitationObject, memberObject } from './people-objects.ts';
import type { RoleServices } from './require-role.ts';

export type InvitationServices = RoleServices & Readonly<{ invitations: Invitations; clock: Clock }>;

export const listInvitations =
  (services: InvitationServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, onlyTeamId } = await requireAuthority(services, exchange, principal);
    const nowMs = services.clock.nowMs();
    const found = await services.invitations.list(orgId, onlyTeamId);
    const answer: InvitationsAnswer = {
      invitations: found.map((invitation) => invitationObject(invitation, nowMs)),
    };
    sendJson(exchange, 200, answer);
  };

export function createInvitation(services: InvitationServices): PrincipalHandler {
  const readBody = bodyReader(NewMemberBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    const { email, role, teamId, monthlyBudget } = await readBody(exchange);
    const invitation = await services.invitations.create(
      orgId,
      {
        ...mailableField(email),
        role: role ?? 'member',
        teamId: teamId ?? null,
        monthlyBudgetNanoUsd: usdField('monthlyBudget', monthlyBudget),
      },
      authority,
    );
    sendJson(exchange, 201, invitationObject(invitation, services.clock.nowMs()));
  };
}

export const withdrawInvitation =
  (services: InvitationServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    await services.invitations.withdraw(orgId, exchange.params.invitationId ?? '', authority);
    sendEmpty(exchange, 204);
  };

export const previewInvitation =
  ({ invitations }: InvitationServices): Handler =>
  async (exchange) => {
    const invitation = await invitations.preview(exchange.params.token ?? '');
    if (invitation === null) throw unusable();
    const { orgName, email, role, expiresAt } = invitation;
    const answer: InvitationPreview = {
      organization: { name: orgName },
      email,
      role,
      expiresAt: expiresAt.toISOString(),
    };
    sendJson(exchange, 200, answer);
  };

export function acceptInvitation({ invitations }: InvitationServices): PrincipalHandler {
  const readBody = bodyReader(AcceptInvitationBody);
  return async (exchange, { userId }) => {
    const { token, id } = await readBody(exchange);
    if ((token === undefined) === (id === undefined)) {
      throw new ApiError('http_400', 'token, id: send one of the two to name the invitation.');
    }
    const key = token === undefined ? { id: id ?? '' } : { token };
    const { orgId, orgName, member } = await invitations.accept(key, userId);
    const answer: AcceptedInvitation = { organization: { id: orgId, name: orgName }, member: memberObject(member) };
    sendJson(exchange, 200, answer);
  };
}
