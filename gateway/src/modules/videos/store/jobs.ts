// The life of a video job in the database. Each step names the phase that it starts from, so that of two processes that
// try the same step one succeeds; a question of an owner names the owner.

import type { AttemptEntry } from '../../../canonical/generation.ts';
import type { VideoError, VideoJob, VideoOutcome } from '../../../canonical/video-job.ts';
import { hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { firstJob, JOB_COLUMNS, type JobRow, jobOf } from './rows.ts';

const insertStatement = sql(
  'videos_insert',
  `INSERT INTO video_jobs (
     id, generation_id, account_id, user_id, key_id, app_name, model_id, provider_name, upstream_model, byok_key_id,
     task, duration_ms, input_ms, size, second_price, request_price, held_nano_usd, callback_url, phase, fingerprint,
     is_failover, created_at, expires_at, checked_at, due_at, second_cost, request_cost
   ) VALUES (
     $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, 'submitting', $19, $20, $21, $22,
     $21, $23, $24, $25
   )`,
);

const findStatement = sql(
  'videos_find',
  `SELECT ${JOB_COLUMNS} FROM video_jobs
   WHERE id = $1 AND account_id = $2 AND ($3::text IS NULL OR user_id = $3)`,
);

const findOfStatement = sql(
  'videos_find_of',
  `SELECT ${JOB_COLUMNS} FROM video_jobs WHERE generation_id = $1 AND account_id = $2`,
);

const readStatement = sql('videos_read', `SELECT ${JOB_COLUMNS} FROM video_jobs WHERE id = $1`);

const listStatement = sql(
  'videos_list',
  `SELECT ${JOB_COLUMNS} FROM video_jobs
   WHERE account_id = $1 AND ($4::text IS NULL OR user_id = $4)
     AND ($2::text IS NULL OR (created_at, id) < (
       SELECT after.created_at, after.id FROM video_jobs after WHERE after.id = $2 AND after.account_id = $1
     ))
   ORDER BY created_at DESC, id DESC LIMIT $3`,
);

const rerouteStatement = sql(
  'videos_reroute',
  `UPDATE video_jobs
   SET provider_name = $2, upstream_model = $3, second_price = $4, request_price = $5, is_failover = $6, due_at = $7,
       second_cost = $8, request_cost = $9
   WHERE id = $1 AND phase = 'submitting'
   RETURNING id`,
);

const acceptStatement = sql(
  'videos_accept',
  `UPDATE video_jobs
   SET phase = 'open', upstream_job_id = $2, upstream_status = $3, attempts = $4, checked_at = $5, due_at = $6,
       fingerprint = NULL, leased_until = '-infinity'
   WHERE id = $1 AND phase = 'submitting'
   RETURNING id`,
);

const adoptStatement = sql(
  'videos_adopt',
  `UPDATE video_jobs
   SET phase = 'open', upstream_job_id = $2, checked_at = '-infinity', due_at = $3, fingerprint = NULL,
       leased_until = '-infinity'
   WHERE id = $1 AND phase = 'submitting'
   RETURNING id`,
);

const discardStatement = sql('videos_discard', `DELETE FROM video_jobs WHERE id = $1 AND phase = 'submitting'`);

const noteStatement = sql(
  'videos_note',
  `UPDATE video_jobs
   SET status = CASE WHEN status = 'in_progress' THEN status ELSE $2 END, progress = greatest(progress, $3),
       misses = $4, checked_at = $5, due_at = $6, leased_until = '-infinity'
   WHERE id = $1 AND phase = 'open'`,
);

const unansweredStatement = sql(
  'videos_unanswered',
  `UPDATE video_jobs SET attempts = $2, due_at = $3 WHERE id = $1 AND phase = 'submitting'`,
);

const postponeStatement = sql(
  'videos_postpone',
  `UPDATE video_jobs SET due_at = $2, leased_until = '-infinity' WHERE id = $1 AND phase <> 'ended'`,
);

const decideStatement = sql(
  'videos_decide',
  `UPDATE video_jobs
   SET phase = 'ending', outcome = $2, error_code = $3, error_message = $4, duration_ms = coalesce($5, duration_ms),
       output_count = coalesce($6, output_count), upstream_status = $7, due_at = $8, fingerprint = NULL
   WHERE id = $1 AND phase IN ('submitting', 'open')
   RETURNING ${JOB_COLUMNS}`,
);

const endStatement = sql(
  'videos_end',
  `UPDATE video_jobs
   SET phase = 'ended', outcome = $2, status = $2, cost_nano_usd = $3, error_code = $4, error_message = $5,
       ended_at = $6, leased_until = '-infinity', callback_url = NULL
   WHERE id = $1 AND phase = 'ending'
   RETURNING ${JOB_COLUMNS}`,
);

export type NewJob = Readonly<{ job: VideoJob; dueAtMs: number }>;

export async function insertJob(transaction: Queryable, { job, dueAtMs }: NewJob): Promise<void> {
  const { id, generationId, accountId, userId, keyId, appName, modelId, providerName, upstreamModel } = job;
  const { byokKeyId, task, durationMs, inputMs, size, secondPrice, requestPrice, heldNanoUsd, callbackUrl } = job;
  await transaction.query(insertStatement, [
    ...[id, generationId, accountId, userId, keyId, appName, modelId, providerName, upstreamModel, byokKeyId],
    ...[task, durationMs, inputMs, size, secondPrice, requestPrice, heldNanoUsd, callbackUrl, job.fingerprint],
    ...[job.isFailover, new Date(job.createdAtMs), new Date(job.expiresAtMs), new Date(dueAtMs)],
    ...[job.secondCost, job.requestCost],
  ]);
}

/** Whose jobs somebody sees: those of one person in an account, or with null of everybody there. */
export type JobReader = Readonly<{ accountId: string; userId: string | null }>;

export async function findJob(
  queryable: Queryable,
  { accountId, userId }: JobReader,
  id: string,
): Promise<VideoJob | null> {
  return firstJob(await queryable.query<JobRow>(findStatement, [id, accountId, userId]));
}

/** By the id of its record. */
export async function findJobOf(
  queryable: Queryable,
  accountId: string,
  generationId: string,
): Promise<VideoJob | null> {
  return firstJob(await queryable.query<JobRow>(findOfStatement, [generationId, accountId]));
}

/** Without the owner: for the work on a job, never for an answer. */
export async function readJob(queryable: Queryable, id: string): Promise<VideoJob | null> {
  return firstJob(await queryable.query<JobRow>(readStatement, [id]));
}

export type JobPage = JobReader & Readonly<{ after: string | null; limit: number }>;

/** The newest first. */
export async function listJobs(queryable: Queryable, page: JobPage): Promise<VideoJob[]> {
  const { accountId, userId, after, limit } = page;
  return (await queryable.query<JobRow>(listStatement, [accountId, after, limit, userId])).map(jobOf);
}

export type JobRoute = Pick<
  VideoJob,
  'id' | 'providerName' | 'upstreamModel' | 'secondPrice' | 'requestPrice' | 'secondCost' | 'requestCost' | 'isFailover'
> &
  Readonly<{ dueAtMs: number }>;

/** Called before another upstream is asked. False when another process has taken the job over. */
export async function rerouteJob(queryable: Queryable, route: JobRoute): Promise<boolean> {
  const { id, providerName, upstreamModel, secondPrice, requestPrice, isFailover, dueAtMs } = route;
  const prices = [secondPrice, requestPrice, isFailover, new Date(dueAtMs), route.secondCost, route.requestCost];
  const values = [id, providerName, upstreamModel, ...prices];
  return hasRow(queryable, rerouteStatement, values);
}

export type Acceptance = Readonly<{
  id: string;
  upstreamJobId: string;
  upstreamStatus: number;
  attempts: readonly AttemptEntry[];
  atMs: number;
  dueAtMs: number;
}>;

export async function acceptJob(queryable: Queryable, acceptance: Acceptance): Promise<boolean> {
  const { id, upstreamJobId, upstreamStatus, attempts, atMs, dueAtMs } = acceptance;
  const times = [new Date(atMs), new Date(dueAtMs)];
  const values = [id, upstreamJobId, upstreamStatus, JSON.stringify(attempts), ...times];
  return hasRow(queryable, acceptStatement, values);
}

/** False when another process has taken the job over. */
export const adoptJob = (
  queryable: Queryable,
  { id, upstreamJobId, dueAtMs }: Readonly<{ id: string; upstreamJobId: string; dueAtMs: number }>,
): Promise<boolean> => hasRow(queryable, adoptStatement, [id, upstreamJobId, new Date(dueAtMs)]);

/** For a job that its owner was never told of, because no upstream took it. */
export async function discardJob(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(discardStatement, [id]);
}

type JobNote = Readonly<{
  id: string;
  status: 'pending' | 'in_progress';
  progress: number;
  misses: number;
  atMs: number;
  dueAtMs: number;
}>;

/** Notes the progress of a job, which never goes back. */
export async function noteJob(queryable: Queryable, note: JobNote): Promise<void> {
  const { id, status, progress, misses, atMs, dueAtMs } = note;
  await queryable.query(noteStatement, [id, status, progress, misses, new Date(atMs), new Date(dueAtMs)]);
}

/** The attempts are known, but not the result of the last one. */
export async function leaveUnanswered(
  queryable: Queryable,
  { id, attempts, dueAtMs }: Readonly<{ id: string; attempts: readonly AttemptEntry[]; dueAtMs: number }>,
): Promise<void> {
  await queryable.query(unansweredStatement, [id, JSON.stringify(attempts), new Date(dueAtMs)]);
}

export async function postponeJob(queryable: Queryable, id: string, dueAtMs: number): Promise<void> {
  await queryable.query(postponeStatement, [id, new Date(dueAtMs)]);
}

type JobDecision = Readonly<{
  id: string;
  outcome: VideoOutcome;
  error: VideoError | null;
  /** The length of the video, where it is known. */
  durationMs: number | null;
  outputCount: number | null;
  upstreamStatus: number;
  dueAtMs: number;
}>;

/** Null when the end was decided before: the first decision stands. */
export async function decideJob(queryable: Queryable, decision: JobDecision): Promise<VideoJob | null> {
  const { id, outcome, error, durationMs, outputCount, upstreamStatus, dueAtMs } = decision;
  const values = [id, outcome, error?.code ?? null, error?.message ?? null, durationMs, outputCount, upstreamStatus];
  return firstJob(await queryable.query<JobRow>(decideStatement, [...values, new Date(dueAtMs)]));
}

type JobEnd = Readonly<{
  id: string;
  outcome: VideoOutcome;
  error: VideoError | null;
  costNanoUsd: NanoUsd;
  atMs: number;
}>;

/** Null when it had ended before. */
export async function endJob(queryable: Queryable, end: JobEnd): Promise<VideoJob | null> {
  const { id, outcome, error, costNanoUsd, atMs } = end;
  const values = [id, outcome, costNanoUsd, error?.code ?? null, error?.message ?? null, new Date(atMs)];
  return firstJob(await queryable.query<JobRow>(endStatement, values));
}
