// Calls to the addresses that owners gave with their jobs. Claiming one moves its next attempt into the future, so that a
// process that dies while calling needs no tidying up.

import { type Queryable, sql } from '../../../platform/db/database.ts';

const insertStatement = sql(
  'video_callbacks_insert',
  `insert into video_callbacks (job_id, url, host, next_attempt_at) values ($1, $2, $3, $4)
   on conflict (job_id) do nothing`,
);

const claimStatement = sql(
  'video_callbacks_claim',
  `update video_callbacks set attempts = attempts + 1, next_attempt_at = $2
   where job_id in (
     select job_id from video_callbacks
     where state = 'waiting' and next_attempt_at <= $1 and host <> all ($4::text[])
     order by next_attempt_at limit $3 for update skip locked
   )
   returning job_id as "jobId", url, host, attempts`,
);

const postponeStatement = sql(
  'video_callbacks_postpone',
  `update video_callbacks set next_attempt_at = $2 where job_id = $1 and state = 'waiting'`,
);

const endStatement = sql(
  'video_callbacks_end',
  `update video_callbacks set state = $2, ended_at = $3, url = null where job_id = $1 and state = 'waiting'`,
);

const oldestDueStatement = sql(
  'video_callbacks_oldest_due',
  `select min(next_attempt_at) as "dueSince" from video_callbacks where state = 'waiting' and next_attempt_at <= $1`,
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
