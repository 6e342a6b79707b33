// The monthly budgets that stand over one member of an organization.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const findStatement = sql(
  'orgs_find_budgets',
  `SELECT m.id AS "memberId", m.monthly_budget_nano_usd AS "memberNanoUsd",
     t.id AS "teamId", t.monthly_budget_nano_usd AS "teamNanoUsd"
   FROM org_members m LEFT JOIN teams t ON t.org_id = m.org_id AND t.id = m.team_id
   WHERE m.org_id = $1 AND m.user_id = $2`,
);

type BudgetsRow = Readonly<{
  memberId: string;
  memberNanoUsd: NanoUsd | null;
  teamId: string | null;
  teamNanoUsd: NanoUsd | null;
}>;

/** Null for whoever is no member. */
export async function findBudgets(queryable: Queryable, orgId: string, userId: string): Promise<BudgetsRow | null> {
  const [row] = await queryable.query<BudgetsRow>(findStatement, [orgId, userId]);
  return row ?? null;
}
