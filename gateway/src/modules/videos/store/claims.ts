// Which process works on which job. A lease is a time in the row: when a process dies nothing has to be cleared, and
// its jobs are free again when the lease has run out.

import type { VideoJob } from '../../../canonical/video-job.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import { leaseRows } from '../../../platform/db/lease-rows.ts';
import { firstJob, JOB_COLUMNS, type JobRow, jobOf } from './rows.ts';

// An owner may ask at any time, but the upstream is asked at its own pace: not before this much time has passed since
// the last question, and never by two processes at once.
const claimOneStatement = sql(
  'videos_claim_one',
  `UPDATE video_jobs SET leased_until = $4, checked_at = $2
   WHERE id = $1 AND phase = 'open' AND checked_at <= $3 AND leased_until <= $2
   RETURNING ${JOB_COLUMNS}`,
);

const claimDueStatement = sql(
  'videos_claim_due',
  `${leaseRows({
    table: 'video_jobs',
    key: 'id',
    set: "leased_until = $2, checked_at = CASE WHEN phase = 'open' THEN $1 ELSE checked_at END",
    due: `phase <> 'ended' AND due_at <= $1 AND leased_until <= $1 AND account_id <> ALL ($4::text[])
      AND (byok_key_id IS NULL OR NOT ($5::boolean OR account_id = ANY ($6::text[])))`,
    order: 'due_at',
  })} RETURNING ${JOB_COLUMNS}`,
);

const countUnansweredStatement = sql(
  'videos_count_unanswered',
  `SELECT count(*)::integer AS "count" FROM video_jobs
   WHERE phase = 'submitting' AND provider_name = $1 AND byok_key_id IS NOT DISTINCT FROM $2 AND fingerprint = $3`,
);

const knownStatement = sql(
  'videos_known',
  `SELECT upstream_job_id AS "id" FROM video_jobs
   WHERE provider_name = $1 AND byok_key_id IS NOT DISTINCT FROM $2 AND upstream_job_id = ANY ($3::text[])`,
);

// In the order of claiming, so that the index finds it at once.
const oldestDueStatement = sql(
  'videos_oldest_due',
  `SELECT due_at AS "dueSince" FROM video_jobs
   WHERE phase <> 'ended' AND due_at <= $1 AND leased_until <= $1
   ORDER BY due_at LIMIT 1`,
);

/** Since when the oldest job has been due that no process works on. */
export async function oldestDueVideo(queryable: Queryable, nowMs: number): Promise<Date | null> {
  const [row] = await queryable.query<{ dueSince: Date }>(oldestDueStatement, [new Date(nowMs)]);
  return row?.dueSince ?? null;
}

type OneClaim = Readonly<{ id: string; nowMs: number; checkedBeforeMs: number; untilMs: number }>;

/** Null when another process is working on it, or was a moment ago. */
export async function claimOne(queryable: Queryable, claim: OneClaim): Promise<VideoJob | null> {
  const { id, nowMs, checkedBeforeMs, untilMs } = claim;
  const values = [id, new Date(nowMs), new Date(checkedBeforeMs), new Date(untilMs)];
  return firstJob(await queryable.query<JobRow>(claimOneStatement, values));
}

/** What is left out. */
export type BusyVideos = Readonly<{
  accountIds: readonly string[];
  /** All of them, or those of some accounts. */
  ownUpstreams: boolean;
  ownUpstreamsOf: readonly string[];
}>;

type DueClaim = Readonly<{ nowMs: number; untilMs: number; limit: number; busy: BusyVideos }>;

export async function claimDue(queryable: Queryable, claim: DueClaim): Promise<VideoJob[]> {
  const { nowMs, untilMs, limit, busy } = claim;
  const { accountIds, ownUpstreams, ownUpstreamsOf } = busy;
  const values = [new Date(nowMs), new Date(untilMs), limit, accountIds, ownUpstreams, ownUpstreamsOf];
  return (await queryable.query<JobRow>(claimDueStatement, values)).map(jobOf);
}

/** How many jobs without an answer look like this one to their upstream, this one included. */
export async function countUnanswered(
  queryable: Queryable,
  { providerName, byokKeyId, fingerprint }: Pick<VideoJob, 'providerName' | 'byokKeyId' | 'fingerprint'>,
): Promise<number> {
  const values = [providerName, byokKeyId, fingerprint];
  const [row] = await queryable.query<{ count: number }>(countUnansweredStatement, values);
  return row?.count ?? 0;
}

/** Which of an upstream's jobs are known to be ours. */
export async function knownUpstreamJobs(
  queryable: Queryable,
  { providerName, byokKeyId }: Pick<VideoJob, 'providerName' | 'byokKeyId'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await queryable.query<{ id: string }>(knownStatement, [providerName, byokKeyId, ids]);
  return new Set(rows.map(({ id }) => id));
}
