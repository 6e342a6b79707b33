// Root secrets, the processes that hold them, and rows that are sealed anew. The statements for those rows are made from what
// the modules say of their columns: names from the program's own text, never from input.

import { type Database, type Queryable, type Statement, sql } from '../../platform/db/database.ts';
import type { SealedColumn, SealedRow } from '../../platform/sealed-column.ts';

export type RootRow = Readonly<{ id: string; hashing: string; isUsed: boolean; announcedAt: Date }>;

const ONE_AT_A_TIME = `hashtextextended('seal anew', 0)`;

const lockStatement = sql('root_secret_lock', 'lock table root_secrets in share row exclusive mode');

// The one in use comes first.
const listStatement = sql(
  'root_secret_list',
  `select id, hashing, in_use_since is not null as "isUsed", announced_at as "announcedAt" from root_secrets
   order by in_use_since desc nulls last, announced_at desc`,
);

const addStatement = sql(
  'root_secret_add',
  `insert into root_secrets (id, hashing, in_use_since) values ($1, $2, case when $3 then now() end)`,
);

const reportStatement = sql(
  'root_secret_report',
  `insert into secret_holders (process_id, started_with, seals_with)
   select id, $2, $3 from processes where id = $1
   on conflict (process_id) do update set started_with = excluded.started_with, seals_with = excluded.seals_with`,
);

// A process that has not said what it holds may be one that knows the former secret alone.
const useStatement = sql(
  'root_secret_use',
  `update root_secrets set in_use_since = now() where id = $1 and not exists (
     select from processes p left join secret_holders h on h.process_id = p.id
     where h.started_with is distinct from $1
   ) returning id`,
);

const allSealStatement = sql(
  'root_secret_all_seal',
  `select not exists (
     select from processes p left join secret_holders h on h.process_id = p.id
     where h.seals_with is distinct from $1
   ) as "isSo"`,
);

const holdersStatement = sql(
  'root_secret_holders',
  `select p.id, p.started_at as "startedAt", h.started_with as "startedWith", h.seals_with as "sealsWith"
   from processes p left join secret_holders h on h.process_id = p.id order by p.started_at, p.id`,
);

const tryLockStatement = sql('root_secret_try_lock', `select pg_try_advisory_xact_lock(${ONE_AT_A_TIME}) as "isMine"`);

const progressStatement = sql(
  'root_secret_progress',
  `select name, last_key as "lastKey", is_done as "isDone", seen, sealed, unreadable from sealed_anew`,
);

const advanceStatement = sql(
  'root_secret_advance',
  `insert into sealed_anew as s (name, last_key, is_done, seen, sealed, unreadable) values ($1, $2, $3, $4, $5, $6)
   on conflict (name) do update set last_key = excluded.last_key, is_done = excluded.is_done,
     seen = s.seen + excluded.seen, sealed = s.sealed + excluded.sealed, unreadable = s.unreadable + excluded.unreadable`,
);

const forgetProgressStatement = sql('root_secret_forget_progress', 'delete from sealed_anew');
const dropOthersStatement = sql('root_secret_drop_others', 'delete from root_secrets where id <> $1');

/** Nobody else announces a secret until the transaction ends. */
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

/** Takes a secret into use once all that serve were started with it. */
export async function useRoot(queryable: Queryable, id: string): Promise<boolean> {
  return (await queryable.query(useStatement, [id])).length > 0;
}

export async function allSealWith(queryable: Queryable, id: string): Promise<boolean> {
  const [row] = await queryable.query<{ isSo: boolean }>(allSealStatement, [id]);
  return row?.isSo === true;
}

export type Holder = Readonly<{ id: string; startedAt: Date; startedWith: string | null; sealsWith: string | null }>;

export const listHolders = (queryable: Queryable): Promise<Holder[]> => queryable.query<Holder>(holdersStatement);

/** Runs when no other process does; null where one does. */
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

/** Counts are added to what was counted before. */
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
  const given = (first: number): string =>
    Object.values(key)
      .map((keyType, index) => `$${index + first}::text::${keyType}`)
      .join(', ');
  const statement = (what: string, text: string): Statement => sql(`seal_anew_${what}_${table}_${column}`, text);
  const select = `select ${own}${further}, ${value} as "sealed value" from ${table} where ${column} is not null`;
  const places = names.map((each) => `${table}.${each}`);
  const tail = `order by ${places.join(', ')} limit $1 for update`;
  const first = statement('first', `${select} ${tail}`);
  const next = statement('next', `${select} and (${places.join(', ')}) > (${given(2)}) ${tail}`);
  const last = statement('last', `${select} order by ${places.map((each) => `${each} desc`).join(', ')} limit $1`);
  const update = statement(
    'write',
    `update ${table} set ${column} = $1${type === 'json' ? '::json' : ''} where (${names.join(', ')}) = (${given(2)})`,
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
