// The statements on batches and their lines. Claiming a line moves its next turn into the future, so that a process that
// dies needs no tidying up; who is still at it moves it on.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { Owner } from './files.ts';

export type BatchStatus =
  | 'validating'
  | 'in_progress'
  | 'cancelling'
  | 'completed'
  | 'failed'
  | 'cancelled'
  | 'expired';

export type BatchRow = Readonly<{
  id: string;
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
}>;

export type BatchProblem = Readonly<{ code: string; message: string; line: number | null }>;

export type LineState = 'waiting' | 'running' | 'succeeded' | 'failed' | 'left';

const COLUMNS = `id, account_id as "accountId", user_id as "userId", key_id as "keyId", endpoint,
  input_file_id as "inputFileId", status, metadata, errors, line_count as "lineCount",
  output_file_id as "outputFileId", error_file_id as "errorFileId", created_at as "createdAt", begun_at as "begunAt",
  cancelling_at as "cancellingAt", ended_at as "endedAt", expires_at as "expiresAt"`;

const insertStatement = sql(
  'batches_insert',
  `insert into batches
     (id, account_id, user_id, key_id, endpoint, input_file_id, status, metadata, created_at, expires_at, due_at)
   values ($1, $2, $3, $4, $5, $6, 'validating', $7, $8, $9, $8)`,
);
const findStatement = sql(
  'batches_find',
  `select ${COLUMNS} from batches where id = $1 and account_id = $2 and user_id = $3`,
);
const listStatement = sql(
  'batches_list',
  `select ${COLUMNS} from batches
   where account_id = $1 and user_id = $2
     and ($3::text is null or (created_at, id) < (select b.created_at, b.id from batches b where b.id = $3 and b.account_id = $1))
   order by created_at desc, id desc limit $4`,
);
const countsStatement = sql(
  'batches_counts',
  `select batch_id as "batchId", state, count(*)::integer as "lines", sum(answer_bytes + 1)::bigint as "bytes"
   from batch_lines where batch_id = any ($1::text[]) group by batch_id, state`,
);
const openStatement = sql(
  'batches_open_of',
  'select count(*)::integer as "batches" from batches where account_id = $1 and ended_at is null',
);
const claimBatchesStatement = sql(
  'batches_claim',
  `update batches set due_at = case when status = 'validating' then $2::timestamptz else $4::timestamptz end
   where id in (select id from batches where ended_at is null and due_at <= $1 order by due_at limit $3
                for update skip locked)
   returning ${COLUMNS}`,
);
const beginStatement = sql(
  'batches_begin',
  `update batches set status = 'in_progress', begun_at = $2, line_count = $3, due_at = $2
   where id = $1 and status = 'validating'`,
);
const cancelStatement = sql(
  'batches_cancel',
  `update batches set status = 'cancelling', cancelling_at = $4, due_at = $4
   where id = $1 and account_id = $2 and user_id = $3 and status in ('validating', 'in_progress') returning id`,
);
const endStatement = sql(
  'batches_end',
  `update batches set status = $2, ended_at = $3, errors = $4, output_file_id = $5, error_file_id = $6
   where id = $1 and ended_at is null returning id`,
);
const sweepStatement = sql(
  'batches_sweep',
  `with old as (select id from batches where created_at <= $1 and ended_at is not null order by created_at limit $2)
   delete from batches b using old where b.id = old.id returning b.id`,
);

