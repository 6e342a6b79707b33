// The statements on what the cache of answers has saved and when it was emptied.

import { type Queryable, sql } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';

const addStatement = sql(
  'answers_add_saved',
  `INSERT INTO usage_saved AS kept (account_id, day, user_id, model_id, hits, saved_nano_usd)
   SELECT * FROM unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
     AS t (account_id, day, user_id, model_id, hits, saved)
   ORDER BY 1, 2, 3, 4
   ON CONFLICT (account_id, day, user_id, model_id) DO UPDATE SET
     hits = kept.hits + excluded.hits, saved_nano_usd = kept.saved_nano_usd + excluded.saved_nano_usd`,
);
const readStatement = sql(
  'answers_read_saved',
  `SELECT day::text AS "day", model_id AS "modelId", sum(hits)::bigint AS "hits",
     sum(saved_nano_usd)::bigint AS "savedNanoUsd"
   FROM usage_saved
   WHERE account_id = $1 AND ($2::text IS NULL OR user_id = $2) AND day BETWEEN $3::date AND $4::date
   GROUP BY day, model_id
   ORDER BY day, model_id`,
);
const purgeStatement = sql(
  'answers_purge',
  `INSERT INTO answer_purges (account_id, user_id, purged_at) VALUES ($1, $2, $3)
   ON CONFLICT (account_id, user_id) DO UPDATE SET
     purged_at = greatest(excluded.purged_at, answer_purges.purged_at + interval '1 millisecond')`,
);

export type SavedKey = Readonly<{ accountId: string; day: string; userId: string; modelId: string }>;

export async function addSaved(
  queryable: Queryable,
  rows: readonly (SavedKey & Readonly<{ hits: bigint; savedNanoUsd: NanoUsd }>)[],
): Promise<void> {
  await queryable.query(addStatement, [
    rows.map(({ accountId }) => accountId),
    rows.map(({ day }) => day),
    rows.map(({ userId }) => userId),
    rows.map(({ modelId }) => modelId),
    rows.map(({ hits }) => hits),
    rows.map(({ savedNanoUsd }) => savedNanoUsd),
  ]);
}

/** `userId` null: of everybody. Days are `YYYY-MM-DD`, both included. */
export type SavedSearch = Readonly<{ accountId: string; userId: string | null; firstDay: string; lastDay: string }>;
export type SavedRow = Readonly<{ day: string; modelId: string; hits: bigint; savedNanoUsd: NanoUsd }>;

export function readSaved(
  queryable: Queryable,
  { accountId, userId, firstDay, lastDay }: SavedSearch,
): Promise<SavedRow[]> {
  return queryable.query<SavedRow>(readStatement, [accountId, userId, firstDay, lastDay]);
}

export async function purge(queryable: Queryable, accountId: string, userId: string, now: Date): Promise<void> {
  await queryable.query(purgeStatement, [accountId, userId, now]);
}
