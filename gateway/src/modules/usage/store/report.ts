// One account's usage in a span of days, all of it or one person's, summed in three ways by one pass over its daily sums,
// so that the three always agree with each other.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type SumsRow = Readonly<{
  requests: bigint;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  cost_nano_usd: bigint;
}>;

/** `kind` tells which of the other columns hold something. A key that is gone without a trace has no name. */
export type ReportRow = SumsRow &
  Readonly<{
    kind: 'day' | 'key' | 'app';
    day: string | null;
    model_id: string | null;
    key_id: string | null;
    key_name: string | null;
    app_name: string | null;
  }>;

/** Applications are named by clients, who may send another name with every call: only the largest are answered. */
const NAMES_MAX = 1_000;

const reportStatement = sql(
  'usage_report',
  `WITH summed AS (
     SELECT CASE grouping(day, key_id, app_name) WHEN 3 THEN 'day' WHEN 5 THEN 'key' ELSE 'app' END AS kind,
            day, model_id, key_id, app_name, sum(requests)::bigint AS requests,
            sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens,
            sum(cost_nano_usd)::bigint AS cost_nano_usd
     FROM usage_daily_now WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR user_id = $4)
     GROUP BY GROUPING SETS ((day, model_id), (key_id), (app_name))
   ), ranked AS (
     SELECT *, row_number() OVER (PARTITION BY kind ORDER BY cost_nano_usd DESC, requests DESC) AS place FROM summed
   )
   SELECT r.kind, r.day, r.model_id, r.key_id, k.name AS key_name, r.app_name, r.requests, r.prompt_tokens,
          r.completion_tokens, r.cost_nano_usd
   FROM ranked r LEFT JOIN api_keys k ON k.id = r.key_id AND k.account_id = $1
   WHERE r.kind = 'day' OR r.place <= ${NAMES_MAX}
   ORDER BY r.day, r.place`,
);

/** A line of a chart is a key or an application; a chart has room for the largest few. */
export type SeriesRow = SumsRow & Readonly<{ day: string; id: string; name: string | null }>;

const SERIES_MAX = 20;

const seriesStatement = sql(
  'usage_series',
  `WITH summed AS (
     SELECT day, CASE WHEN $5 = 'key' THEN key_id ELSE app_name END AS id, sum(requests)::bigint AS requests,
            sum(prompt_tokens)::bigint AS prompt_tokens, sum(completion_tokens)::bigint AS completion_tokens,
            sum(cost_nano_usd)::bigint AS cost_nano_usd
     FROM usage_daily_now
     WHERE account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR user_id = $4) GROUP BY 1, 2
   ), largest AS (
     SELECT id FROM summed GROUP BY id ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC LIMIT ${SERIES_MAX}
   )
   SELECT s.day, s.id, CASE WHEN $5 = 'key' THEN k.name ELSE nullif(s.id, '') END AS name, s.requests,
          s.prompt_tokens, s.completion_tokens, s.cost_nano_usd
   FROM summed s JOIN largest USING (id) LEFT JOIN api_keys k ON k.id = s.id AND k.account_id = $1
   ORDER BY s.day, s.cost_nano_usd DESC, s.id`,
);

export type SeriesKind = 'key' | 'app';

/** Both days count, as `YYYY-MM-DD`; `userId` is null for everybody who uses the account. */
export type SpanQuery = Readonly<{ accountId: string; userId: string | null; firstDay: string; lastDay: string }>;

/** Only of the largest, in the order of days. */
export function readSeries(queryable: Queryable, query: SpanQuery, kind: SeriesKind): Promise<SeriesRow[]> {
  const { accountId, firstDay, lastDay, userId } = query;
  return queryable.query<SeriesRow>(seriesStatement, [accountId, firstDay, lastDay, userId, kind]);
}

/** Days come in order, keys and applications by what was spent. */
export function readReport(queryable: Queryable, query: SpanQuery): Promise<ReportRow[]> {
  const { accountId, firstDay, lastDay, userId } = query;
  return queryable.query<ReportRow>(reportStatement, [accountId, firstDay, lastDay, userId]);
}
