// An account with ten million calls, as its sums would stand after a year of them: made by SQL in a few seconds, where
// the calls themselves would take hours. Neighbours with calls of their own share the tables.

import { type Queryable, sql } from '../../gateway/src/platform/db/database.ts';

export const DAYS = 365;
export const KEYS = 10;
const MODELS = 8;
const MODELS_OF_KEY = 4;
const APPS = 5;
export const SERIES = KEYS * MODELS_OF_KEY;
const NEIGHBOURS = 1_000;
const NEIGHBOUR_DAYS = 30;
const NEIGHBOUR_CALLS = 100_000;

// A key belongs to one application and calls four of the models: 20 to 37 calls an hour in each of its series.
const hourlyStatement = sql(
  'bench_fill_hourly',
  `INSERT INTO usage_hourly (account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd)
   SELECT $1, current_date - ago, $1, ($2::text[])[key], 'maker-' || (key + model) % ${MODELS} || '/model',
          'Application ' || key % ${APPS}, hours.requests, hours.tokens, hours.cost
   FROM generate_series($3::integer, $4::integer) AS ago, generate_series(1, ${KEYS}) AS key,
        generate_series(1, ${MODELS_OF_KEY}) AS model,
        LATERAL (
          SELECT array_agg(calls ORDER BY hour) AS requests, array_agg(calls * 1500 ORDER BY hour) AS tokens,
                 array_agg(calls * 2345678 ORDER BY hour) AS cost
          FROM (
            SELECT hour, 20 + (ago * 7 + hour * 13 + key * 5 + model * 3) % 18::bigint AS calls
            FROM generate_series(0, 23) AS hour
          ) AS counted
        ) AS hours`,
);

const dailyStatement = sql(
  'bench_fill_daily',
  `INSERT INTO usage_daily (account_id, day, user_id, key_id, model_id, app_name, requests, failed_requests,
     prompt_tokens, completion_tokens, cost_nano_usd, last_at)
   SELECT account_id, day, user_id, key_id, model_id, app_name, calls, 0, calls * 1000, calls * 500, calls * 2345678,
          least(day + interval '23 hours', now())
   FROM usage_hourly, LATERAL (SELECT sum(n)::bigint AS calls FROM unnest(requests) AS n) AS counted
   WHERE account_id = $1 AND day BETWEEN current_date - $3::integer AND current_date - $2::integer`,
);

// These are records, and the database makes their sums itself, as it does for every call.
const neighboursStatement = sql(
  'bench_fill_neighbours',
  `INSERT INTO generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model, app_name,
     finish_reason, upstream_status, is_stream, is_failover, created_at, duration_ms, first_token_ms, prompt_tokens,
     completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens,
     completion_image_tokens, subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd,
     absorbed_reason, attempts)
   SELECT 'gen-' || md5(n::text), 'usr-' || n % ${NEIGHBOURS}, 'usr-' || n % ${NEIGHBOURS}, 'key-' || n % ${NEIGHBOURS},
          'chat', 'maker-' || n % ${MODELS} || '/model', 'maker', 'model', 'Neighbour', 'stop', 200, true, false,
          now() - n % ${NEIGHBOUR_DAYS} * interval '1 day', 900, 200, 1000, 500, 0, 0, 0, 0, 0, 2345678, 0, 2345678, 0,
          null, 1
   FROM generate_series($1::integer, $2::integer) AS n`,
);

const analyzeStatements = ['usage_hourly', 'usage_daily', 'generations'].map((table) =>
  sql(`bench_analyze_${table}`, `VACUUM ANALYZE ${table}`),
);

const countStatement = sql(
  'bench_count',
  `SELECT (SELECT sum(requests) FROM usage_daily WHERE account_id = $1)::bigint AS calls,
          (SELECT count(*) FROM usage_daily) AS "dailyRows",
          pg_size_pretty(pg_total_relation_size('usage_daily')) AS "dailySize",
          pg_size_pretty(pg_total_relation_size('usage_hourly')) AS "hourlySize"`,
);

export type DataSet = Readonly<{ calls: bigint; dailyRows: bigint; dailySize: string; hourlySize: string }>;

/** In steps, because a statement may only take seconds. */
export async function fillUsage(
  queryable: Queryable,
  accountId: string,
  keyIds: readonly string[],
): Promise<DataSet | undefined> {
  const stepDays = 73;
  for (let first = 0; first < DAYS; first += stepDays) {
    await queryable.query(hourlyStatement, [accountId, keyIds, first, first + stepDays - 1]);
    await queryable.query(dailyStatement, [accountId, first, first + stepDays - 1]);
  }
  const stepCalls = NEIGHBOUR_CALLS / 10;
  for (let first = 0; first < NEIGHBOUR_CALLS; first += stepCalls) {
    await queryable.query(neighboursStatement, [first, first + stepCalls - 1]);
  }
  for (const statement of analyzeStatements) await queryable.query(statement);
  const [counted] = await queryable.query<DataSet>(countStatement, [accountId]);
  return counted;
}
