// GET and POST /v1/orgs/:orgId/members, PATCH and DELETE below it. An organization that the operator vouches for adds
// people with an account directly. From any other the same request is an invitation, whether or not the address has an
// account.

import { ChangeMemberBody, type MembersAnswer, NewMemberBody } from '../../contract/org-management.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Invitations } from '../../modules/orgs/invitations.ts';
import type { Members } from '../../modules/orgs/members.ts';
import type { Throttle } from '../../modules/signin/throttle.ts';
import type { Clock } from '../../platform/clock.ts';
import { countGuess } from '../auth/visitor.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { usdField } from '../request-fields.ts';
import { requireAuthority } from './authority.ts';
import { emailField, mailableField } from './body-fields.ts';
import { type MonthSpendServices, monthSpendByMember } from './month-spend.ts';
import { invitationObject, memberObject } from './people-objects.ts';

export type MemberServices = MonthSpendServices &
  Readonly<{ members: Members; invitations: Pick<Invitations, 'create'>; throttle: Throttle; clock: Clock }>;

export const listMembers =
  (services: MemberServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, onlyTeamId } = await requireAuthority(services, exchange, principal);
    const [members, spends] = await Promise.all([
      services.members.list(orgId, onlyTeamId),
      monthSpendByMember(services, orgId),
    ]);
    const answer: MembersAnswer = {
      members: members.map((member) => ({ ...memberObject(member), monthSpend: spends.get(member.id) ?? 0 })),
    };
    sendJson(exchange, 200, answer);
  };

export function addMember(services: MemberServices): PrincipalHandler {
  const readBody = bodyReader(NewMemberBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    const { email, role, teamId, monthlyBudget } = await readBody(exchange);
    // The answer tells which addresses have an account, so attempts are counted.
    const guesses = [{ kind: 'member-person', subject: principal.userId }] as const;
    await countGuess(services.throttle, guesses);
    const place = {
      role: role ?? 'member',
      teamId: teamId ?? null,
      monthlyBudgetNanoUsd: usdField('monthlyBudget', monthlyBudget),
    };
    const added = await services.members.add(orgId, { ...emailField(email), ...place }, authority);
    await services.throttle.forgive(guesses);
    if (added !== null) return sendJson(exchange, 201, memberObject(added));
    const invitation = await services.invitations.create(orgId, { ...mailableField(email), ...place }, authority);
    sendJson(exchange, 202, invitationObject(invitation, services.clock.nowMs()));
  };
}

export function changeMember(services: MemberServices): PrincipalHandler {
  const readBody = bodyReader(ChangeMemberBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    const { role, teamId, monthlyBudget } = await readBody(exchange);
    const change = { role, teamId, monthlyBudgetNanoUsd: usdField('monthlyBudget', monthlyBudget) };
    const changed = await services.members.change(orgId, exchange.params.memberId ?? '', change, authority);
    sendJson(exchange, 200, memberObject(changed));
  };
}

export const removeMember =
  (services: MemberServices): PrincipalHandler =>
  async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    await services.members.remove(orgId, exchange.params.memberId ?? '', authority);
    sendEmpty(exchange, 204);
  };
