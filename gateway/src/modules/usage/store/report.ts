// One account's usage in a span of days, for everybody or one person, summed in three ways by one pass over its daily
// sums, so that the three always agree.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import { studentName } from './student-name.ts';

export type SumsRow = Readonly<{
  requests: bigint;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  cost_nano_usd: bigint;
}>;

/** `kind` tells which of the other columns are set. A key without a trace has no name. */
type ReportRow = SumsRow &
  Readonly<{
    kind: 'bucket' | 'key' | 'app';
    bucket: string | null;
    model_id: string | null;
    key_id: string | null;
    key_name: string | null;
    app_name: string | null;
  }>;

/** Clients name applications and may send another name with every call, so only the largest are returned. */
const NAMES_MAX = 1_000;

// The sums keep only the beginning of a very long name, so the filter is cut in the same way.
const WANTED = `account_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::text IS NULL OR user_id = $4)
  AND ($5::text IS NULL OR model_id = left($5, 200)) AND ($6::text IS NULL OR key_id = $6)
  AND ($7::text IS NULL OR app_name = left($7, 128))`;

/** A bucket is a day or an hour. Hourly sums have tokens, but not prompt and completion tokens apart. */
const SOURCES = {
  day: `SELECT day::text AS bucket, model_id, key_id, app_name, requests, prompt_tokens, completion_tokens,
      cost_nano_usd
    FROM usage_daily_now
    WHERE ${WANTED} AND $8::timestamp IS NULL`,
  hour: `SELECT to_char(at, 'YYYY-MM-DD"T"HH24":00:00.000Z"') AS bucket, model_id, key_id, app_name, requests,
      tokens AS prompt_tokens, 0::bigint AS completion_tokens, cost AS cost_nano_usd
    FROM (
      SELECT h.day + make_interval(hours => (t.hour - 1)::integer) AS at, h.model_id, h.key_id, h.app_name, t.requests,
        t.tokens, t.cost
      FROM usage_hourly_now h
      CROSS JOIN LATERAL unnest(h.requests, h.tokens, h.cost_nano_usd) WITH ORDINALITY AS t (requests, tokens, cost, hour)
      WHERE ${WANTED} AND t.requests > 0
    ) hours
    WHERE $8::timestamp IS NULL OR (at >= $8 AND at < $8 + interval '24 hours')`,
} as const;

type Grain = keyof typeof SOURCES;

const SUMS = `sum(requests)::bigint AS requests, sum(prompt_tokens)::bigint AS prompt_tokens,
  sum(completion_tokens)::bigint AS completion_tokens, sum(cost_nano_usd)::bigint AS cost_nano_usd`;

const reportStatement = (grain: Grain) =>
  sql(
    `usage_report_${grain}`,
    `WITH summed AS (
       SELECT CASE grouping(bucket, key_id, app_name) WHEN 3 THEN 'bucket' WHEN 5 THEN 'key' ELSE 'app' END AS kind,
              bucket, model_id, key_id, app_name, ${SUMS}
       FROM (${SOURCES[grain]}) source
       GROUP BY GROUPING SETS ((bucket, model_id), (key_id), (app_name))
     ), ranked AS (
       SELECT *, row_number() OVER (PARTITION BY kind ORDER BY cost_nano_usd DESC, requests DESC) AS place FROM summed
     )
     SELECT r.kind, r.bucket, r.model_id, r.key_id, coalesce(k.name, ${studentName('r.key_id', '$1')}) AS key_name, r.app_name, r.requests, r.prompt_tokens,
            r.completion_tokens, r.cost_nano_usd
     FROM ranked r LEFT JOIN api_keys k ON k.id = r.key_id AND k.account_id = $1
     WHERE r.kind = 'bucket' OR r.place <= ${NAMES_MAX}
     ORDER BY r.bucket, r.place`,
  );

/** A line of a chart is a key or an application; a chart has room for the largest few. */
type SeriesRow = SumsRow & Readonly<{ bucket: string; id: string; name: string | null }>;

const SERIES_MAX = 20;

const seriesStatement = (grain: Grain) =>
  sql(
    `usage_series_${grain}`,
    `WITH summed AS (
       SELECT bucket, CASE WHEN $9 = 'key' THEN key_id ELSE app_name END AS id, ${SUMS}
       FROM (${SOURCES[grain]}) source GROUP BY 1, 2
     ), largest AS (
       SELECT id FROM summed GROUP BY id ORDER BY sum(cost_nano_usd) DESC, sum(requests) DESC LIMIT ${SERIES_MAX}
     )
     SELECT s.bucket, s.id, CASE WHEN $9 = 'key' THEN coalesce(k.name, ${studentName('s.id', '$1')}) ELSE nullif(s.id, '') END AS name, s.requests,
            s.prompt_tokens, s.completion_tokens, s.cost_nano_usd
     FROM summed s JOIN largest USING (id) LEFT JOIN api_keys k ON k.id = s.id AND k.account_id = $1
     ORDER BY s.bucket, s.cost_nano_usd DESC, s.id`,
  );

const STATEMENTS = {
  day: { report: reportStatement('day'), series: seriesStatement('day') },
  hour: { report: reportStatement('hour'), series: seriesStatement('hour') },
} as const;

export type SeriesKind = 'key' | 'app';

export type SpanQuery = Readonly<{
  accountId: string;
  /** Null for everybody who uses the account. */
  userId: string | null;
  /** Both days are included, as `YYYY-MM-DD`. */
  firstDay: string;
  lastDay: string;
  grain: Grain;
  /** By the hour: only the 24 hours from this one on. Null for whole days. */
  fromHourMs: number | null;
  modelId: string | null;
  keyId: string | null;
  appName: string | null;
}>;

const valuesOf = (query: SpanQuery): readonly unknown[] => {
  const { accountId, firstDay, lastDay, userId, modelId, keyId, appName, fromHourMs } = query;
  const fromHour = fromHourMs === null ? null : new Date(fromHourMs).toISOString().slice(0, -1);
  return [accountId, firstDay, lastDay, userId, modelId, keyId, appName, fromHour];
};

/** Only the largest, in the order of time. */
export const readSeries = (queryable: Queryable, query: SpanQuery, kind: SeriesKind): Promise<SeriesRow[]> =>
  queryable.query<SeriesRow>(STATEMENTS[query.grain].series, [...valuesOf(query), kind]);

/** Days or hours come in order, keys and applications by spending. */
export const readReport = (queryable: Queryable, query: SpanQuery): Promise<ReportRow[]> =>
  queryable.query<ReportRow>(STATEMENTS[query.grain].report, valuesOf(query));
