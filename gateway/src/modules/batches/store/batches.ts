// The statements on batches. Every one that answers a caller names the owner and the form in which the caller asks: a
// batch that was made in one form is unknown in another.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import type { Owner } from './files.ts';

type BatchStatus =
  | 'validating'
  | 'in_progress'
  /** As `in_progress`, for forms without a file. */
  | 'running'
  | 'cancelling'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired';

/** How a batch is made and shown. */
export type BatchForm = 'file' | 'messages' | 'job';

export type BatchRow = Readonly<{
  id: string;
  form: BatchForm;
  accountId: string;
  userId: string;
  keyId: string;
  endpoint: string;
  inputFileId: string;
  status: BatchStatus;
  metadata: Readonly<Record<string, string>> | null;
  errors: readonly BatchProblem[] | null;
  lineCount: number;
  outputFileId: string | null;
  errorFileId: string | null;
  createdAt: Date;
  begunAt: Date | null;
  cancellingAt: Date | null;
  endedAt: Date | null;
  expiresAt: Date;
  /** Counted from the end of the batch; null: as long as all files. */
  resultsKeptSeconds: number | null;
  /** Of a batch that is over, whose lines may be gone. */
  counts: BatchCounts | null;
}>;

export type BatchCounts = Readonly<{
  succeeded: number;
  failed: number;
  /** What its lines have used; null where no answer told. */
  tokens: LineTokens;
}>;

export type BatchProblem = Readonly<{ code: string; message: string; line: number | null }>;

export type LineState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'left';

const COLUMNS = `id, form, account_id AS "accountId", user_id AS "userId", key_id AS "keyId", endpoint,
  input_file_id AS "inputFileId", status, metadata, errors, line_count AS "lineCount",
  output_file_id AS "outputFileId", error_file_id AS "errorFileId", created_at AS "createdAt", begun_at AS "begunAt",
  cancelling_at AS "cancellingAt", ended_at AS "endedAt", expires_at AS "expiresAt",
  results_kept_seconds AS "resultsKeptSeconds", counts`;