const openLinesStatement = sql(
  'batch_lines_open',
  `select 1 from batch_lines where batch_id = $1 and state in ('waiting', 'running') limit 1`,
);
const addLinesStatement = sql(
  'batch_lines_add',
  `insert into batch_lines (batch_id, line_no, custom_id, request, due_at)
   select $1::text, t.line_no, t.custom_id, t.request, $5::timestamptz
   from unnest($2::integer[], $3::text[], $4::bytea[]) as t (line_no, custom_id, request)
   on conflict (batch_id, line_no) do nothing`,
);
const claimLinesStatement = sql(
  'batch_lines_claim',
  `with due as materialized (
     select l.batch_id, l.line_no, b.account_id, b.key_id, b.endpoint
     from batches b cross join lateral (
       select o.batch_id, o.line_no from batch_lines o
       where o.batch_id = b.id and o.state in ('waiting', 'running') and o.due_at <= $1
       order by o.due_at, o.line_no limit $3 for update skip locked
     ) l
     where b.status = 'in_progress' order by random() limit $4
   )
   update batch_lines l set state = 'running', due_at = $2, attempts = l.attempts + 1
   from due where l.batch_id = due.batch_id and l.line_no = due.line_no
   returning l.batch_id as "batchId", l.line_no as "lineNo", l.custom_id as "customId", l.request,
     l.generation_id as "generationId", l.called_at as "calledAt", l.attempts, due.key_id as "keyId", due.endpoint`,
);
const nameStatement = sql(
  'batch_lines_name',
  `update batch_lines l set generation_id = t.id, called_at = $4
   from unnest($1::text[], $2::integer[], $3::text[]) as t (batch_id, line_no, id)
   where l.batch_id = t.batch_id and l.line_no = t.line_no and l.state = 'running' and l.generation_id is null`,
);
const beatStatement = sql(
  'batch_lines_beat',
  `update batch_lines l set due_at = $3 from unnest($1::text[], $2::integer[]) as t (batch_id, line_no)
   where l.batch_id = t.batch_id and l.line_no = t.line_no and l.state = 'running'`,
);
const answerStatement = sql(
  'batch_lines_answer',
  `update batch_lines set state = $3, answer = $4, answer_bytes = $5, request = ''
   where batch_id = $1 and line_no = $2 and state = 'running'`,
);
const postponeStatement = sql(
  'batch_lines_postpone',
  `update batch_lines set state = 'waiting', due_at = $3, generation_id = null, called_at = null
   where batch_id = $1 and line_no = $2 and state = 'running'`,
);
const leaveStatement = sql(
  'batch_lines_leave',
  `update batch_lines set state = 'left', request = '' where batch_id = $1 and state = 'waiting'`,
);
const answersStatement = sql(
  'batch_lines_answers',
  `select line_no as "lineNo", answer from batch_lines
   where batch_id = $1 and line_no > $3 and state = $2 order by line_no limit $4`,
);

export type NewBatch = Pick<
  BatchRow,
  'id' | 'accountId' | 'userId' | 'keyId' | 'endpoint' | 'inputFileId' | 'metadata' | 'createdAt' | 'expiresAt'
>;

export async function insertBatch(queryable: Queryable, row: NewBatch): Promise<void> {
  const { id, accountId, userId, keyId, endpoint, inputFileId, metadata, createdAt, expiresAt } = row;
  const metadataText = metadata === null ? null : JSON.stringify(metadata);
  await queryable.query(insertStatement, [
    ...[id, accountId, userId, keyId, endpoint, inputFileId, metadataText, createdAt, expiresAt],
  ]);
}

export async function findBatch(queryable: Queryable, id: string, owner: Owner): Promise<BatchRow | null> {
  return (await queryable.query<BatchRow>(findStatement, [id, owner.accountId, owner.userId]))[0] ?? null;
}

export type BatchSearch = Owner & Readonly<{ after: string | null; limit: number }>;

export function listBatches(
  queryable: Queryable,
  { accountId, userId, after, limit }: BatchSearch,
): Promise<BatchRow[]> {
  return queryable.query<BatchRow>(listStatement, [accountId, userId, after, limit]);
}

export type LineCount = Readonly<{ batchId: string; state: LineState; lines: number; bytes: bigint }>;

export function countLines(queryable: Queryable, batchIds: readonly string[]): Promise<LineCount[]> {
  return queryable.query<LineCount>(countsStatement, [batchIds]);
}

export async function countOpen(queryable: Queryable, accountId: string): Promise<number> {
  return (await queryable.query<{ batches: number }>(openStatement, [accountId]))[0]?.batches ?? 0;
}

export type BatchClaim = Readonly<{ now: Date; readUntil: Date; againAt: Date; limit: number }>;

