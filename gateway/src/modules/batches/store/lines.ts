// The statements on the lines of batches. Claiming a line moves its next turn into the future, so that a process that dies
// needs no tidying up; who is still at it moves it on.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { BatchForm, LineState, LineTokens } from './batches.ts';

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
/**
 * Accounts take turns: first one line of each, in the order given, then a second. So do the batches of an account. More are
 * looked at than taken, because other processes are at the same ones. What a dead process ran is taken up also where its
 * batch is to be cancelled: it may have been charged.
 */
const claimLinesStatement = sql(
  'batch_lines_claim_turns',
  `with seen as materialized (
     select l.batch_id, l.line_no, b.account_id, b.key_id, b.endpoint, b.form, a.place, a.room,
       row_number() over (partition by b.account_id order by l.rank, b.created_at, b.id) as turn
     from unnest($3::text[], $4::integer[]) with ordinality as a (account_id, room, place)
     join batches b on b.account_id = a.account_id and b.ended_at is null
     cross join lateral (
       select o.batch_id, o.line_no, row_number() over (order by o.due_at, o.line_no) as rank from (
         select n.batch_id, n.line_no, n.due_at from batch_lines n
         where n.batch_id = b.id and n.state in ('waiting', 'running') and n.due_at <= $1
           and (b.status in ('in_progress', 'running') or (b.status = 'cancelling' and n.state = 'running'))
         order by n.due_at, n.line_no limit $6
       ) o
     ) l
   ), chosen as materialized (
     select * from seen where turn <= room order by turn, place limit $6
   ), taken as materialized (
     select c.* from chosen c join batch_lines o on o.batch_id = c.batch_id and o.line_no = c.line_no
     where o.state in ('waiting', 'running') and o.due_at <= $1
     order by c.turn, c.place limit $5 for update of o skip locked
   )
   update batch_lines l set state = 'running', due_at = $2, attempts = l.attempts + 1
   from taken t where l.batch_id = t.batch_id and l.line_no = t.line_no
   returning l.batch_id as "batchId", l.line_no as "lineNo", l.custom_id as "customId", l.request,
     l.generation_id as "generationId", l.called_at as "calledAt", l.attempts, t.account_id as "accountId",
     t.key_id as "keyId", t.endpoint, t.form`,
);
const nameStatement = sql(
  'batch_lines_name',
  `update batch_lines l set generation_id = t.id, called_at = $4
   from unnest($1::text[], $2::integer[], $3::text[]) as t (batch_id, line_no, id)
   where l.batch_id = t.batch_id and l.line_no = t.line_no and l.state = 'running' and l.generation_id is null`,
);
/** A line that was handed over meanwhile has a turn that is much later. */
const beatStatement = sql(
  'batch_lines_beat_on',
  `update batch_lines l set due_at = greatest(l.due_at, $3) from unnest($1::text[], $2::integer[]) as t (batch_id, line_no)
   where l.batch_id = t.batch_id and l.line_no = t.line_no and l.state = 'running'`,
);
const answerStatement = sql(
  'batch_lines_answer',
  `update batch_lines set state = $3, answer = $4, answer_bytes = $5, request = '', input_tokens = $6, cached_tokens = $7,
     output_tokens = $8, reasoning_tokens = $9
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
  `select line_no as "lineNo", custom_id as "customId", answer from batch_lines
   where batch_id = $1 and line_no > $3 and state = any ($2::text[]) order by line_no limit $4`,
);

export async function hasOpenLines(queryable: Queryable, batchId: string): Promise<boolean> {
  return (await queryable.query(openLinesStatement, [batchId])).length > 0;
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
  accountId: string;
  keyId: string;
  endpoint: string;
  form: BatchForm;
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

type LineAnswer = LineKey & Readonly<{ state: LineState; answer: Buffer; bytes: number; tokens: LineTokens }>;

export async function answerLine(
  queryable: Queryable,
  { batchId, lineNo, state, answer, bytes, tokens }: LineAnswer,
): Promise<void> {
  await queryable.query(answerStatement, [
    ...[batchId, lineNo, state, answer, bytes],
    ...[tokens?.input ?? null, tokens?.cached ?? null, tokens?.output ?? null, tokens?.reasoning ?? null],
  ]);
}

export async function postponeLine(queryable: Queryable, { batchId, lineNo }: LineKey, until: Date): Promise<void> {
  await queryable.query(postponeStatement, [batchId, lineNo, until]);
}

export async function leaveLines(queryable: Queryable, batchId: string): Promise<void> {
  await queryable.query(leaveStatement, [batchId]);
}

/** Null where a line was left before its turn. */
type AnswerRow = Readonly<{ lineNo: number; customId: string; answer: Buffer | null }>;

export function readAnswers(
  queryable: Queryable,
  batchId: string,
  states: readonly LineState[],
  page: Readonly<{ afterLine: number; limit: number }>,
): Promise<AnswerRow[]> {
  return queryable.query(answersStatement, [batchId, states, page.afterLine, page.limit]);
}