const insertStatement = sql(
  'batches_insert_from',
  `INSERT INTO batches
     (id, account_id, user_id, key_id, endpoint, input_file_id, status, metadata, created_at, expires_at, due_at, form,
      line_count, begun_at, results_kept_seconds, network)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $14, $11, $12, $13, $15, $16)
   ON CONFLICT (id) DO NOTHING`,
);
const findStatement = sql(
  'batches_find',
  `SELECT ${COLUMNS} FROM batches WHERE id = $1 AND account_id = $2 AND user_id = $3 AND form = $4`,
);
const listStatement = sql(
  'batches_list_forms',
  `SELECT ${COLUMNS} FROM batches
   WHERE account_id = $1 AND user_id = $2 AND form = ANY ($5::text[])
     AND ($3::text IS NULL OR (created_at, id) < (SELECT b.created_at, b.id FROM batches b WHERE b.id = $3 AND b.account_id = $1))
   ORDER BY created_at DESC, id DESC LIMIT $4`,
);
const listBackStatement = sql(
  'batches_list_forms_back',
  `SELECT ${COLUMNS} FROM batches
   WHERE account_id = $1 AND user_id = $2 AND form = ANY ($5::text[])
     AND (created_at, id) > (SELECT b.created_at, b.id FROM batches b WHERE b.id = $3 AND b.account_id = $1)
   ORDER BY created_at, id LIMIT $4`,
);
const countsStatement = sql(
  'batches_counts',
  `SELECT batch_id AS "batchId", state, count(*)::integer AS "lines", sum(answer_bytes + 1)::bigint AS "bytes",
     sum(input_tokens)::bigint AS "input", sum(cached_tokens)::bigint AS "cached",
     sum(output_tokens)::bigint AS "output", sum(reasoning_tokens)::bigint AS "reasoning"
   FROM batch_lines
   WHERE batch_id = ANY ($1::text[])
   GROUP BY batch_id, state`,
);
const openStatement = sql(
  'batches_open_of',
  'SELECT count(*)::integer AS "batches" FROM batches WHERE account_id = $1 AND ended_at IS NULL AND form <> $2',
);
const madeStatement = sql(
  'batches_made_since',
  'SELECT count(*)::integer AS "batches" FROM batches WHERE account_id = $1 AND created_at > $3 AND form <> $2',
);
const claimBatchesStatement = sql(
  'batches_claim',
  `${leaseRows({
    table: 'batches',
    key: 'id',
    set: 'due_at = $2',
    due: "ended_at IS NULL AND status <> 'validating' AND due_at <= $1",
    order: 'due_at',
  })} RETURNING ${COLUMNS}`,
);
/** First the oldest of each account, those that are being read included, then the second of each. */
const claimUnreadStatement = sql(
  'batches_claim_unread',
  `${leaseRows({
    table: 'batches',
    key: 'id',
    set: 'due_at = $2',
    due: "ended_at IS NULL AND status = 'validating' AND due_at <= $1",
    order: `(SELECT count(*) FROM batches e
       WHERE e.account_id = batches.account_id AND e.ended_at IS NULL AND e.status = 'validating'
         AND (e.created_at, e.id) < (batches.created_at, batches.id)), created_at`,
    limit: '1',
  })} RETURNING ${COLUMNS}`,
);
const unreadStatement = sql('batches_is_unread', `SELECT 1 FROM batches WHERE id = $1 AND status = 'validating'`);
const beginStatement = sql(
  'batches_begin',
  `UPDATE batches SET status = 'in_progress', begun_at = $2, line_count = $3, due_at = $2
   WHERE id = $1 AND status = 'validating'
   RETURNING id`,
);
const cancelStatement = sql(
  'batches_cancel',
  `UPDATE batches SET status = 'cancelling', cancelling_at = $4, due_at = $4
   WHERE id = $1 AND account_id = $2 AND user_id = $3 AND form = $5 AND status IN ('validating', 'in_progress', 'running')
   RETURNING id`,
);
const endStatement = sql(
  'batches_end',
  `UPDATE batches
   SET status = $2, ended_at = $3, errors = $4, output_file_id = $5, error_file_id = $6, counts = $7, network = NULL
   WHERE id = $1 AND ended_at IS NULL
   RETURNING id`,
);
const removeStatement = sql(
  'batches_remove',
  `DELETE FROM batches
   WHERE id = $1 AND account_id = $2 AND user_id = $3 AND form = $4 AND ended_at IS NOT NULL
   RETURNING id`,
);
const accountsStatement = sql(
  'batches_accounts',
  `SELECT DISTINCT account_id AS "accountId" FROM batches
   WHERE ended_at IS NULL AND account_id > $1
   ORDER BY account_id LIMIT $2`,
);
const sweepStatement = sql(
  'batches_sweep',
  `WITH old AS (
     (SELECT id FROM batches WHERE created_at <= $1 AND ended_at IS NOT NULL ORDER BY created_at LIMIT $2)
     UNION ALL (SELECT id FROM batches WHERE form = 'job' AND ended_at <= $3 ORDER BY ended_at LIMIT $4)
   )
   DELETE FROM batches b USING old
   WHERE b.id = old.id
   RETURNING b.id`,
);

export type NewBatch = Omit<
  BatchRow,
  'errors' | 'outputFileId' | 'errorFileId' | 'cancellingAt' | 'endedAt' | 'counts'
> &
  Readonly<{
    /** When somebody should look at it. */
    dueAt: Date;
    /** The network that it is ordered from; forgotten when it ends. */
    network: string;
  }>;

export async function insertBatch(queryable: Queryable, row: NewBatch): Promise<void> {
  const { id, accountId, userId, keyId, endpoint, inputFileId, status, metadata, createdAt, expiresAt } = row;
  const metadataText = metadata === null ? null : JSON.stringify(metadata);
  await queryable.query(insertStatement, [
    ...[id, accountId, userId, keyId, endpoint, inputFileId, status, metadataText, createdAt, expiresAt],
    ...[row.form, row.lineCount, row.begunAt, row.dueAt, row.resultsKeptSeconds, row.network],
  ]);
}

/** A batch as somebody asks for it. */
export type BatchKey = Owner & Readonly<{ id: string; form: BatchForm }>;

export const findBatch = (queryable: Queryable, { id, accountId, userId, form }: BatchKey): Promise<BatchRow | null> =>
  firstRow(queryable, findStatement, [id, accountId, userId, form]);

/** False where there is none that has ended. */
export const removeBatch = (queryable: Queryable, { id, accountId, userId, form }: BatchKey): Promise<boolean> =>
  hasRow(queryable, removeStatement, [id, accountId, userId, form]);

export type BatchSearch = Owner &
  Readonly<{
    form: BatchForm | readonly BatchForm[];
    after: string | null;
    limit: number;
    /** In place of `after`: those made later. */
    before?: string;
  }>;