export function claimBatches(
  queryable: Queryable,
  { now, readUntil, againAt, limit }: BatchClaim,
): Promise<BatchRow[]> {
  return queryable.query<BatchRow>(claimBatchesStatement, [now, readUntil, limit, againAt]);
}

export async function hasOpenLines(queryable: Queryable, batchId: string): Promise<boolean> {
  return (await queryable.query(openLinesStatement, [batchId])).length > 0;
}

export async function beginBatch(queryable: Queryable, id: string, now: Date, lineCount: number): Promise<void> {
  await queryable.query(beginStatement, [id, now, lineCount]);
}

export async function cancelBatch(queryable: Queryable, id: string, owner: Owner, now: Date): Promise<boolean> {
  return (await queryable.query(cancelStatement, [id, owner.accountId, owner.userId, now])).length === 1;
}

export type BatchEnd = Pick<BatchRow, 'id' | 'status' | 'errors' | 'outputFileId' | 'errorFileId'> &
  Readonly<{ endedAt: Date }>;

export async function endBatch(queryable: Queryable, end: BatchEnd): Promise<boolean> {
  const { id, status, endedAt, errors, outputFileId, errorFileId } = end;
  const errorsText = errors === null ? null : JSON.stringify(errors);
  const values = [id, status, endedAt, errorsText, outputFileId, errorFileId];
  return (await queryable.query(endStatement, values)).length === 1;
}

export async function sweepBatches(queryable: Queryable, before: Date, limit: number): Promise<number> {
  return (await queryable.query(sweepStatement, [before, limit])).length;
}

export type NewLine = Readonly<{ lineNo: number; customId: string; request: Buffer }>;

export async function addLines(
  queryable: Queryable,
  batchId: string,
  lines: readonly NewLine[],
  now: Date,
): Promise<void> {
  const columns = [
    lines.map((line) => line.lineNo),
    lines.map((line) => line.customId),
    lines.map((line) => line.request),
  ];
  await queryable.query(addLinesStatement, [batchId, ...columns, now]);
}

export type LineRow = Readonly<{
  batchId: string;
  lineNo: number;
  customId: string;
  request: Buffer;
  generationId: string | null;
  calledAt: Date | null;
  attempts: number;
  keyId: string;
  endpoint: string;
}>;

export type LineClaim = Readonly<{ now: Date; until: Date; perBatchMax: number; linesMax: number }>;

export function claimLines(queryable: Queryable, { now, until, perBatchMax, linesMax }: LineClaim): Promise<LineRow[]> {
  return queryable.query<LineRow>(claimLinesStatement, [now, until, perBatchMax, linesMax]);
}

type LineKey = Readonly<{ batchId: string; lineNo: number }>;

const keysOf = (lines: readonly LineKey[]) => [lines.map(({ batchId }) => batchId), lines.map(({ lineNo }) => lineNo)];

export async function nameLines(
  queryable: Queryable,
  lines: readonly LineRow[],
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await queryable.query(nameStatement, [...keysOf(lines), ids, now]);
}

export async function beatLines(queryable: Queryable, lines: readonly LineKey[], until: Date): Promise<void> {
  await queryable.query(beatStatement, [...keysOf(lines), until]);
}

export type LineAnswer = LineKey & Readonly<{ state: LineState; answer: Buffer; bytes: number }>;

export async function answerLine(
  queryable: Queryable,
  { batchId, lineNo, state, answer, bytes }: LineAnswer,
): Promise<void> {
  await queryable.query(answerStatement, [batchId, lineNo, state, answer, bytes]);
}

export async function postponeLine(queryable: Queryable, { batchId, lineNo }: LineKey, until: Date): Promise<void> {
  await queryable.query(postponeStatement, [batchId, lineNo, until]);
}

export async function leaveLines(queryable: Queryable, batchId: string): Promise<void> {
  await queryable.query(leaveStatement, [batchId]);
}

export function readAnswers(
  queryable: Queryable,
  batchId: string,
  state: LineState,
  page: Readonly<{ afterLine: number; limit: number }>,
): Promise<Readonly<{ lineNo: number; answer: Buffer }>[]> {
  return queryable.query(answersStatement, [batchId, state, page.afterLine, page.limit]);
}
