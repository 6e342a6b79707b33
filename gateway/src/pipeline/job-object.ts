// A job as its owner sees it, in answers and in callbacks. The answer itself is asked for at `result_url`.

import type { JobObject } from '../contract/inference/jobs.ts';
import type { Shape } from '../contract/shape.ts';
import type { Job } from '../modules/batches/jobs.ts';

const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1_000);
/** How long a result can be had. */
const KEPT_SECONDS = 24 * 3_600;

export function renderJob(job: Job, siteUrl: string): Shape<typeof JobObject> {
  const { id, status, endpoint, createdAt, endedAt, expiresAt, generationId } = job;
  return {
    id,
    object: 'job',
    status: status === 'running' ? 'in_progress' : status,
    endpoint,
    generation_id: generationId,
    created_at: secondsOf(createdAt),
    ended_at: endedAt === null ? null : secondsOf(endedAt),
    expires_at: endedAt === null ? secondsOf(expiresAt) : secondsOf(endedAt) + KEPT_SECONDS,
    result_url: `${siteUrl}/v1/jobs/${id}/result`,
  };
}

export const renderJobCallback = (job: Job, siteUrl: string): Record<string, unknown> => ({
  type: `job.${job.status}`,
  timestamp: (job.endedAt ?? job.createdAt).toISOString(),
  data: renderJob(job, siteUrl),
});
