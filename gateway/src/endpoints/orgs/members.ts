// GET and POST /v1/orgs/:orgId/members, PATCH and DELETE below it. People with an account are added directly; for others
// there are invitations.

import {
  ChangeMemberBody,
  type MemberObject,
  type MembersAnswer,
  NewMemberBody,
} from '../../contract/org-management.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import { budgetNumber } from '../../modules/orgs/change.ts';
import type { MemberDetail, Members } from '../../modules/orgs/members.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { requireAuthority } from './authority.ts';
import { budgetField } from './budget-field.ts';
import { emailField } from './email-field.ts';
import { type MonthSpendServices, monthSpendByMember } from './month-spend.ts';

export type MemberServices = MonthSpendServices & Readonly<{ members: Members }>;

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
    const added = await services.members.add(
      orgId,
      {
        emailNormalized: emailField(email).emailNormalized,
        role: role ?? 'member',
        teamId: teamId ?? null,
        monthlyBudgetNanoUsd: budgetField('monthlyBudget', monthlyBudget),
      },
      authority,
    );
    sendJson(exchange, 201, memberObject(added));
  };
}

export function changeMember(services: MemberServices): PrincipalHandler {
  const readBody = bodyReader(ChangeMemberBody);
  return async (exchange, principal) => {
    const { orgId, ...authority } = await requireAuthority(services, exchange, principal);
    const { role, teamId, monthlyBudget } = await readBody(exchange);
    const change = { role, teamId, monthlyBudgetNanoUsd: budgetField('monthlyBudget', monthlyBudget) };
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

export const memberObject = (member: MemberDetail): MemberObject => ({
  id: member.id,
  user: { id: member.userId, name: member.userName, email: member.userEmail },
  team: teamOf(member),
  teamId: member.teamId,
  role: member.role,
  joinedAt: member.joinedAt.toISOString(),
  monthlyBudget: budgetNumber(member.monthlyBudgetNanoUsd),
});

/** The team as lists show it beside something that belongs to it. */
export const teamOf = ({ teamId, teamName }: Readonly<{ teamId: string | null; teamName: string | null }>) =>
  teamId === null ? null : { id: teamId, name: teamName ?? '' };
