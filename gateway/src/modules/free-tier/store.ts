// The day's use of free quotas, added up from the records of calls. A person has few such records, and they have an
// index of their own.

import { type Queryable, sql } from '../../platform/db/database.ts';
import { forgetting } from '../../platform/db/forget.ts';

type FreeUsageRow = Readonly<{ modelId: string; units: bigint }>;

const readStatement = sql(
  'free_tier_read_usage',
  `SELECT model_id AS "modelId", sum(free_units)::bigint AS units FROM generations
   WHERE account_id = $1 AND user_id = $2 AND free_units > 0
     AND created_at >= to_timestamp($3::double precision / 1000)
     AND created_at < to_timestamp($3::double precision / 1000) + interval '1 day'
   GROUP BY model_id`,
);

const forget = forgetting(
  'free_tier_forget_usage',
  'free_usage',
  "day < (to_timestamp($1::double precision / 1000) AT TIME ZONE 'UTC')::date",
);

type FreeUser = Readonly<{ accountId: string; userId: string }>;

/** Of the UTC day that begins at a moment. */
export function readFreeUsage(
  queryable: Queryable,
  { accountId, userId }: FreeUser,
  dayMs: number,
): Promise<FreeUsageRow[]> {
  return queryable.query<FreeUsageRow>(readStatement, [accountId, userId, dayMs]);
}

/** Removes the days before the given moment's day. */
export async function forgetFreeUsage(queryable: Queryable, beforeMs: number): Promise<void> {
  await forget(queryable, [beforeMs]);
}
