// The statements on lines that are handed to providers. A line is added to what is open of its batch under the batch's
// lock, so that lines that come side by side are gathered in one; what is closed takes no more.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

const COLUMNS = `id, batch_id as "batchId", provider_name as "providerName", upstream_model as "upstreamModel", path, state,
  upstream_id as "upstreamId", line_count as "lineCount", bytes, tries, created_at as "createdAt", due_at as "dueAt"`;

const lockBatchStatement = sql(
  'handed_lock_batch',
  `select 1 from batches b where id = $1 and status in ('in_progress', 'running')
     and not exists (select from handed_batches h
                     where h.batch_id = b.id and h.provider_name = $2 and h.upstream_model = $3 and h.state = 'refused')
   for update of b`,
);
const findOpenStatement = sql(
  'handed_find_open',
  `select id from handed_batches
   where batch_id = $1 and provider_name = $2 and upstream_model = $3 and path = $4 and state = 'open'
     and line_count < $5 and bytes < $6
   order by created_at limit 1 for update`,
);
const openStatement = sql(
  'handed_open',
  `insert into handed_batches (id, batch_id, provider_name, upstream_model, path, created_at, due_at, model_id, prices)
   values ($1, $2, $3, $4, $5, $6, $6, $7, $8::jsonb)`,
);
const addStatement = sql(
  'handed_add',
  `with parked as (
     update batch_lines set due_at = $8 where batch_id = $2 and line_no = $3 and state = 'running' and generation_id = $4
     returning 1
   ), added as (
     insert into handed_lines (handed_id, batch_id, line_no, generation_id, model_id, body, held_nano_usd, prices)
     select $1, $2, $3, $4, $5, $6, $7::bigint, $9::jsonb from parked returning length(body) as bytes
   )
   update handed_batches set line_count = line_count + 1, bytes = handed_batches.bytes + added.bytes
   from added where id = $1 returning id`,
);
const claimStatement = sql(
  'handed_claim',
  `update handed_batches set due_at = $2
   where id in (select id from handed_batches where state in ('open', 'sending', 'sent') and due_at <= $1
                order by due_at limit $3 for update skip locked)
   returning ${COLUMNS}`,
);
/** When no line of its batch can come to it any more, or it has waited long enough for one, or is full. */
const closeStatement = sql(
  'handed_close',
  `update handed_batches h set state = 'sending', tries = 0
   where id = $1 and state = 'open' and (
     created_at <= $2 or line_count >= $4 or bytes >= $5
     or not exists (select from batch_lines l where l.batch_id = h.batch_id and l.state in ('waiting', 'running')
                    and l.due_at < $3)
   ) returning ${COLUMNS}`,
);
/** What a provider did not take is run here, and is no part of it. */
const ofBatchesStatement = sql(
  'handed_of_batches',
  `select batch_id as "batchId", provider_name as "providerName", model_id as "modelId", prices,
     sum(line_count)::integer as "lines", bool_and(state = 'over') as "isOver"
   from handed_batches where batch_id = any ($1::text[]) and state <> 'refused'
   group by batch_id, provider_name, model_id, prices order by min(created_at), provider_name`,
);
const stateStatement = sql(
  'handed_state',
  `update handed_batches set state = $2, upstream_id = coalesce($3, upstream_id), tries = $4, due_at = $5 where id = $1`,
);
/** Only while it is claimed: who has let go of it has said when it is due. */
const beatStatement = sql(
  'handed_beat',
  'update handed_batches set due_at = $3 where id = $1 and due_at = $2 returning id',
);
const isKnownStatement = sql(
  'handed_is_known',
  'select 1 from handed_batches where provider_name = $1 and upstream_id = $2 limit 1',
);
const isCancelledStatement = sql(
  'handed_is_cancelled',
  `select 1 from batches where id = $1 and status = 'cancelling'`,
);
const linesStatement = sql(
  'handed_lines_page',
  `select h.line_no as "lineNo", h.generation_id as "generationId", h.body from handed_lines h
   where h.handed_id = $1 and h.line_no > $2 order by h.line_no limit $3`,
);
/** With what the line needs to be run once more: the request as the caller made it, and whose it is. */
const takeStatement = sql(
  'handed_lines_take',
  `select h.line_no as "lineNo", h.generation_id as "generationId", h.model_id as "modelId",
     h.held_nano_usd as "heldNanoUsd", h.prices, h.batch_id as "batchId", l.custom_id as "customId", l.request,
     l.called_at as "calledAt", l.attempts, b.account_id as "accountId", b.user_id as "userId", b.key_id as "keyId",
     b.endpoint, b.form
   from handed_lines h
   join batch_lines l on l.batch_id = h.batch_id and l.line_no = h.line_no
   join batches b on b.id = h.batch_id
   where h.handed_id = $1 and h.line_no = $2 and l.state = 'running' and l.generation_id = h.generation_id`,
);
const dropStatement = sql('handed_lines_drop', 'delete from handed_lines where handed_id = $1 and line_no = $2');
const returnStatement = sql(
  'handed_lines_return',
  `update batch_lines l set state = 'waiting', due_at = $4,
     generation_id = case when $5::boolean then l.generation_id end, called_at = case when $5::boolean then l.called_at end
   where l.batch_id = $1 and l.line_no = $2 and l.generation_id = $3 and l.state = 'running'`,
);

type HandedState = 'open' | 'sending' | 'sent' | 'over' | 'refused';

export type HandedRow = Readonly<{
  id: string;
  batchId: string;
  providerName: string;
  upstreamModel: string;
  path: string;
  state: HandedState;
  upstreamId: string | null;
  lineCount: number;
  bytes: bigint;
  tries: number;
  createdAt: Date;
  /** Of one that was claimed: until when. */
  dueAt: Date;
}>;

