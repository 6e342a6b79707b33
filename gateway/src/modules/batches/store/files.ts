// The statements on files. Every one carries the owner, who is a person in an account.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

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

const COLUMNS = `id, account_id AS "accountId", user_id AS "userId", purpose, file_name AS "fileName", bytes,
  batch_id AS "batchId", created_at AS "createdAt", expires_at AS "expiresAt"`;

const insertStatement = sql(
  'files_insert',
  `INSERT INTO files (id, account_id, user_id, purpose, file_name, bytes, batch_id, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   ON CONFLICT (id) DO NOTHING`,
);
const insertPartStatement = sql(
  'files_insert_part',
  'INSERT INTO file_parts (file_id, part_no, content) VALUES ($1, $2, $3)',
);
const findStatement = sql(
  'files_find',
  `SELECT ${COLUMNS} FROM files WHERE id = $1 AND account_id = $2 AND user_id = $3 AND expires_at > $4`,
);
const listStatement = sql(
  'files_list',
  `SELECT ${COLUMNS} FROM files
   WHERE account_id = $1 AND user_id = $2 AND ($3::text IS NULL OR purpose = $3) AND expires_at > $6
     AND ($4::text IS NULL OR (created_at, id) < (SELECT f.created_at, f.id FROM files f WHERE f.id = $4 AND f.account_id = $1))
   ORDER BY created_at DESC, id DESC LIMIT $5`,
);
const listOldestStatement = sql(
  'files_list_oldest',
  `SELECT ${COLUMNS} FROM files
   WHERE account_id = $1 AND user_id = $2 AND ($3::text IS NULL OR purpose = $3) AND expires_at > $6
     AND ($4::text IS NULL OR (created_at, id) > (SELECT f.created_at, f.id FROM files f WHERE f.id = $4 AND f.account_id = $1))
   ORDER BY created_at, id LIMIT $5`,
);
/** Results are the answers of lines, which are removed with the file that shows them. */
const CLEARED = `cleared AS (
     DELETE FROM batch_lines l USING gone g
     WHERE l.batch_id = g.batch_id AND l.state = CASE WHEN g.file_name LIKE '%\\_errors.jsonl' THEN 'failed' ELSE 'succeeded' END
   )`;
const removeStatement = sql(
  'files_remove',
  `WITH gone AS (
     DELETE FROM files WHERE id = $1 AND account_id = $2 AND user_id = $3 RETURNING id, batch_id, file_name
   ), ${CLEARED}
   SELECT id FROM gone`,
);
const partStatement = sql('files_part', 'SELECT content FROM file_parts WHERE file_id = $1 AND part_no = $2');
const keptStatement = sql(
  'files_kept',
  `SELECT count(*) AS "files", coalesce(sum(bytes) FILTER (WHERE batch_id IS NULL), 0)::bigint AS "bytes"
   FROM files
   WHERE account_id = $1`,
);
const LINE_BYTES = 200;
/** The results of file batches are files; those of others are lines alone, of which each takes room by itself. */
const keptResultsStatement = sql(
  'files_kept_results',
  `SELECT coalesce(sum(f.bytes), 0)::bigint + (
     SELECT coalesce(sum(l.answer_bytes + ${LINE_BYTES}), 0)::bigint
     FROM batches b JOIN batch_lines l ON l.batch_id = b.id
     WHERE b.account_id = $1 AND b.form = 'messages'
   ) AS "bytes"
   FROM files f
   WHERE f.account_id = $1 AND f.batch_id IS NOT NULL`,
);
const sweepStatement = sql(
  'files_sweep',
  `WITH old AS (SELECT id FROM files WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2),
   gone AS (DELETE FROM files f USING old WHERE f.id = old.id RETURNING f.id, f.batch_id, f.file_name),
   ${CLEARED}
   SELECT id FROM gone`,
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

/** An expired file is not found, whether or not it was swept yet. */
export const findFile = (queryable: Queryable, id: string, owner: Owner, now: Date): Promise<FileRow | null> =>
  firstRow(queryable, findStatement, [id, owner.accountId, owner.userId, now]);

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

export const removeFile = (queryable: Queryable, id: string, owner: Owner): Promise<boolean> =>
  hasRow(queryable, removeStatement, [id, owner.accountId, owner.userId]);

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

export async function readKeptResults(queryable: Queryable, accountId: string): Promise<bigint> {
  return (await queryable.query<{ bytes: bigint }>(keptResultsStatement, [accountId]))[0]?.bytes ?? 0n;
}
