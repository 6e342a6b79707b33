// The statements on files. Every one carries the owner, who is a person in an account.

import { type Queryable, sql } from '../../../platform/db/database.ts';

export type Owner = Readonly<{ accountId: string; userId: string }>;

export type FileRow = Readonly<{
  id: string;
  accountId: string;
  userId: string;
  purpose: string;
  fileName: string;
  bytes: bigint;
  batchId: string | null;
  createdAt: Date;
  expiresAt: Date;
}>;

const COLUMNS = `id, account_id as "accountId", user_id as "userId", purpose, file_name as "fileName", bytes,
  batch_id as "batchId", created_at as "createdAt", expires_at as "expiresAt"`;

const insertStatement = sql(
  'files_insert',
  `insert into files (id, account_id, user_id, purpose, file_name, bytes, batch_id, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (id) do nothing`,
);
const insertPartStatement = sql(
  'files_insert_part',
  'insert into file_parts (file_id, part_no, content) values ($1, $2, $3)',
);
const findStatement = sql(
  'files_find',
  `select ${COLUMNS} from files where id = $1 and account_id = $2 and user_id = $3 and expires_at > $4`,
);
const listStatement = sql(
  'files_list',
  `select ${COLUMNS} from files
   where account_id = $1 and user_id = $2 and ($3::text is null or purpose = $3) and expires_at > $6
     and ($4::text is null or (created_at, id) < (select f.created_at, f.id from files f where f.id = $4 and f.account_id = $1))
   order by created_at desc, id desc limit $5`,
);
const listOldestStatement = sql(
  'files_list_oldest',
  `select ${COLUMNS} from files
   where account_id = $1 and user_id = $2 and ($3::text is null or purpose = $3) and expires_at > $6
     and ($4::text is null or (created_at, id) > (select f.created_at, f.id from files f where f.id = $4 and f.account_id = $1))
   order by created_at, id limit $5`,
);
/** Results are the answers of lines, which go with the file that shows them. */
const CLEARED = `cleared as (
     update batch_lines l set answer = null from gone g
     where l.batch_id = g.batch_id and l.state = case when g.file_name like '%\\_errors.jsonl' then 'failed' else 'succeeded' end
   )`;
const removeStatement = sql(
  'files_remove',
  `with gone as (
     delete from files where id = $1 and account_id = $2 and user_id = $3 returning id, batch_id, file_name
   ), ${CLEARED}
   select id from gone`,
);
const partStatement = sql('files_part', 'select content from file_parts where file_id = $1 and part_no = $2');
const keptStatement = sql(
  'files_kept',
  `select count(*) as "files", coalesce(sum(bytes) filter (where batch_id is null), 0)::bigint as "bytes"
   from files where account_id = $1`,
);
const sweepStatement = sql(
  'files_sweep',
  `with old as (select id from files where expires_at <= $1 order by expires_at limit $2),
   gone as (delete from files f using old where f.id = old.id returning f.id, f.batch_id, f.file_name),
   ${CLEARED}
   select id from gone`,
);

export async function insertFile(queryable: Queryable, row: FileRow): Promise<void> {
  const { id, accountId, userId, purpose, fileName, bytes, batchId, createdAt, expiresAt } = row;
  await queryable.query(insertStatement, [
    ...[id, accountId, userId, purpose, fileName, bytes, batchId, createdAt, expiresAt],
  ]);
}

export async function insertPart(queryable: Queryable, fileId: string, partNo: number, content: Buffer): Promise<void> {
  await queryable.query(insertPartStatement, [fileId, partNo, content]);
}

/** What has expired is gone, whether it was swept yet or not. */
export async function findFile(queryable: Queryable, id: string, owner: Owner, now: Date): Promise<FileRow | null> {
  return (await queryable.query<FileRow>(findStatement, [id, owner.accountId, owner.userId, now]))[0] ?? null;
}

export type FileSearch = Owner &
  Readonly<{ purpose: string | null; after: string | null; limit: number; isOldestFirst?: boolean }>;

export function listFiles(
  queryable: Queryable,
  { accountId, userId, purpose, after, limit, isOldestFirst = false }: FileSearch,
  now: Date,
): Promise<FileRow[]> {
  const statement = isOldestFirst ? listOldestStatement : listStatement;
  return queryable.query<FileRow>(statement, [accountId, userId, purpose, after, limit, now]);
}

export async function removeFile(queryable: Queryable, id: string, owner: Owner): Promise<boolean> {
  return (await queryable.query(removeStatement, [id, owner.accountId, owner.userId])).length === 1;
}

export async function readPart(queryable: Queryable, fileId: string, partNo: number): Promise<Buffer | null> {
  return (await queryable.query<{ content: Buffer }>(partStatement, [fileId, partNo]))[0]?.content ?? null;
}

export async function readKept(
  queryable: Queryable,
  accountId: string,
): Promise<Readonly<{ files: bigint; bytes: bigint }>> {
  const [row] = await queryable.query<{ files: bigint; bytes: bigint }>(keptStatement, [accountId]);
  return row ?? { files: 0n, bytes: 0n };
}

export async function sweepFiles(queryable: Queryable, now: Date, limit: number): Promise<number> {
  return (await queryable.query(sweepStatement, [now, limit])).length;
}
