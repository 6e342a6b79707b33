// A member as the API shows one.

import type { MemberObject } from '../../contract/org-management.ts';
import { budgetNumber } from '../../modules/orgs/change.ts';
import type { MemberDetail } from '../../modules/orgs/members.ts';

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
