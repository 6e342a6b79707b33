// What an organization's budgets let a member spend in a month. A member or team without a budget is counted all the
// same, so that a budget that comes in the middle of a month finds what was spent before it.

import { NO_CAPS, type SpendCap, UNLIMITED_NANO_USD } from '../../canonical/spend-cap.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { findBudgets } from './store/members.ts';

export async function budgetsOfMember(
  queryable: Queryable,
  orgId: string,
  userId: string,
): Promise<readonly SpendCap[]> {
  const row = await findBudgets(queryable, orgId, userId);
  if (row === null) return NO_CAPS;
  const monthly = { kind: 'cap', window: 'month', sinceMs: 0 } as const;
  const member: SpendCap = {
    ...monthly,
    scope: 'member',
    scopeId: row.memberId,
    limitNanoUsd: row.memberNanoUsd ?? UNLIMITED_NANO_USD,
    covers: { accountId: orgId, userIds: [userId] },
  };
  if (row.teamId === null) return [member];
  const team: SpendCap = {
    ...monthly,
    scope: 'team',
    scopeId: row.teamId,
    limitNanoUsd: row.teamNanoUsd ?? UNLIMITED_NANO_USD,
    covers: { accountId: orgId, teamId: row.teamId },
  };
  return [member, team];
}
