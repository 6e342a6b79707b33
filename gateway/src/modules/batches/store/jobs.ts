// The statements on jobs, which are batches of one line, and on the calls to their owners. A callback waits from the
// beginning and falls due when its job is over.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { BatchStatus } from './batches.ts';
import type { Owner } from './files.ts';

export type JobRow = Readonly<{
  id: string;
  accountId: string;
  userId: string;
  keyId: string;
  endpoint: string;
  status: BatchStatus;
  /** Null before its first turn. */
  generationId: string | null;
  createdAt: Date;
  endedAt: Date | null;
  expiresAt: Date;
}>;

const JOBS = `select b.id, b.account_id as "accountId", b.user_id as "userId", b.key_id as "keyId", b.endpoint, b.status,
    l.generation_id as "generationId", b.created_at as "createdAt", b.ended_at as "endedAt", b.expires_at as "expiresAt"
  from batches b left join batch_lines l on l.batch_id = b.id where b.form = 'job'`;

const findStatement = sql('jobs_find', `${JOBS} and b.id = $1 and b.account_id = $2 and b.user_id = $3`);
const readStatement = sql('jobs_read', `${JOBS} and b.id = $1`);
const listStatement = sql(
  'jobs_list',
  `${JOBS} and b.account_id = $1 and b.user_id = $2
     and ($3::text is null or (b.created_at, b.id) < (select a.created_at, a.id from batches a where a.id = $3 and a.account_id = $1))
   order by b.created_at desc, b.id desc limit $4`,
);
const openStatement = sql(
  'jobs_open_of',
  `select count(*)::integer as "jobs" from batches where account_id = $1 and ended_at is null and form = 'job'`,
);
const keptStatement = sql(
  'jobs_kept_of',
  `select count(*) as "jobs", coalesce(sum(octet_length(l.request) + l.answer_bytes), 0)::bigint as "bytes"
   from batches b join batch_lines l on l.batch_id = b.id where b.account_id = $1 and b.form = 'job'`,
);

const insertCallbackStatement = sql(
  'job_callbacks_insert',
  `insert into job_callbacks (job_id, url, host, state, next_attempt_at) values ($1, $2, $3, 'held', $4)
   on conflict (job_id) do nothing`,
);
const dueStatement = sql(
  'job_callbacks_due',
  `update job_callbacks set state = 'waiting', next_attempt_at = $2 where job_id = $1 and state = 'held'`,
);
const claimStatement = sql(
  'job_callbacks_claim',
  `update job_callbacks set attempts = attempts + 1, next_attempt_at = $2
   where job_id in (
     select job_id from job_callbacks
     where state = 'waiting' and next_attempt_at <= $1 and host <> all ($4::text[])
     order by next_attempt_at limit $3 for update skip locked
   )
   returning job_id as "jobId", url, host, attempts`,
);
const postponeStatement = sql(
  'job_callbacks_postpone',
  `update job_callbacks set next_attempt_at = $2 where job_id = $1 and state = 'waiting'`,
);
const endStatement = sql(
  'job_callbacks_end',
  `update job_callbacks set state = $2, ended_at = $3, url = null where job_id = $1 and state = 'waiting'`,
);
const oldestDueStatement = sql(
  'job_callbacks_oldest_due',
  `select min(next_attempt_at) as "dueSince" from job_callbacks where state = 'waiting' and next_attempt_at <= $1`,
);

export async function findJob(queryable: Queryable, id: string, owner: Owner): Promise<JobRow | null> {
  return (await queryable.query<JobRow>(findStatement, [id, owner.accountId, owner.userId]))[0] ?? null;
}

/** Whoever it belongs to: for what is said to its owner. */
export async function readJob(queryable: Queryable, id: string): Promise<JobRow | null> {
  return (await queryable.query<JobRow>(readStatement, [id]))[0] ?? null;
}

export type JobSearch = Owner & Readonly<{ after: string | null; limit: number }>;

/** Newest first. */
export function listJobs(queryable: Queryable, { accountId, userId, after, limit }: JobSearch): Promise<JobRow[]> {
  return queryable.query<JobRow>(listStatement, [accountId, userId, after, limit]);
}

export async function countOpenJobs(queryable: Queryable, accountId: string): Promise<number> {
  return (await queryable.query<{ jobs: number }>(openStatement, [accountId]))[0]?.jobs ?? 0;
}

type Kept = Readonly<{ jobs: bigint; bytes: bigint }>;

export async function readKeptJobs(queryable: Queryable, accountId: string): Promise<Kept> {
  return (await queryable.query<Kept>(keptStatement, [accountId]))[0] ?? { jobs: 0n, bytes: 0n };
}

export async function insertCallback(queryable: Queryable, jobId: string, url: string, now: Date): Promise<void> {
  await queryable.query(insertCallbackStatement, [jobId, url, new URL(url).host, now]);
}

/** In the transaction that ends the job. */
export async function makeCallbackDue(queryable: Queryable, jobId: string, now: Date): Promise<void> {
  await queryable.query(dueStatement, [jobId, now]);
}

export async function oldestDueJobCallback(queryable: Queryable, nowMs: number): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date | null }>(oldestDueStatement, [new Date(nowMs)]);
  return row?.dueSince ?? null;
}

export type CallbackRow = Readonly<{ jobId: string; url: string; host: string; attempts: number }>;

export type CallbackClaim = Readonly<{
  nowMs: number;
  againAtMs: number;
  limit: number;
  busyHosts: readonly string[];
}>;

export function claimCallbacks(
  queryable: Queryable,
  { nowMs, againAtMs, limit, busyHosts }: CallbackClaim,
): Promise<CallbackRow[]> {
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
