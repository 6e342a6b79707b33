// Root secrets, the processes that have them, and rows that are sealed anew. The statements on those rows are made from
// the columns that modules name, which are text of the program and never input.

import { type Database, hasRow, type Queryable, type Statement, sql } from '../../platform/db/database.ts';
import type { SealedColumn, SealedRow } from '../../platform/sealed-column.ts';

export type RootRow = Readonly<{ id: string; hashing: string; isUsed: boolean; announcedAt: Date }>;

const ONE_AT_A_TIME = `hashtextextended('seal anew', 0)`;

const lockStatement = sql('root_secret_lock', 'LOCK TABLE root_secrets IN SHARE ROW EXCLUSIVE MODE');

// The one in use comes first.
const listStatement = sql(
  'root_secret_list',
  `SELECT id, hashing, in_use_since IS NOT NULL AS "isUsed", announced_at AS "announcedAt" FROM root_secrets
   ORDER BY in_use_since DESC NULLS LAST, announced_at DESC`,
);

const addStatement = sql(
  'root_secret_add',
  `INSERT INTO root_secrets (id, hashing, in_use_since) VALUES ($1, $2, CASE WHEN $3 THEN now() END)`,
);

const reportStatement = sql(
  'root_secret_report',
  `INSERT INTO secret_holders (process_id, started_with, seals_with)
   SELECT id, $2, $3 FROM processes
   WHERE id = $1
   ON CONFLICT (process_id) DO UPDATE SET started_with = excluded.started_with, seals_with = excluded.seals_with`,
);

// A process that has not reported its secrets may know only the previous one.
const useStatement = sql(
  'root_secret_use',
  `UPDATE root_secrets SET in_use_since = now()
   WHERE id = $1 AND NOT EXISTS (
     SELECT FROM processes p LEFT JOIN secret_holders h ON h.process_id = p.id
     WHERE h.started_with IS DISTINCT FROM $1
   )
   RETURNING id`,
);

const allSealStatement = sql(
  'root_secret_all_seal',
  `SELECT NOT EXISTS (
     SELECT FROM processes p LEFT JOIN secret_holders h ON h.process_id = p.id
     WHERE h.seals_with IS DISTINCT FROM $1
   ) AS "isSo"`,
);

const holdersStatement = sql(
  'root_secret_holders',
  `SELECT p.id, p.started_at AS "startedAt", h.started_with AS "startedWith", h.seals_with AS "sealsWith"
   FROM processes p LEFT JOIN secret_holders h ON h.process_id = p.id
   ORDER BY p.started_at, p.id`,
);

const tryLockStatement = sql('root_secret_try_lock', `SELECT pg_try_advisory_xact_lock(${ONE_AT_A_TIME}) AS "isMine"`);

const progressStatement = sql(
  'root_secret_progress',
  `SELECT name, last_key AS "lastKey", is_done AS "isDone", seen, sealed, unreadable FROM sealed_anew`,
);

const advanceStatement = sql(
  'root_secret_advance',
  `INSERT INTO sealed_anew AS s (name, last_key, is_done, seen, sealed, unreadable) VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (name) DO UPDATE SET last_key = excluded.last_key, is_done = excluded.is_done,
     seen = s.seen + excluded.seen, sealed = s.sealed + excluded.sealed, unreadable = s.unreadable + excluded.unreadable`,
);

const forgetProgressStatement = sql('root_secret_forget_progress', 'DELETE FROM sealed_anew');
const dropOthersStatement = sql('root_secret_drop_others', 'DELETE FROM root_secrets WHERE id <> $1');

/** No other process announces a secret until the transaction ends. */
export async function lockRoots(transaction: Queryable): Promise<void> {
  await transaction.query(lockStatement);
}

export const listRoots = (queryable: Queryable): Promise<RootRow[]> => queryable.query<RootRow>(listStatement);

export async function addRoot(
  transaction: Queryable,
  root: Readonly<{ id: string; hashing: string; isUsed: boolean }>,
): Promise<void> {
  await transaction.query(addStatement, [root.id, root.hashing, root.isUsed]);
}

export async function reportHolder(
  queryable: Queryable,
  holder: Readonly<{ processId: string; startedWith: string; sealsWith: string }>,
): Promise<void> {
  await queryable.query(reportStatement, [holder.processId, holder.startedWith, holder.sealsWith]);
}

