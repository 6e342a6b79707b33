// Members and invitations as the API shows them.

import type { InvitationObject, MemberObject } from '../../contract/org-management.ts';
import { budgetNumber } from '../../modules/orgs/change.ts';
import type { Invitation } from '../../modules/orgs/invitations.ts';
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
const teamOf = ({ teamId, teamName }: Readonly<{ teamId: string | null; teamName: string | null }>) =>
  teamId === null ? null : { id: teamId, name: teamName ?? '' };

/** Does not say whether a mail was sent, because that would reveal what others have sent to the address. */
export const invitationObject = (invitation: Invitation, nowMs: number): InvitationObject => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  team: teamOf(invitation),
  monthlyBudget: budgetNumber(invitation.monthlyBudgetNanoUsd),
  invitedBy:
    invitation.invitedByUserId === null
      ? null
      : { id: invitation.invitedByUserId, name: invitation.invitedByName ?? '' },
  createdAt: invitation.createdAt.toISOString(),
  expiresAt: invitation.expiresAt.toISOString(),
  expired: invitation.expiresAt.getTime() <= nowMs,
});
