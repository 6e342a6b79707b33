// Removes rows that nobody needs any more, a part at a time: after a long outage, or an attack, there may be millions,
// and one statement for all of them would run out of its time and remove none. Several processes may do it at once.

import { type Queryable, type Statement, sql } from './database.ts';

export const FORGOTTEN_TOGETHER = 5_000;

/** Repeats a statement that removes at most that many rows, and answers how many as `rows`, until none is left. */
export async function forgetInParts(
  queryable: Queryable,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  for (let rows = FORGOTTEN_TOGETHER; rows === FORGOTTEN_TOGETHER; ) {
    const [gone] = await queryable.query<{ rows: number }>(statement, values);
    rows = gone?.rows ?? 0;
  }
}

type Forget = (queryable: Queryable, values: readonly unknown[]) => Promise<void>;

/** The condition names the values as `$1` and so on. Not for a table with partitions, whose rows share places. */
export function forgetting(name: string, table: string, condition: string): Forget {
  const statement = sql(
    name,
    `WITH old AS MATERIALIZED (
       SELECT ctid FROM ${table} WHERE ${condition} LIMIT ${FORGOTTEN_TOGETHER} FOR UPDATE SKIP LOCKED
     ), gone AS (
       DELETE FROM ${table} t USING old WHERE t.ctid = old.ctid RETURNING 1
     )
     SELECT count(*)::integer AS rows FROM gone`,
  );
  return (queryable, values) => forgetInParts(queryable, statement, values);
}

/** Repeats a removal of at most `limit` rows until none is left; answers how many are gone. */
export async function removeAll(limit: number, remove: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ; ) {
    const count = await remove(limit);
    total += count;
    if (count < limit) return total;
  }
}
