// The statements on the lines of batches. Claiming a line moves its next turn into the future, so nothing has to be
// cleared when a process dies; a process that is still running the line moves the turn on.

import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { BatchForm, LineState, LineTokens } from './batches.ts';

const openLinesStatement = sql(
  'batch_lines_open',
  `SELECT 1 FROM batch_lines WHERE batch_id = $1 AND state IN ('waiting', 'running') LIMIT 1`,
);
const addLinesStatement = sql(
  'batch_lines_add',
  `INSERT INTO batch_lines (batch_id, line_no, custom_id, request, due_at)
   SELECT $1::text, t.line_no, t.custom_id, t.request, $5::timestamptz
   FROM unnest($2::integer[], $3::text[], $4::bytea[]) AS t (line_no, custom_id, request)
   ON CONFLICT (batch_id, line_no) DO NOTHING`,
);
/**
 * Accounts take turns: first one line of each, in the order given, then a second. So do the batches of an account. More
 * lines are looked at than taken, because other processes claim the same ones. A line that a dead process ran, and one
 * that has been charged, is taken up even where its batch is being cancelled.
 */
const claimLinesStatement = sql(
  'batch_lines_claim_from',
  `WITH seen AS MATERIALIZED (
     SELECT l.batch_id, l.line_no, b.account_id, b.key_id, b.network, b.endpoint, b.form, b.expires_at, a.place, a.room,
       row_number() OVER (PARTITION BY b.account_id ORDER BY l.rank, b.created_at, b.id) AS turn
     FROM unnest($3::text[], $4::integer[]) WITH ordinality AS a (account_id, room, place)
     JOIN batches b ON b.account_id = a.account_id AND b.ended_at IS NULL
     CROSS JOIN LATERAL (
       SELECT o.batch_id, o.line_no, row_number() OVER (ORDER BY o.due_at, o.line_no) AS rank FROM (
         SELECT n.batch_id, n.line_no, n.due_at FROM batch_lines n
         WHERE n.batch_id = b.id AND n.state IN ('waiting', 'running') AND n.due_at <= $1
           AND (b.status IN ('in_progress', 'running')
             OR (b.status = 'cancelling' AND (n.state = 'running' OR n.generation_id IS NOT NULL)))
         ORDER BY n.due_at, n.line_no LIMIT $6
       ) o
     ) l
   ), chosen AS MATERIALIZED (
     SELECT * FROM seen WHERE turn <= room ORDER BY turn, place LIMIT $6
   ), taken AS MATERIALIZED (
     SELECT c.* FROM chosen c JOIN batch_lines o ON o.batch_id = c.batch_id AND o.line_no = c.line_no
     WHERE o.state IN ('waiting', 'running') AND o.due_at <= $1
     ORDER BY c.turn, c.place LIMIT $5 FOR UPDATE OF o SKIP LOCKED
   )
   UPDATE batch_lines l SET state = 'running', due_at = $2, attempts = l.attempts + 1
   FROM taken t
   WHERE l.batch_id = t.batch_id AND l.line_no = t.line_no
   RETURNING l.batch_id AS "batchId", l.line_no AS "lineNo", l.custom_id AS "customId", l.request,
     l.generation_id AS "generationId", l.called_at AS "calledAt", l.attempts, t.account_id AS "accountId",
     t.key_id AS "keyId", t.network, t.endpoint, t.form, t.expires_at AS "expiresAt"`,
);
const nameStatement = sql(
  'batch_lines_name',
  `UPDATE batch_lines l SET generation_id = t.id, called_at = $4
   FROM unnest($1::text[], $2::integer[], $3::text[]) AS t (batch_id, line_no, id)
   WHERE l.batch_id = t.batch_id AND l.line_no = t.line_no AND l.state = 'running' AND l.generation_id IS NULL
   RETURNING l.generation_id AS "generationId"`,
);
/** A line that was handed over meanwhile has a much later turn, which stays. */
const beatStatement = sql(
  'batch_lines_beat_on',
  `UPDATE batch_lines l SET due_at = greatest(l.due_at, $3) FROM unnest($1::text[], $2::integer[]) AS t (batch_id, line_no)
   WHERE l.batch_id = t.batch_id AND l.line_no = t.line_no AND l.state = 'running'`,
);
/**
 * Only for the call that the line is now. A failure counts only from the process that claimed it last: another may have
 * taken the line up since, and charge it.
 */
