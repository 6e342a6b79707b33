// What all accounts did in a span of days, for the operator. Past months that lie completely in the span come from
// their sums; everything else from the daily and hourly sums with what is not folded yet, so that it agrees with the
// books at every moment. One transaction with one snapshot keeps the parts consistent.

import { DAY_MS, dayOf, dayStartMs, monthAfter } from '../../../canonical/calendar.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import { listAddedUp } from './added-up.ts';
import { studentName } from './student-name.ts';

const beginStatement = sql('usage_overview_begin', 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');

const FIGURES = `sum(requests)::bigint AS calls, sum(failed_requests)::bigint AS failed,
  sum(prompt_tokens)::bigint AS "promptTokens", sum(completion_tokens)::bigint AS "completionTokens",
  sum(cost_nano_usd)::bigint AS "revenueNanoUsd", sum(markup_nano_usd)::bigint AS "markupNanoUsd"`;
const IN_SPAN = 'day BETWEEN $4::date AND $5::date';

// $1: the months that are read as such; $2 and $3: the first and the last days of what is read by the day.
const MONTHS = 'usage_monthly WHERE month = ANY ($1::date[])';
const BY_DAY = `unnest($2::date[], $3::date[]) AS part (since, until)
     CROSS JOIN LATERAL (SELECT * FROM usage_daily_now WHERE day BETWEEN part.since AND part.until OFFSET 0) d`;
const PLAIN = 'requests, failed_requests, prompt_tokens, completion_tokens, cost_nano_usd, markup_nano_usd';

type FiguresRow = Readonly<{
  calls: bigint;
  failed: bigint;
  promptTokens: bigint;
  completionTokens: bigint;
  revenueNanoUsd: bigint;
  /** The operator's share of revenue and of absorbed cost. */
  markupNanoUsd: bigint;
}>;

const daysStatement = sql(
  'usage_overview_days',
  `SELECT coalesce(u.day, a.day) AS day, coalesce(u.calls, 0) AS calls, coalesce(u.failed, 0) AS failed,
     coalesce(u."promptTokens", 0) AS "promptTokens", coalesce(u."completionTokens", 0) AS "completionTokens",
     coalesce(u."revenueNanoUsd", 0) AS "revenueNanoUsd", coalesce(u."markupNanoUsd", 0) AS "markupNanoUsd",
     coalesce(u."activeUsers", 0) AS "activeUsers", coalesce(a.amount, 0)::bigint AS "absorbedNanoUsd"
   FROM (
     SELECT day, ${FIGURES}, count(DISTINCT user_id) AS "activeUsers" FROM ${BY_DAY} GROUP BY day
     UNION ALL
     SELECT id::date, ${PLAIN}, users FROM ${MONTHS} AND kind = 'day'
   ) u FULL JOIN (
     SELECT day, sum(absorbed_nano_usd) AS amount FROM usage_absorbed_now WHERE ${IN_SPAN} GROUP BY day
   ) a ON a.day = u.day
   ORDER BY 1`,
);

export type DayRow = FiguresRow & Readonly<{ day: string; activeUsers: bigint; absorbedNanoUsd: bigint }>;

const hoursStatement = sql(
  'usage_overview_hours',
  `SELECT h.day, t.hour - 1 AS hour, sum(t.requests)::bigint AS calls, sum(t.tokens)::bigint AS tokens,
     sum(t.cost)::bigint AS "revenueNanoUsd"
   FROM usage_hourly_now h
   CROSS JOIN LATERAL unnest(h.requests, h.tokens, h.cost_nano_usd) WITH ORDINALITY AS t (requests, tokens, cost, hour)
   WHERE h.day BETWEEN $1::date AND $2::date AND t.requests > 0
   GROUP BY h.day, t.hour
   ORDER BY h.day, t.hour`,
);

export type HourRow = Readonly<{ day: string; hour: bigint; calls: bigint; tokens: bigint; revenueNanoUsd: bigint }>;

const TOP_MAX = 10;

const topStatement = sql(
  'usage_overview_top',
  `WITH parts AS (
     SELECT kind, id, ${PLAIN} FROM ${MONTHS} AND kind IN ('account', 'model', 'key')
     UNION ALL
     SELECT CASE grouping(account_id, model_id, key_id) WHEN 3 THEN 'account' WHEN 5 THEN 'model' ELSE 'key' END,
       coalesce(account_id, model_id, key_id), ${FIGURES}
     FROM ${BY_DAY}
     GROUP BY GROUPING SETS ((account_id), (model_id), (key_id))
   ), summed AS (
     SELECT kind, id, ${FIGURES} FROM parts GROUP BY kind, id
   ), ranked AS (
     SELECT *, row_number() OVER (PARTITION BY kind ORDER BY "revenueNanoUsd" DESC, calls DESC, id) AS place FROM summed
   )
   SELECT r.kind, r.id, r.calls, r.failed, r."promptTokens", r."completionTokens", r."revenueNanoUsd",
     r."markupNanoUsd",
     CASE r.kind WHEN 'account' THEN coalesce(o.name, u.email) WHEN 'key' THEN coalesce(k.name, ${studentName('r.id')}) END AS name,
     CASE r.kind WHEN 'key' THEN coalesce(o.name, u.email) END AS "accountName", owner.id AS "accountId"
   FROM ranked r
   LEFT JOIN api_keys k ON r.kind = 'key' AND k.id = r.id
   LEFT JOIN edu_sessions s ON r.kind = 'key' AND s.id = r.id
   CROSS JOIN LATERAL (SELECT CASE r.kind WHEN 'key' THEN coalesce(k.account_id, s.org_id) END AS id) owner
   LEFT JOIN users u ON u.id = CASE r.kind WHEN 'account' THEN r.id ELSE owner.id END
   LEFT JOIN organizations o ON o.id = CASE r.kind WHEN 'account' THEN r.id ELSE owner.id END
   WHERE r.place <= ${TOP_MAX}
   ORDER BY r.kind, r.place`,
);

export type TopRow = FiguresRow &
  Readonly<{
    kind: 'account' | 'model' | 'key';
    id: string;
    name: string | null;
    accountId: string | null;
    accountName: string | null;
  }>;

const SPAN_TIME = `created_at >= $4::timestamp AT TIME ZONE 'UTC'
  AND created_at < ($5::timestamp + interval '1 day') AT TIME ZONE 'UTC'`;

const countsStatement = sql(
  'usage_overview_counts',
  `SELECT
     (SELECT count(DISTINCT id) FROM (
        SELECT id FROM ${MONTHS} AND kind = 'user' UNION ALL SELECT user_id FROM ${BY_DAY}
      ) active) AS "activeUsers",
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

type DayPart = Readonly<{ since: string; until: string }>;

/** The parts of a span between these months, which are in order. */
function partsBetween(firstDay: string, lastDay: string, months: readonly string[]): DayPart[] {
  const parts: DayPart[] = [];
  let since = firstDay;
  for (const month of months) {
    const monthMs = dayStartMs(month) ?? 0;
    if (since < month) parts.push({ since, until: dayOf(monthMs - DAY_MS) });
    since = monthAfter(monthMs, 1);
  }
  return since <= lastDay ? [...parts, { since, until: lastDay }] : parts;
}

/** Runs in a transaction of its own. Both days are included; `hasHours` says whether hours are wanted. */
export async function readOverviewRows(
  transaction: Queryable,
  [firstDay, lastDay]: readonly [string, string],
  hasHours: boolean,
): Promise<OverviewRows> {
  await transaction.query(beginStatement);
  const months = await listAddedUp(transaction, firstDay, lastDay);
  const parts = partsBetween(firstDay, lastDay, months);
  const span = [firstDay, lastDay];
  const read = [months, parts.map(({ since }) => since), parts.map(({ until }) => until)];
  const days = await transaction.query<DayRow>(daysStatement, [...read, ...span]);
  const hours = hasHours ? await transaction.query<HourRow>(hoursStatement, span) : [];
  const top = await transaction.query<TopRow>(topStatement, read);
  const [counts] = await transaction.query<CountsRow>(countsStatement, [...read, ...span]);
  return { days, hours, top, counts: counts as CountsRow };
}
