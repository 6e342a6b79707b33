// The statements on lines that are handed to providers. A line is added to the open handed batch of its batch under the
// batch's lock, so that lines that come at the same time are gathered in one; a closed one takes no more.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import type { LineRow } from './lines.ts';

const COLUMNS = `id, batch_id AS "batchId", provider_name AS "providerName", upstream_model AS "upstreamModel", path, state,
  upstream_id AS "upstreamId", line_count AS "lineCount", bytes, tries, created_at AS "createdAt", due_at AS "dueAt"`;

const lockBatchStatement = sql(
  'handed_lock_batch',
  `SELECT 1 FROM batches b
   WHERE id = $1 AND status IN ('in_progress', 'running')
     AND NOT EXISTS (SELECT FROM handed_batches h
                     WHERE h.batch_id = b.id AND h.provider_name = $2 AND h.upstream_model = $3 AND h.state = 'refused')
   FOR UPDATE OF b`,
);
const findOpenStatement = sql(
  'handed_find_open',
  `SELECT id FROM handed_batches
   WHERE batch_id = $1 AND provider_name = $2 AND upstream_model = $3 AND path = $4 AND state = 'open'
     AND line_count < $5 AND bytes < $6
   ORDER BY created_at LIMIT 1 FOR UPDATE`,
);
const openStatement = sql(
  'handed_open',
  `INSERT INTO handed_batches (id, batch_id, provider_name, upstream_model, path, created_at, due_at, model_id, prices)
   VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8::jsonb)`,
);
const addStatement = sql(
  'handed_add',
  `WITH parked AS (
     UPDATE batch_lines SET due_at = $8 WHERE batch_id = $2 AND line_no = $3 AND state = 'running' AND generation_id = $4
     RETURNING 1
   ), added AS (
     INSERT INTO handed_lines (handed_id, batch_id, line_no, generation_id, model_id, body, held_nano_usd, prices)
     SELECT $1, $2, $3, $4, $5, $6, $7::bigint, $9::jsonb FROM parked RETURNING length(body) AS bytes
   )
   UPDATE handed_batches SET line_count = line_count + 1, bytes = handed_batches.bytes + added.bytes
   FROM added
   WHERE id = $1
   RETURNING id`,
);
const claimStatement = sql(
  'handed_claim',
  `${leaseRows({
    table: 'handed_batches',
    key: 'id',
    set: 'due_at = $2',
    due: "state IN ('open', 'sending', 'sent', 'refused') AND due_at <= $1",
    order: 'due_at',
  })} RETURNING ${COLUMNS}`,
);
/** Closed when no further line of its batch can come, when it has waited long enough for one, or when it is full. */
const closeStatement = sql(
  'handed_close',
  `UPDATE handed_batches h SET state = 'sending', tries = 0
   WHERE id = $1 AND state = 'open' AND (
     created_at <= $2 OR line_count >= $4 OR bytes >= $5
     OR NOT EXISTS (SELECT FROM batch_lines l WHERE l.batch_id = h.batch_id AND l.state IN ('waiting', 'running')
                    AND l.due_at < $3)
   )
   RETURNING ${COLUMNS}`,
);
/** A handed batch that the provider did not take is left out, because its lines are run here. */
const ofBatchesStatement = sql(
  'handed_of_batches',
  `SELECT batch_id AS "batchId", provider_name AS "providerName", model_id AS "modelId", prices,
     sum(line_count)::integer AS "lines", bool_and(state = 'over') AS "isOver"
   FROM handed_batches
   WHERE batch_id = ANY ($1::text[]) AND state <> 'refused'
   GROUP BY batch_id, provider_name, model_id, prices
   ORDER BY min(created_at), provider_name`,
);
const stateStatement = sql(
  'handed_state',
  `UPDATE handed_batches SET state = $2, upstream_id = coalesce($3, upstream_id), tries = $4, due_at = $5 WHERE id = $1`,
);
const refuseStatement = sql('handed_refuse', `UPDATE handed_batches SET state = 'refused', tries = 0 WHERE id = $1`);
/** Only while it is claimed: a process that has let go of it has set when it is due. */
const beatStatement = sql(
  'handed_beat',
  'UPDATE handed_batches SET due_at = $3 WHERE id = $1 AND due_at = $2 RETURNING id',
);
const isKnownStatement = sql(
  'handed_is_known',
  'SELECT 1 FROM handed_batches WHERE provider_name = $1 AND upstream_id = $2 LIMIT 1',
);
const isCancelledStatement = sql(
  'handed_is_cancelled',
  `SELECT 1 FROM batches WHERE id = $1 AND status = 'cancelling'`,
);
const linesStatement = sql(
  'handed_lines_page',
  `SELECT h.line_no AS "lineNo", h.generation_id AS "generationId", h.body FROM handed_lines h
   WHERE h.handed_id = $1 AND h.line_no > $2
   ORDER BY h.line_no LIMIT $3`,
);
/** Reads what the line needs to be run once more: the request as the caller made it, and its owner. */
const takeStatement = sql(
  'handed_lines_take',
  `SELECT h.line_no AS "lineNo", h.generation_id AS "generationId", h.model_id AS "modelId",
     h.held_nano_usd AS "heldNanoUsd", h.prices, h.batch_id AS "batchId", l.custom_id AS "customId", l.request,
     l.called_at AS "calledAt", l.attempts, b.account_id AS "accountId", b.user_id AS "userId", b.key_id AS "keyId",
     b.endpoint, b.form, b.expires_at AS "expiresAt"
   FROM handed_lines h
   JOIN batch_lines l ON l.batch_id = h.batch_id AND l.line_no = h.line_no
   JOIN batches b ON b.id = h.batch_id
   WHERE h.handed_id = $1 AND h.line_no = $2 AND l.state = 'running' AND l.generation_id = h.generation_id`,
);
const dropStatement = sql('handed_lines_drop', 'DELETE FROM handed_lines WHERE handed_id = $1 AND line_no = $2');
const returnStatement = sql(
  'handed_lines_return',
  `UPDATE batch_lines l SET state = 'waiting', due_at = $4,
     generation_id = CASE WHEN $5::boolean THEN l.generation_id END, called_at = CASE WHEN $5::boolean THEN l.called_at END
   WHERE l.batch_id = $1 AND l.line_no = $2 AND l.generation_id = $3 AND l.state = 'running'`,
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
  /** Until when it is claimed, where it is. */
  dueAt: Date;
}>;