const answerStatement = sql(
  'batch_lines_answer',
  `UPDATE batch_lines SET state = $3, answer = $4, answer_bytes = $5, request = '', input_tokens = $6, cached_tokens = $7,
     output_tokens = $8, reasoning_tokens = $9
   WHERE batch_id = $1 AND line_no = $2 AND state = 'running' AND generation_id = $10
     AND ($3 = 'succeeded' OR attempts = $11)
   RETURNING line_no`,
);
/** Only by the process that claimed it last. */
const postponeStatement = sql(
  'batch_lines_postpone',
  `UPDATE batch_lines SET state = 'waiting', due_at = $3,
     generation_id = CASE WHEN $4::boolean THEN generation_id END, called_at = CASE WHEN $4::boolean THEN called_at END
   WHERE batch_id = $1 AND line_no = $2 AND state = 'running' AND generation_id = $5 AND attempts = $6`,
);
/** A line that waits with a generation has been charged, so it is run until it has its answer. */
const leaveStatement = sql(
  'batch_lines_leave',
  `UPDATE batch_lines SET state = 'left', request = ''
   WHERE batch_id = $1 AND state = 'waiting' AND generation_id IS NULL`,
);
/** Of a batch that never began: nobody is shown these lines. */
const dropStatement = sql(
  'batch_lines_drop',
  `DELETE FROM batch_lines WHERE batch_id = $1 AND state = 'waiting' AND generation_id IS NULL`,
);
/** No more than fit into so many bytes, but one in any case: an answer may be large. */
const answersStatement = sql(
  'batch_lines_answers_page',
  `SELECT l.line_no AS "lineNo", l.custom_id AS "customId", l.answer
   FROM (
     SELECT line_no, sum(answer_bytes) OVER (ORDER BY line_no) - answer_bytes AS earlier_bytes
     FROM (
       SELECT line_no, answer_bytes FROM batch_lines
       WHERE batch_id = $1 AND line_no > $3 AND state = ANY ($2::text[])
       ORDER BY line_no LIMIT $4
     ) few
   ) p
   JOIN batch_lines l ON l.batch_id = $1 AND l.line_no = p.line_no
   WHERE p.earlier_bytes < $5
   ORDER BY l.line_no`,
);
const ANSWERS_BYTES_MAX = 8 * 1024 * 1024;

export const hasOpenLines = (queryable: Queryable, batchId: string): Promise<boolean> =>
  hasRow(queryable, openLinesStatement, [batchId]);

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
  accountId: string;
  keyId: string;
  /** The network that it was ordered from; null where that was not kept. */
  network: string | null;
  endpoint: string;
  form: BatchForm;
  expiresAt: Date;
}>;

type LineClaim = Readonly<{
  now: Date;
  until: Date;
  /** In the order of their turns. */
  accounts: readonly string[];
  /** How many lines each may have. */
  rooms: readonly number[];
  linesMax: number;
}>;

const SEEN_PER_TAKEN = 4;

export function claimLines(
  queryable: Queryable,
  { now, until, accounts, rooms, linesMax }: LineClaim,
): Promise<LineRow[]> {
  const values = [now, until, accounts, rooms, linesMax, linesMax * SEEN_PER_TAKEN];
  return queryable.query<LineRow>(claimLinesStatement, values);
}

type LineKey = Readonly<{ batchId: string; lineNo: number }>;

const keysOf = (lines: readonly LineKey[]) => [lines.map(({ batchId }) => batchId), lines.map(({ lineNo }) => lineNo)];

/** Answers the ids that were given; a line that another process has taken up and named meanwhile gets none. */
export async function nameLines(
  queryable: Queryable,
  lines: readonly LineRow[],
  ids: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  if (lines.length === 0) return new Set();
  const rows = await queryable.query<{ generationId: string }>(nameStatement, [...keysOf(lines), ids, now]);
  return new Set(rows.map(({ generationId }) => generationId));
}

export async function beatLines(queryable: Queryable, lines: readonly LineKey[], until: Date): Promise<void> {
  await queryable.query(beatStatement, [...keysOf(lines), until]);
}

/** The line as a process has claimed it. */
type ClaimedLine = LineKey & Readonly<{ generationId: string; attempts: number }>;

type LineAnswer = ClaimedLine & Readonly<{ state: LineState; answer: Buffer; bytes: number; tokens: LineTokens }>;

/** False where the line is another process's now, or over. */
export const answerLine = (
  queryable: Queryable,
  { batchId, lineNo, generationId, attempts, state, answer, bytes, tokens }: LineAnswer,
): Promise<boolean> =>
  hasRow(queryable, answerStatement, [
    ...[batchId, lineNo, state, answer, bytes],
    ...[tokens?.input ?? null, tokens?.cached ?? null, tokens?.output ?? null, tokens?.reasoning ?? null],
    ...[generationId, attempts],
  ]);

export async function postponeLine(
  queryable: Queryable,
  { batchId, lineNo, generationId, attempts }: ClaimedLine,
  until: Date,
  isCharged: boolean,
): Promise<void> {
  await queryable.query(postponeStatement, [batchId, lineNo, until, isCharged, generationId, attempts]);
}

export async function leaveLines(queryable: Queryable, batchId: string): Promise<void> {
  await queryable.query(leaveStatement, [batchId]);
}

export async function dropLines(queryable: Queryable, batchId: string): Promise<void> {
  await queryable.query(dropStatement, [batchId]);
}

/** Null where a line was cancelled before its turn. */
type AnswerRow = Readonly<{ lineNo: number; customId: string; answer: Buffer | null }>;

export function readAnswers(
  queryable: Queryable,
  batchId: string,
  states: readonly LineState[],
  page: Readonly<{ afterLine: number; limit: number }>,
): Promise<AnswerRow[]> {
  return queryable.query(answersStatement, [batchId, states, page.afterLine, page.limit, ANSWERS_BYTES_MAX]);
}