/** Takes a secret into use once all serving processes have it. */
export const useRoot = (queryable: Queryable, id: string): Promise<boolean> => hasRow(queryable, useStatement, [id]);

export async function allSealWith(queryable: Queryable, id: string): Promise<boolean> {
  const [row] = await queryable.query<{ isSo: boolean }>(allSealStatement, [id]);
  return row?.isSo === true;
}

export type Holder = Readonly<{ id: string; startedAt: Date; startedWith: string | null; sealsWith: string | null }>;

export const listHolders = (queryable: Queryable): Promise<Holder[]> => queryable.query<Holder>(holdersStatement);

/** Runs unless another process is running it; null where one is. */
export function alone<Result>(
  database: Database,
  run: (transaction: Queryable) => Promise<Result>,
): Promise<Result | null> {
  return database.transaction(async (transaction) => {
    const [row] = await transaction.query<{ isMine: boolean }>(tryLockStatement);
    return row?.isMine === true ? run(transaction) : null;
  });
}

export type Progress = Readonly<{
  name: string;
  lastKey: readonly string[] | null;
  isDone: boolean;
  seen: bigint;
  sealed: bigint;
  unreadable: bigint;
}>;

export const readProgress = (queryable: Queryable): Promise<Progress[]> => queryable.query<Progress>(progressStatement);

/** The counts are added to those of before. */
export async function advance(transaction: Queryable, progress: Progress): Promise<void> {
  const { name, lastKey, isDone, seen, sealed, unreadable } = progress;
  await transaction.query(advanceStatement, [name, lastKey, isDone, seen, sealed, unreadable]);
}

export async function forgetProgress(transaction: Queryable): Promise<void> {
  await transaction.query(forgetProgressStatement);
}

export async function dropOtherRoots(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(dropOthersStatement, [id]);
}

type ReadRow = Readonly<{ key: readonly string[]; row: SealedRow; value: string | Buffer }>;

export type ColumnStore = Readonly<{
  name: string;
  /** The next rows in the order of their key, locked; those without a value are left out. */
  read(transaction: Queryable, lastKey: readonly string[] | null, limit: number): Promise<readonly ReadRow[]>;
  /** The last rows in that order. */
  readLast(transaction: Queryable, limit: number): Promise<readonly ReadRow[]>;
  write(transaction: Queryable, key: readonly string[], value: string | Buffer): Promise<void>;
}>;

type ValueRow = Readonly<Record<string, string> & { 'sealed value': string | Buffer }>;

export function columnStore({ table, column, key, also = [], type }: SealedColumn): ColumnStore {
  const name = `${table}.${column}`;
  const names = Object.keys(key);
  const own = names.map((each) => `${each}::text as "${each}"`).join(', ');
  const further = also.map((each) => `, ${each}::text as "${each}"`).join('');
  const value = type === 'bytea' ? column : `${column}::text`;
  const given = Object.values(key)
    .map((keyType, index) => `$${index + 2}::text::${keyType}`)
    .join(', ');
  const statement = (what: string, text: string): Statement => sql(`seal_anew_${what}_${table}_${column}`, text);
  const select = `SELECT ${own}${further}, ${value} AS "sealed value" FROM ${table} WHERE ${column} IS NOT NULL`;
  const places = names.map((each) => `${table}.${each}`);
  const tail = `ORDER BY ${places.join(', ')} LIMIT $1 FOR UPDATE`;
  const first = statement('first', `${select} ${tail}`);
  const next = statement('next', `${select} AND (${places.join(', ')}) > (${given}) ${tail}`);
  const last = statement('last', `${select} ORDER BY ${places.map((each) => `${each} DESC`).join(', ')} LIMIT $1`);
  const update = statement(
    'write',
    `UPDATE ${table} SET ${column} = $1${type === 'json' ? '::json' : ''} WHERE (${names.join(', ')}) = (${given})`,
  );
  const readRow = (row: ValueRow): ReadRow => ({
    key: names.map((each) => row[each] ?? ''),
    row,
    value: row['sealed value'],
  });
  return {
    name,
    async read(transaction, lastKey, limit) {
      const [which, values] = lastKey === null ? [first, []] : [next, lastKey];
      return (await transaction.query<ValueRow>(which, [limit, ...values])).map(readRow);
    },
    async readLast(transaction, limit) {
      return (await transaction.query<ValueRow>(last, [limit])).map(readRow);
    },
    async write(transaction, rowKey, written) {
      await transaction.query(update, [written, ...rowKey]);
    },
  };
}
