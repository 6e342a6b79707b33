// Months of usage that are over, added up once for everybody who reads long spans. A month counts only while nothing has
// been added to its days since; whoever adds something says so in the same transaction.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const FIGURES = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'completion_tokens',
  'cost_nano_usd',
  'markup_nano_usd',
] as const;

const dueStatement = sql(
  'usage_months_due',
  `SELECT m.month FROM unnest($1::date[]) AS m (month) LEFT JOIN usage_months k USING (month)
   WHERE k.is_added_up IS NOT TRUE ORDER BY 1`,
);

/** Of these months, by their first days, those that have to be added up. */
export async function listDueMonths(queryable: Queryable, firstDays: readonly string[]): Promise<string[]> {
  return (await queryable.query<{ month: string }>(dueStatement, [firstDays])).map(({ month }) => month);
}

const beginStatement = sql(
  'usage_months_begin',
  `INSERT INTO usage_months (month) SELECT $1::date WHERE NOT EXISTS (SELECT FROM usage_months WHERE month = $1::date)
   ON CONFLICT DO NOTHING`,
);

/** Committed before the month is added up: whoever adds something to it then has a row to write. */
export async function beginMonth(queryable: Queryable, firstDay: string): Promise<void> {
  await queryable.query(beginStatement, [firstDay]);
}

const lockStatement = sql(
  'usage_months_lock',
  'SELECT pg_try_advisory_xact_lock(hashtextextended(\'usage months\', 0)) AS "isLocked"',
);
const changesStatement = sql('usage_months_changes', 'SELECT changes FROM usage_months WHERE month = $1::date');
const clearStatement = sql('usage_months_clear', 'DELETE FROM usage_monthly WHERE month = $1::date');

const sums = FIGURES.map((name) => `sum(${name})`).join(', ');
const addStatement = sql(
  'usage_months_add',
  `INSERT INTO usage_monthly AS kept (month, kind, id, ${FIGURES.join(', ')}, users)
   SELECT $1::date, 'day', $2::text, ${sums}, count(DISTINCT user_id) FROM usage_daily WHERE day = $2::date
   HAVING count(*) > 0
   UNION ALL
   SELECT $1::date,
          CASE grouping(account_id, model_id, key_id, user_id)
            WHEN 7 THEN 'account' WHEN 11 THEN 'model' WHEN 13 THEN 'key' ELSE 'user' END,
          coalesce(account_id, model_id, key_id, user_id), ${sums}, 0
   FROM usage_daily WHERE day = $2::date GROUP BY GROUPING SETS ((account_id), (model_id), (key_id), (user_id))
   ON CONFLICT (month, kind, id) DO UPDATE SET ${FIGURES.map((name) => `${name} = kept.${name} + excluded.${name}`).join(', ')}`,
);

const endStatement = sql(
  'usage_months_end',
  'UPDATE usage_months SET is_added_up = true WHERE month = $1::date AND changes = $2 RETURNING 1',
);

/**
 * In a transaction, a day in each statement. False when somebody else is at it, or has added something to the month
 * meanwhile: then it is left for later, and whatever was written here does not count.
 */
export async function addUpMonth(transaction: Queryable, firstDay: string, days: readonly string[]): Promise<boolean> {
  const [lock] = await transaction.query<{ isLocked: boolean }>(lockStatement);
  if (lock?.isLocked !== true) return false;
  const [before] = await transaction.query<{ changes: bigint }>(changesStatement, [firstDay]);
  await transaction.query(clearStatement, [firstDay]);
  for (const day of days) await transaction.query(addStatement, [firstDay, day]);
  return (await transaction.query(endStatement, [firstDay, before?.changes])).length > 0;
}

const doubtStatement = sql('usage_months_doubt', 'SELECT doubt_usage_months(ARRAY[$1::date])');

/** Something was changed in the sums of this day. */
export async function doubtMonth(transaction: Queryable, day: string): Promise<void> {
  await transaction.query(doubtStatement, [day]);
}

// Calls that are not folded yet are in no month: where there are some, the month is read by its days.
const addedUpStatement = sql(
  'usage_months_added_up',
  `SELECT m.month FROM usage_months m
   WHERE m.is_added_up AND m.month >= $1::date AND (m.month + interval '1 month')::date - 1 <= $2::date
     AND NOT EXISTS (
       SELECT FROM unfolded_batches u CROSS JOIN LATERAL unnest(u.called_at) AS t (called_at)
       WHERE t.called_at >= m.month::timestamp AT TIME ZONE 'UTC'
         AND t.called_at < (m.month + interval '1 month') AT TIME ZONE 'UTC')
   ORDER BY 1`,
);

/** The months that lie in a span of days as a whole and whose sums are all of their calls, by their first days. */
export async function listAddedUp(queryable: Queryable, firstDay: string, lastDay: string): Promise<string[]> {
  const rows = await queryable.query<{ month: string }>(addedUpStatement, [firstDay, lastDay]);
  return rows.map(({ month }) => month);
}
