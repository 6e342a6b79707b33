// What all accounts did in a span of days, for the operator. Everything comes from the daily and hourly sums with what is
// not folded yet, so that it agrees with the books at every moment; a transaction of one snapshot keeps the parts in step.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const beginStatement = sql('usage_overview_begin', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');

const FIGURES = `sum(requests)::bigint AS calls, sum(failed_requests)::bigint AS failed,
  sum(prompt_tokens)::bigint AS "promptTokens", sum(completion_tokens)::bigint AS "completionTokens",
  sum(cost_nano_usd)::bigint AS "revenueNanoUsd", sum(markup_nano_usd)::bigint AS "markupNanoUsd"`;
const IN_SPAN = 'day BETWEEN $1::date AND $2::date';

type FiguresRow = Readonly<{
  calls: bigint;
  failed: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  revenueNanoUsd: bigint;
  /** What of revenue and of what nobody paid is more than calls cost. */
  markupNanoUsd: bigint;
}>;

const daysStatement = sql(
  'usage_overview_days',
  `SELECT u.day, u.calls, u.failed, u."promptTokens", u."completionTokens", u."revenueNanoUsd", u."markupNanoUsd",
     u."activeUsers",
     coalesce(a.amount, 0)::bigint AS "absorbedNanoUsd"
   FROM (
     SELECT day, ${FIGURES}, count(DISTINCT user_id) AS "activeUsers" FROM usage_daily_now WHERE ${IN_SPAN} GROUP BY day
   ) u LEFT JOIN (
     SELECT day, sum(absorbed_nano_usd) AS amount FROM usage_absorbed_now WHERE ${IN_SPAN} GROUP BY day
   ) a ON a.day = u.day ORDER BY u.day`,
);

export type DayRow = FiguresRow & Readonly<{ day: string; activeUsers: bigint; absorbedNanoUsd: bigint }>;

const hoursStatement = sql(
  'usage_overview_hours',
  `SELECT h.day, t.hour - 1 AS hour, sum(t.requests)::bigint AS calls, sum(t.tokens)::bigint AS tokens,
     sum(t.cost)::bigint AS "revenueNanoUsd"
   FROM usage_hourly_now h
   CROSS JOIN LATERAL unnest(h.requests, h.tokens, h.cost_nano_usd) WITH ORDINALITY AS t (requests, tokens, cost, hour)
   WHERE h.${IN_SPAN} AND t.requests > 0 GROUP BY h.day, t.hour ORDER BY h.day, t.hour`,
);

export type HourRow = Readonly<{ day: string; hour: bigint; calls: bigint; tokens: bigint; revenueNanoUsd: bigint }>;

const TOP_MAX = 10;

const topStatement = sql(
  'usage_overview_top',
  `WITH summed AS (
     SELECT CASE grouping(account_id, model_id, key_id) WHEN 3 THEN 'account' WHEN 5 THEN 'model' ELSE 'key' END AS kind,
       coalesce(account_id, model_id, key_id) AS id, ${FIGURES}
     FROM usage_daily_now WHERE ${IN_SPAN}
     GROUP BY GROUPING SETS ((account_id), (model_id), (key_id))
   ), ranked AS (
     SELECT *, row_number() OVER (PARTITION BY kind ORDER BY "revenueNanoUsd" DESC, calls DESC, id) AS place FROM summed
   )
   SELECT r.kind, r.id, r.calls, r.failed, r."promptTokens", r."completionTokens", r."revenueNanoUsd",
     r."markupNanoUsd",
     CASE r.kind WHEN 'account' THEN coalesce(o.name, u.email) WHEN 'key' THEN k.name END AS name,
     CASE r.kind WHEN 'key' THEN k.account_id END AS "accountId"
   FROM ranked r
   LEFT JOIN users u ON r.kind = 'account' AND u.id = r.id
   LEFT JOIN organizations o ON r.kind = 'account' AND o.id = r.id
   LEFT JOIN api_keys k ON r.kind = 'key' AND k.id = r.id
   WHERE r.place <= ${TOP_MAX} ORDER BY r.kind, r.place`,
);

export type TopRow = FiguresRow &
  Readonly<{ kind: 'account' | 'model' | 'key'; id: string; name: string | null; accountId: string | null }>;

const SPAN_TIME = `created_at >= $1::timestamp AT TIME ZONE 'UTC'
  AND created_at < ($2::timestamp + interval '1 day') AT TIME ZONE 'UTC'`;

const countsStatement = sql(
  'usage_overview_counts',
  `SELECT
     (SELECT count(DISTINCT user_id) FROM usage_daily_now WHERE ${IN_SPAN}) AS "activeUsers",
     (SELECT count(*) FROM users WHERE ${SPAN_TIME}) AS "newUsers",
     (SELECT coalesce(sum(stands_for), 0)::bigint FROM refused_calls WHERE ${SPAN_TIME} AND generation_id IS NULL)
       AS refused,
     (SELECT coalesce(sum(absorbed_nano_usd), 0)::bigint FROM usage_absorbed_now WHERE ${IN_SPAN}) AS "absorbedNanoUsd"`,
);

export type CountsRow = Readonly<{
  activeUsers: bigint;
  newUsers: bigint;
  refused: bigint;
  absorbedNanoUsd: bigint;
}>;

type OverviewRows = Readonly<{
  days: readonly DayRow[];
  hours: readonly HourRow[];
  top: readonly TopRow[];
  counts: CountsRow;
}>;

/** In a transaction of its own. Both days count; `hasHours` says whether they are wanted. */
export async function readOverviewRows(
  transaction: Queryable,
  [firstDay, lastDay]: readonly [string, string],
  hasHours: boolean,
): Promise<OverviewRows> {
  const span = [firstDay, lastDay];
  await transaction.query(beginStatement);
  const days = await transaction.query<DayRow>(daysStatement, span);
  const hours = hasHours ? await transaction.query<HourRow>(hoursStatement, span) : [];
  const top = await transaction.query<TopRow>(topStatement, span);
  const [counts] = await transaction.query<CountsRow>(countsStatement, span);
  return { days, hours, top, counts: counts as CountsRow };
}