export type NewHanded = Readonly<{
  batchId: string;
  lineNo: number;
  generationId: string;
  providerName: string;
  upstreamModel: string;
  path: string;
  modelId: string;
  /** Sealed. */
  body: Buffer;
  heldNanoUsd: NanoUsd;
  pricesText: string;
}>;

type Limits = Readonly<{ linesMax: number; bytesMax: number }>;

/** False where its batch is not run any more, or the provider has refused lines of it. */
export async function lockForHanding(
  transaction: Queryable,
  { batchId, providerName, upstreamModel }: NewHanded,
): Promise<boolean> {
  return (await transaction.query(lockBatchStatement, [batchId, providerName, upstreamModel])).length === 1;
}

export async function findOpen(transaction: Queryable, line: NewHanded, limits: Limits): Promise<string | null> {
  const { batchId, providerName, upstreamModel, path } = line;
  const values = [batchId, providerName, upstreamModel, path, limits.linesMax, limits.bytesMax];
  return (await transaction.query<{ id: string }>(findOpenStatement, values))[0]?.id ?? null;
}

export async function openHanded(transaction: Queryable, id: string, line: NewHanded, now: Date): Promise<void> {
  const { batchId, providerName, upstreamModel, path, modelId, pricesText } = line;
  const values = [id, batchId, providerName, upstreamModel, path, now, modelId, pricesText];
  await transaction.query(openStatement, values);
}

/** False where the line is not this run's any more. */
export async function addLine(
  transaction: Queryable,
  handedId: string,
  line: NewHanded,
  parkedUntil: Date,
): Promise<boolean> {
  const { batchId, lineNo, generationId, modelId, body, heldNanoUsd, pricesText } = line;
  const values = [handedId, batchId, lineNo, generationId, modelId, body, heldNanoUsd, parkedUntil, pricesText];
  return (await transaction.query(addStatement, values)).length === 1;
}

export function claimHanded(queryable: Queryable, now: Date, until: Date, limit: number): Promise<HandedRow[]> {
  return queryable.query<HandedRow>(claimStatement, [now, until, limit]);
}

type Closing = Limits & Readonly<{ openedBefore: Date; parkedFrom: Date }>;

/** Null while lines may still come. */
export async function closeHanded(
  queryable: Queryable,
  id: string,
  { openedBefore, parkedFrom, linesMax, bytesMax }: Closing,
): Promise<HandedRow | null> {
  const values = [id, openedBefore, parkedFrom, linesMax, bytesMax];
  return (await queryable.query<HandedRow>(closeStatement, values))[0] ?? null;
}

export type HandedPartRow = Readonly<{
  batchId: string;
  providerName: string;
  modelId: string | null;
  prices: unknown;
  lines: number;
  isOver: boolean;
}>;

export function readHandedOf(queryable: Queryable, batchIds: readonly string[]): Promise<HandedPartRow[]> {
  return queryable.query<HandedPartRow>(ofBatchesStatement, [batchIds]);
}

export type HandedChange = Readonly<{ state: HandedState; upstreamId?: string; tries: number; dueAt: Date }>;

export async function changeHanded(queryable: Queryable, id: string, change: HandedChange): Promise<void> {
  const { state, upstreamId = null, tries, dueAt } = change;
  await queryable.query(stateStatement, [id, state, upstreamId, tries, dueAt]);
}

/** False where it is not claimed until then any more. */
export async function beatHanded(queryable: Queryable, id: string, claimedUntil: Date, until: Date): Promise<boolean> {
  return (await queryable.query(beatStatement, [id, claimedUntil, until])).length === 1;
}

export async function isKnown(queryable: Queryable, providerName: string, upstreamId: string): Promise<boolean> {
  return (await queryable.query(isKnownStatement, [providerName, upstreamId])).length > 0;
}

export async function isCancelled(queryable: Queryable, batchId: string): Promise<boolean> {
  return (await queryable.query(isCancelledStatement, [batchId])).length > 0;
}

type SentLine = Readonly<{ lineNo: number; generationId: string; body: Buffer }>;

export function readHandedLines(
  queryable: Queryable,
  handedId: string,
  page: Readonly<{ afterLine: number; limit: number }>,
): Promise<SentLine[]> {
  return queryable.query<SentLine>(linesStatement, [handedId, page.afterLine, page.limit]);
}

export type TakenLine = Readonly<{
  lineNo: number;
  generationId: string;
  modelId: string;
  heldNanoUsd: NanoUsd;
  prices: unknown;
  batchId: string;
  customId: string;
  request: Buffer;
  calledAt: Date;
  attempts: number;
  accountId: string;
  userId: string;
  keyId: string;
  endpoint: string;
  form: 'file' | 'messages' | 'job';
}>;

/** Null where it has its result already. */
export async function takeLine(queryable: Queryable, handedId: string, lineNo: number): Promise<TakenLine | null> {
  return (await queryable.query<TakenLine>(takeStatement, [handedId, lineNo]))[0] ?? null;
}

export async function dropLine(queryable: Queryable, handedId: string, lineNo: number): Promise<void> {
  await queryable.query(dropStatement, [handedId, lineNo]);
}

type Returned = Readonly<{ batchId: string; lineNo: number; generationId: string; mayBeCharged: boolean }>;

export async function returnLine(
  queryable: Queryable,
  { batchId, lineNo, generationId, mayBeCharged }: Returned,
  now: Date,
): Promise<void> {
  await queryable.query(returnStatement, [batchId, lineNo, generationId, now, mayBeCharged]);
}
