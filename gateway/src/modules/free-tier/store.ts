// The day's use of free quotas, which the database adds up from the records of calls as they are written.

import { type Queryable, sql } from '../../platform/db/database.ts';

export type FreeUsageRow = Readonly<{ modelId: string; units: bigint }>;

const readStatement = sql(
  'free_tier_read_usage',
  `SELECT model_id AS "modelId", sum(units)::bigint AS units FROM free_usage_now
   WHERE user_id = $1 AND day = (to_timestamp($2::double precision / 1000) AT TIME ZONE 'UTC')::date
   GROUP BY model_id`,
);

const forgetStatement = sql(
  'free_tier_forget_usage',
  `DELETE FROM free_usage WHERE day < (to_timestamp($1::double precision / 1000) AT TIME ZONE 'UTC')::date`,
);

/** Of the UTC day that a moment lies in. */
export function readFreeUsage(queryable: Queryable, userId: string, dayMs: number): Promise<FreeUsageRow[]> {
  return queryable.query<FreeUsageRow>(readStatement, [userId, dayMs]);
}

/** Removes the days before the one that a moment lies in. */
export async function forgetFreeUsage(queryable: Queryable, beforeMs: number): Promise<void> {
  await queryable.query(forgetStatement, [beforeMs]);
}
