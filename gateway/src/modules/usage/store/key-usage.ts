// What keys have used, from the daily sums. A key has a few rows for each day it was used, found by its own index.

import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';

export type KeyUsageRow = Readonly<{
  usage: bigint;
  usage_daily: bigint;
  usage_weekly: bigint;
  usage_monthly: bigint;
  requests: bigint;
  requests_daily: bigint;
  requests_weekly: bigint;
  requests_monthly: bigint;
}>;

const keyUsageStatement = sql(
  'usage_of_key',
  `SELECT
     coalesce(sum(cost_nano_usd), 0)::bigint AS usage,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $3::date), 0)::bigint AS usage_daily,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $4::date), 0)::bigint AS usage_weekly,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $5::date), 0)::bigint AS usage_monthly,
     coalesce(sum(requests), 0)::bigint AS requests,
     coalesce(sum(requests) FILTER (WHERE day >= $3::date), 0)::bigint AS requests_daily,
     coalesce(sum(requests) FILTER (WHERE day >= $4::date), 0)::bigint AS requests_weekly,
     coalesce(sum(requests) FILTER (WHERE day >= $5::date), 0)::bigint AS requests_monthly
   FROM usage_daily_now
   WHERE account_id = $1 AND key_id = $2`,
);

/** Days are `YYYY-MM-DD`. */
type KeyUsageQuery = Readonly<{
  accountId: string;
  keyId: string;
  day: string;
  weekDay: string;
  monthDay: string;
}>;

export async function readKeyUsage(queryable: Queryable, query: KeyUsageQuery): Promise<KeyUsageRow | null> {
  const { accountId, keyId, day, weekDay, monthDay } = query;
  return firstRow<KeyUsageRow>(queryable, keyUsageStatement, [accountId, keyId, day, weekDay, monthDay]);
}

export type KeyActivityRow = Readonly<{
  key_id: string;
  requests: bigint;
  tokens: bigint;
  last_at: Date;
  spent: bigint;
  spent_daily: bigint;
  spent_weekly: bigint;
  spent_monthly: bigint;
}>;

const keyActivityStatement = sql(
  'usage_activity_of_keys',
  `SELECT key_id, sum(requests)::bigint AS requests, sum(prompt_tokens + completion_tokens)::bigint AS tokens,
     max(last_at) AS last_at, sum(cost_nano_usd)::bigint AS spent,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $3::date), 0)::bigint AS spent_daily,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $4::date), 0)::bigint AS spent_weekly,
     coalesce(sum(cost_nano_usd) FILTER (WHERE day >= $5::date), 0)::bigint AS spent_monthly
   FROM usage_daily_now
   WHERE account_id = $1 AND key_id = ANY ($2::text[])
   GROUP BY key_id`,
);

type KeyActivityQuery = Omit<KeyUsageQuery, 'keyId'> & Readonly<{ keyIds: readonly string[] }>;

/** A key that was never used has no row. */
export function readKeyActivity(queryable: Queryable, query: KeyActivityQuery): Promise<KeyActivityRow[]> {
  const { accountId, keyIds, day, weekDay, monthDay } = query;
  return queryable.query<KeyActivityRow>(keyActivityStatement, [accountId, keyIds, day, weekDay, monthDay]);
}