type NewHanded = Readonly<{
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

/** False where the batch is no longer run, or the provider has refused lines of it. */
export const lockForHanding = (
  transaction: Queryable,
  { batchId, providerName, upstreamModel }: NewHanded,
): Promise<boolean> => hasRow(transaction, lockBatchStatement, [batchId, providerName, upstreamModel]);

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

/** False where the line no longer belongs to this run. */
export async function addLine(
  transaction: Queryable,
  handedId: string,
  line: NewHanded,
  parkedUntil: Date,
): Promise<boolean> {
  const { batchId, lineNo, generationId, modelId, body, heldNanoUsd, pricesText } = line;
  const values = [handedId, batchId, lineNo, generationId, modelId, body, heldNanoUsd, parkedUntil, pricesText];
  return hasRow(transaction, addStatement, values);
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
  return firstRow(queryable, closeStatement, values);
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

export async function refuseHanded(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(refuseStatement, [id]);
}

/** False where the claim has passed to another process. */
export const beatHanded = (queryable: Queryable, id: string, claimedUntil: Date, until: Date): Promise<boolean> =>
  hasRow(queryable, beatStatement, [id, claimedUntil, until]);

export const isKnown = (queryable: Queryable, providerName: string, upstreamId: string): Promise<boolean> =>
  hasRow(queryable, isKnownStatement, [providerName, upstreamId]);

export const isCancelled = (queryable: Queryable, batchId: string): Promise<boolean> =>
  hasRow(queryable, isCancelledStatement, [batchId]);

type SentLine = Readonly<{ lineNo: number; generationId: string; body: Buffer }>;

export function readHandedLines(
  queryable: Queryable,
  handedId: string,
  page: Readonly<{ afterLine: number; limit: number }>,
): Promise<SentLine[]> {
  return queryable.query<SentLine>(linesStatement, [handedId, page.afterLine, page.limit]);
}

type TakenLine = LineRow &
  Readonly<{
    generationId: string;
    calledAt: Date;
    modelId: string;
    heldNanoUsd: NanoUsd;
    prices: unknown;
    userId: string;
  }>;

/** Null where it has its result already. */
export const takeLine = (queryable: Queryable, handedId: string, lineNo: number): Promise<TakenLine | null> =>
  firstRow(queryable, takeStatement, [handedId, lineNo]);

export async function dropLine(queryable: Queryable, handedId: string, lineNo: number): Promise<void> {
  await queryable.query(dropStatement, [handedId, lineNo]);
}

type Returned = Readonly<{ batchId: string; lineNo: number; generationId: string; isCharged: boolean }>;

export async function returnLine(
  queryable: Queryable,
  { batchId, lineNo, generationId, isCharged }: Returned,
  now: Date,
): Promise<void> {
  await queryable.query(returnStatement, [batchId, lineNo, generationId, now, isCharged]);
}
