// Calls to the addresses that owners gave with their jobs. Claiming one moves its next attempt into the future, so
// nothing has to be cleared when a process dies while calling.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'video_callbacks_insert',
  `INSERT INTO video_callbacks (job_id, url, host, next_attempt_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (job_id) DO NOTHING`,
);

const claimStatement = sql(
  'video_callbacks_claim',
  `UPDATE video_callbacks SET attempts = attempts + 1, next_attempt_at = $2
   WHERE job_id IN (
     SELECT job_id FROM video_callbacks
     WHERE state = 'waiting' AND next_attempt_at <= $1 AND host <> ALL ($4::text[])
     ORDER BY next_attempt_at LIMIT $3 FOR UPDATE SKIP LOCKED
   )
   RETURNING job_id AS "jobId", url, host, attempts`,
);

const postponeStatement = sql(
  'video_callbacks_postpone',
  `UPDATE video_callbacks SET next_attempt_at = $2 WHERE job_id = $1 AND state = 'waiting'`,
);

const endStatement = sql(
  'video_callbacks_end',
  `UPDATE video_callbacks SET state = $2, ended_at = $3, url = NULL WHERE job_id = $1 AND state = 'waiting'`,
);

const oldestDueStatement = sql(
  'video_callbacks_oldest_due',
  `SELECT min(next_attempt_at) AS "dueSince" FROM video_callbacks WHERE state = 'waiting' AND next_attempt_at <= $1`,
);

export async function oldestDueCallback(queryable: Queryable, nowMs: number): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestDueStatement, [new Date(nowMs)]);
  return row?.dueSince ?? null;
}

export type CallbackRow = Readonly<{ jobId: string; url: string; host: string; attempts: number }>;

export async function insertCallback(
  transaction: Queryable,
  { jobId, url, host, atMs }: Readonly<{ jobId: string; url: string; host: string; atMs: number }>,
): Promise<void> {
  await transaction.query(insertStatement, [jobId, url, host, new Date(atMs)]);
}

export type CallbackClaim = Readonly<{
  nowMs: number;
  againAtMs: number;
  limit: number;
  busyHosts: readonly string[];
}>;

export function claimCallbacks(queryable: Queryable, claim: CallbackClaim): Promise<CallbackRow[]> {
  const { nowMs, againAtMs, limit, busyHosts } = claim;
  return queryable.query<CallbackRow>(claimStatement, [new Date(nowMs), new Date(againAtMs), limit, busyHosts]);
}

export async function postponeCallback(queryable: Queryable, jobId: string, untilMs: number): Promise<void> {
  await queryable.query(postponeStatement, [jobId, new Date(untilMs)]);
}

export async function endCallback(
  queryable: Queryable,
  { jobId, state, atMs }: Readonly<{ jobId: string; state: 'sent' | 'given_up'; atMs: number }>,
): Promise<void> {
  await queryable.query(endStatement, [jobId, state, new Date(atMs)]);
}