/** Newest first. */
export async function listBatches(
  queryable: Queryable,
  { accountId, userId, form, after, before, limit }: BatchSearch,
): Promise<BatchRow[]> {
  if (before === undefined) {
    return queryable.query<BatchRow>(listStatement, [accountId, userId, after, limit, [form].flat()]);
  }
  const rows = await queryable.query<BatchRow>(listBackStatement, [accountId, userId, before, limit, [form].flat()]);
  return rows.reverse();
}

/** Accounts with a batch that is not over, in the order of their ids. */
export async function readOpenAccounts(queryable: Queryable, after: string, limit: number): Promise<readonly string[]> {
  const rows = await queryable.query<{ accountId: string }>(accountsStatement, [after, limit]);
  return rows.map(({ accountId }) => accountId);
}

/** What a line has used, as its answer says; null where it says nothing. */
export type LineTokens = Readonly<{ input: number; cached: number; output: number; reasoning: number }> | null;

export type LineCount = Readonly<{
  batchId: string;
  state: LineState;
  lines: number;
  bytes: bigint;
  /** Tokens; null where no answer told of any. */
  input: bigint | null;
  cached: bigint | null;
  output: bigint | null;
  reasoning: bigint | null;
}>;

export function countsOf(lines: readonly LineCount[]): BatchCounts {
  const ofState = (wanted: LineState): number => lines.find(({ state }) => state === wanted)?.lines ?? 0;
  const sum = (name: 'input' | 'cached' | 'output' | 'reasoning'): number =>
    Number(lines.reduce((total, each) => total + (each[name] ?? 0n), 0n));
  const areTold = lines.some(({ input }) => input !== null);
  const tokens = { input: sum('input'), cached: sum('cached'), output: sum('output'), reasoning: sum('reasoning') };
  return { succeeded: ofState('succeeded'), failed: ofState('failed'), tokens: areTold ? tokens : null };
}

export function countLines(queryable: Queryable, batchIds: readonly string[]): Promise<LineCount[]> {
  return queryable.query<LineCount>(countsStatement, [batchIds]);
}

export async function countOpen(queryable: Queryable, accountId: string): Promise<number> {
  const rows = await queryable.query<{ batches: number }>(openStatement, [accountId, JOB]);
  return rows[0]?.batches ?? 0;
}

export async function countMade(queryable: Queryable, accountId: string, since: Date): Promise<number> {
  const rows = await queryable.query<{ batches: number }>(madeStatement, [accountId, JOB, since]);
  return rows[0]?.batches ?? 0;
}

const JOB: BatchForm = 'job';

type BatchClaim = Readonly<{ now: Date; againAt: Date; limit: number }>;

/** Of those that have been read. */
export function claimBatches(queryable: Queryable, { now, againAt, limit }: BatchClaim): Promise<BatchRow[]> {
  return queryable.query<BatchRow>(claimBatchesStatement, [now, againAt, limit]);
}

/** One that has not been read; null where there is none. */
export const claimUnread = (queryable: Queryable, now: Date, readUntil: Date): Promise<BatchRow | null> =>
  firstRow(queryable, claimUnreadStatement, [now, readUntil]);

/** False where it is cancelled or over. */
export const isUnread = (queryable: Queryable, id: string): Promise<boolean> =>
  hasRow(queryable, unreadStatement, [id]);

/** False where it is cancelled or over. */
export const beginBatch = (queryable: Queryable, id: string, now: Date, lineCount: number): Promise<boolean> =>
  hasRow(queryable, beginStatement, [id, now, lineCount]);

export const cancelBatch = (
  queryable: Queryable,
  { id, accountId, userId, form }: BatchKey,
  now: Date,
): Promise<boolean> => hasRow(queryable, cancelStatement, [id, accountId, userId, now, form]);

type BatchEnd = Pick<BatchRow, 'id' | 'status' | 'errors' | 'outputFileId' | 'errorFileId' | 'counts'> &
  Readonly<{ endedAt: Date }>;

export async function endBatch(queryable: Queryable, end: BatchEnd): Promise<boolean> {
  const { id, status, endedAt, errors, outputFileId, errorFileId, counts } = end;
  const jsonOf = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));
  const values = [id, status, endedAt, jsonOf(errors), outputFileId, errorFileId, jsonOf(counts)];
  return hasRow(queryable, endStatement, values);
}

type Swept = Readonly<{ madeBefore: Date; jobsEndedBefore: Date; batches: number; jobs: number }>;

/** Removes batches that were made, and jobs that ended, before these moments, so many of each at most. */
export async function sweepBatches(
  queryable: Queryable,
  { madeBefore, jobsEndedBefore, batches, jobs }: Swept,
): Promise<number> {
  return (await queryable.query(sweepStatement, [madeBefore, batches, jobsEndedBefore, jobs])).length;
}
