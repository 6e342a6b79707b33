// Pages of an account's records, newest first. The daily sums tell which days have matching calls, so that a rare model
// in a year of calls is found without reading the year.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type GenerationSummaryRow = Readonly<{
  id: string;
  created_at: Date;
  model_id: string;
  provider_name: string;
  app_name: string | null;
  key_id: string;
  user_id: string;
  operation: string;
  finish_reason: string | null;
  upstream_status: number;
  is_stream: boolean;
  duration_ms: number;
  first_token_ms: number | null;
  prompt_tokens: bigint;
  completion_tokens: bigint;
  cost_nano_usd: bigint;
}>;

export const SUMMARY_COLUMNS = `id, created_at, model_id, provider_name, app_name, key_id, user_id, operation,
  finish_reason, upstream_status, is_stream, duration_ms, first_token_ms, prompt_tokens, completion_tokens,
  cost_nano_usd`;

// The sums keep only the beginning of a very long name, so the filter is cut in the same way.
const IN_SUMS = `account_id = $1 AND ($2::text IS NULL OR model_id = left($2, 200))
  AND ($3::text IS NULL OR key_id = $3) AND ($4::text IS NULL OR app_name = left($4, 128))`;
const IN_RECORDS = `account_id = $1 AND ($2::text IS NULL OR model_id = $2)
  AND ($3::text IS NULL OR key_id = $3) AND ($4::text IS NULL OR app_name = $4)`;

// As many days as it takes to fill the page. The day of the cursor may have no more calls, so it is not counted.
const daysStatement = sql(
  'usage_generation_days',
  `SELECT day FROM (
     SELECT day, coalesce(sum(requests) FILTER (WHERE day < $6::date) OVER earlier, 0) AS found
     FROM (
       SELECT day, sum(requests) AS requests FROM usage_daily_now
       WHERE ${IN_SUMS} AND day >= $5::date AND day <= $6::date GROUP BY day
     ) AS days
     WINDOW earlier AS (ORDER BY day DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
   ) AS counted
   WHERE found < $7
   ORDER BY day DESC`,
);

const listStatement = sql(
  'usage_generation_list',
  `SELECT g.* FROM unnest($5::date[]) AS d (day) CROSS JOIN LATERAL (
     SELECT ${SUMMARY_COLUMNS} FROM generations
     WHERE ${IN_RECORDS} AND created_at >= d.day::timestamp AT TIME ZONE 'UTC'
       AND created_at < (d.day + 1)::timestamp AT TIME ZONE 'UTC'
       AND (created_at, id) < ($6, $7)
     ORDER BY created_at DESC, id DESC LIMIT $8
   ) AS g
   ORDER BY g.created_at DESC, g.id DESC LIMIT $8`,
);

export type GenerationListQuery = Readonly<{
  accountId: string;
  modelId: string | null;
  keyId: string | null;
  appName: string | null;
  /** Both days are included. */
  firstDay: string;
  lastDay: string;
  /** Lists what is older than this moment and id. */
  before: Readonly<{ createdAtMs: number; id: string }>;
  limit: number;
}>;

export async function listGenerations(
  queryable: Queryable,
  query: GenerationListQuery,
): Promise<readonly GenerationSummaryRow[]> {
  const filter = [query.accountId, query.modelId, query.keyId, query.appName];
  const days = await queryable.query<{ day: string }>(daysStatement, [
    ...filter,
    query.firstDay,
    query.lastDay,
    query.limit,
  ]);
  if (days.length === 0) return [];
  const { createdAtMs, id } = query.before;
  const values = [...filter, days.map(({ day }) => day), new Date(createdAtMs), id, query.limit];
  return queryable.query<GenerationSummaryRow>(listStatement, values);
}
