// The statements on jobs, which are batches of one line, and on the calls to their owners. A callback waits from the
// beginning and falls due when its job is over.

import { callbackRows } from '../../../platform/db/callback-rows.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { BatchRow } from './batches.ts';
import type { Owner } from './files.ts';

export type JobRow = Pick<
  BatchRow,
  'id' | 'accountId' | 'userId' | 'keyId' | 'endpoint' | 'status' | 'createdAt' | 'endedAt' | 'expiresAt'
> &
  Readonly<{ /** Null before its first turn. */ generationId: string | null }>;

const JOBS = `SELECT b.id, b.account_id AS "accountId", b.user_id AS "userId", b.key_id AS "keyId", b.endpoint, b.status,
    l.generation_id AS "generationId", b.created_at AS "createdAt", b.ended_at AS "endedAt", b.expires_at AS "expiresAt"
  FROM batches b LEFT JOIN batch_lines l ON l.batch_id = b.id
  WHERE b.form = 'job'`;

const findStatement = sql('jobs_find', `${JOBS} AND b.id = $1 AND b.account_id = $2 AND b.user_id = $3`);
const readStatement = sql('jobs_read', `${JOBS} AND b.id = $1`);
const listStatement = sql(
  'jobs_list',
  `${JOBS} AND b.account_id = $1 AND b.user_id = $2
     AND ($3::text IS NULL OR (b.created_at, b.id) < (SELECT a.created_at, a.id FROM batches a WHERE a.id = $3 AND a.account_id = $1))
   ORDER BY b.created_at DESC, b.id DESC LIMIT $4`,
);
const openStatement = sql(
  'jobs_open_of',
  `SELECT count(*)::integer AS "jobs" FROM batches WHERE account_id = $1 AND ended_at IS NULL AND form = 'job'`,
);
const keptStatement = sql(
  'jobs_kept_of',
  `SELECT count(*) AS "jobs", coalesce(sum(octet_length(l.request) + l.answer_bytes), 0)::bigint AS "bytes"
   FROM batches b JOIN batch_lines l ON l.batch_id = b.id
   WHERE b.account_id = $1 AND b.form = 'job'`,
);

const insertCallbackStatement = sql(
  'job_callbacks_insert',
  `INSERT INTO job_callbacks (job_id, url, host, state, next_attempt_at) VALUES ($1, $2, $3, 'held', $4)
   ON CONFLICT (job_id) DO NOTHING`,
);
const dueStatement = sql(
  'job_callbacks_due',
  `UPDATE job_callbacks SET state = 'waiting', next_attempt_at = $2 WHERE job_id = $1 AND state = 'held'`,
);
export const jobCallbackRows = callbackRows('job_callbacks', 'batches');

export const findJob = (queryable: Queryable, id: string, owner: Owner): Promise<JobRow | null> =>
  firstRow(queryable, findStatement, [id, owner.accountId, owner.userId]);

/** Without the owner, for what is told to the owner itself. */
export const readJob = (queryable: Queryable, id: string): Promise<JobRow | null> =>
  firstRow(queryable, readStatement, [id]);

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

/** Runs in the transaction that ends the job. */
export async function makeCallbackDue(queryable: Queryable, jobId: string, now: Date): Promise<void> {
  await queryable.query(dueStatement, [jobId, now]);
}
