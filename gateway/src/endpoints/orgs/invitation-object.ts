// An invitation as those who manage the organization see it. Whether a mail was sent is not among it: that would tell what
// others have sent to the address.

import type { InvitationObject } from '../../contract/org-management.ts';
import { budgetNumber } from '../../modules/orgs/change.ts';
import type { Invitation } from '../../modules/orgs/invitations.ts';
import { teamOf } from './member-object.ts';

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
