// The history of routes in the database: one row for each route and quarter of an hour in which it was called, to which
// all processes add.

import { type Queryable, sql } from '../../platform/db/database.ts';
import { forgetting } from '../../platform/db/forget.ts';
import type { RouteIdentity } from './route-health.ts';
import type { TallySums } from './route-tally.ts';

export type RouteSums = RouteIdentity & TallySums;

export type HistoryRow = RouteIdentity & TallySums & Readonly<{ atMs: number }>;

/** In the order of the key, so that two processes cannot deadlock. */
const addStatement = sql(
  'routing_add_history',
  `INSERT INTO route_history AS h (provider_name, upstream_model, bucket_at, calls, failures, latency_ms_sum,
     latency_count, tokens_per_second_sum, speed_count)
   SELECT provider_name, upstream_model, $1, calls, failures, latency_ms_sum, latency_count, tokens_per_second_sum,
     speed_count
   FROM unnest($2::text[], $3::text[], $4::integer[], $5::integer[], $6::double precision[], $7::integer[],
     $8::double precision[], $9::integer[]) AS added (provider_name, upstream_model, calls, failures, latency_ms_sum,
     latency_count, tokens_per_second_sum, speed_count)
   ORDER BY provider_name, upstream_model
   ON CONFLICT (provider_name, upstream_model, bucket_at) DO UPDATE SET
     calls = h.calls + excluded.calls,
     failures = h.failures + excluded.failures,
     latency_ms_sum = h.latency_ms_sum + excluded.latency_ms_sum,
     latency_count = h.latency_count + excluded.latency_count,
     tokens_per_second_sum = h.tokens_per_second_sum + excluded.tokens_per_second_sum,
     speed_count = h.speed_count + excluded.speed_count`,
);

export async function addHistory(queryable: Queryable, bucketAtMs: number, rows: readonly RouteSums[]): Promise<void> {
  const column = <Value>(of: (row: RouteSums) => Value): Value[] => rows.map(of);
  await queryable.query(addStatement, [
    new Date(bucketAtMs),
    column(({ providerName }) => providerName),
    column(({ upstreamModel }) => upstreamModel),
    column(({ calls }) => calls),
    column(({ failures }) => failures),
    column(({ latencyMsSum }) => latencyMsSum),
    column(({ latencyCount }) => latencyCount),
    column(({ tokensPerSecondSum }) => tokensPerSecondSum),
    column(({ speedCount }) => speedCount),
  ]);
}

const readStatement = sql(
  'routing_read_history',
  `SELECT provider_name AS "providerName", upstream_model AS "upstreamModel",
     (extract(epoch FROM bucket_at) * 1000)::double precision AS "atMs", calls, failures,
     latency_ms_sum AS "latencyMsSum", latency_count AS "latencyCount",
     tokens_per_second_sum AS "tokensPerSecondSum", speed_count AS "speedCount"
   FROM route_history
   WHERE (provider_name, upstream_model) IN (SELECT * FROM unnest($1::text[], $2::text[])) AND bucket_at >= $3
   ORDER BY bucket_at`,
);

export function readHistory(
  queryable: Queryable,
  routes: readonly RouteIdentity[],
  sinceMs: number,
): Promise<HistoryRow[]> {
  return queryable.query<HistoryRow>(readStatement, [
    routes.map(({ providerName }) => providerName),
    routes.map(({ upstreamModel }) => upstreamModel),
    new Date(sinceMs),
  ]);
}

const forget = forgetting('routing_forget_history', 'route_history', 'bucket_at < $1');

export async function forgetHistory(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [new Date(beforeMs)]);
}
