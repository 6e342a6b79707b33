// The monthly budgets of an organization's members. Spending is counted even without a budget, so that a budget that is
// set in the middle of a month includes what was spent before.

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
