// Past months of usage, added up once for everybody who reads long spans. A month counts only while nothing has been
// added to its days since; a transaction that adds to them marks the month.

import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

const FIGURES = [
  'requests',
  'failed_requests',
  'prompt_tokens',
  'completion_tokens',
  'cost_nano_usd',
  'markup_nano_usd',
] as const;

// Months from before the first records have nothing to add up.
const dueStatement = sql(
  'usage_months_due',
  `SELECT m.month FROM unnest($1::date[]) AS m (month) LEFT JOIN usage_months k USING (month)
   WHERE k.is_added_up IS NOT TRUE AND m.month >= (
     SELECT min(made.month) FROM (
       SELECT min(to_date(right(c.relname, 7), 'YYYY_MM')) AS month FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'generations'::regclass AND c.relname ~ '^generations_\\d{4}_\\d{2}$'
       UNION ALL SELECT min(month) FROM dropped_months
     ) made
   )
   ORDER BY 1`,
);

/** Of these months, by their first days, those that have to be added up. */
export async function listDueMonths(queryable: Queryable, firstDays: readonly string[]): Promise<string[]> {
  return (await queryable.query<{ month: string }>(dueStatement, [firstDays])).map(({ month }) => month);
}

// Written before the month is added up, so that a transaction that adds to the month has a row to mark.
const beginStatement = sql(
  'usage_months_begin',
  `INSERT INTO usage_months (month) SELECT $1::date
   WHERE NOT EXISTS (SELECT FROM usage_months WHERE month = $1::date)
   ON CONFLICT DO NOTHING`,
);

// Held until the session ends.
const lockStatement = sql(
  'usage_months_lock',
  'SELECT pg_try_advisory_lock(hashtextextended(\'usage months\', 0)) AS "isLocked"',
);

/** False when another process is adding up. */
export async function lockAddingUp(session: Queryable): Promise<boolean> {
  const [row] = await session.query<{ isLocked: boolean }>(lockStatement);
  return row?.isLocked === true;
}

const changesStatement = sql('usage_months_changes', 'SELECT changes FROM usage_months WHERE month = $1::date');
const clearStatement = sql('usage_months_clear', 'DELETE FROM usage_monthly WHERE month = $1::date');

const sums = FIGURES.map((name) => `sum(${name})`).join(', ');
const addStatement = sql(
  'usage_months_add',
  `INSERT INTO usage_monthly (month, kind, id, ${FIGURES.join(', ')}, users)
   SELECT $1::date,
          CASE grouping(day, account_id, model_id, key_id, user_id)
            WHEN 15 THEN 'day' WHEN 23 THEN 'account' WHEN 27 THEN 'model' WHEN 29 THEN 'key' ELSE 'user' END,
          coalesce(day::text, account_id, model_id, key_id, user_id), ${sums},
          CASE WHEN grouping(day) = 0 THEN count(DISTINCT user_id) ELSE 0 END
   FROM usage_daily
   WHERE day >= $1::date AND day < ($1::date + interval '1 month')::date
   GROUP BY GROUPING SETS ((day), (account_id), (model_id), (key_id), (user_id))`,
);

const endStatement = sql(
  'usage_months_end',
  'UPDATE usage_months SET is_added_up = true WHERE month = $1::date AND changes = $2 RETURNING 1',
);

/**
 * Call with the lock held; each statement commits by itself. False when something was added to the month meanwhile:
 * then it is left for later, and what was written does not count.
 */
export async function addUpMonth(session: Queryable, firstDay: string): Promise<boolean> {
  await session.query(beginStatement, [firstDay]);
  const [before] = await session.query<{ changes: bigint }>(changesStatement, [firstDay]);
  await session.query(clearStatement, [firstDay]);
  await session.query(addStatement, [firstDay]);
  return hasRow(session, endStatement, [firstDay, before?.changes]);
}

const doubtStatement = sql('usage_months_doubt', 'SELECT doubt_usage_months(ARRAY[$1::date])');

/** The sums of this day have changed. */
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

/** The months that lie completely in a span of days and whose sums include all calls, by their first days. */
export async function listAddedUp(queryable: Queryable, firstDay: string, lastDay: string): Promise<string[]> {
  const rows = await queryable.query<{ month: string }>(addedUpStatement, [firstDay, lastDay]);
  return rows.map(({ month }) => month);
}
