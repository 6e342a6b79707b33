// The statements on what the cache of answers has saved and when it was emptied.

import { type Queryable, sql } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';

const addStatement = sql(
  'answers_add_saved',
  `insert into usage_saved as kept (account_id, day, user_id, model_id, hits, saved_nano_usd)
   select * from unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
     as t (account_id, day, user_id, model_id, hits, saved)
   order by 1, 2, 3, 4
   on conflict (account_id, day, user_id, model_id) do update set
     hits = kept.hits + excluded.hits, saved_nano_usd = kept.saved_nano_usd + excluded.saved_nano_usd`,
);
const readStatement = sql(
  'answers_read_saved',
  `select day::text as "day", model_id as "modelId", sum(hits)::bigint as "hits",
     sum(saved_nano_usd)::bigint as "savedNanoUsd"
   from usage_saved
   where account_id = $1 and ($2::text is null or user_id = $2) and day between $3::date and $4::date
   group by day, model_id order by day, model_id`,
);
const purgeStatement = sql(
  'answers_purge',
  `insert into answer_purges (account_id, user_id, purged_at) values ($1, $2, $3)
   on conflict (account_id, user_id) do update set
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

/** `userId` null: of everybody. Days are `YYYY-MM-DD`; both count. */
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
