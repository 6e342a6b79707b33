// What the owners of videos are told once these have ended.

import type { VideoJob } from '../../canonical/video-job.ts';
import { type CallbacksOptions, createCallbacks } from '../../platform/outbound/callbacks.ts';
import type { PacedCalls } from '../../platform/outbound/paced-calls.ts';
import { videoCallbackRows } from './store/callbacks.ts';
import { readJob } from './store/jobs.ts';

type VideoCallbacksOptions = CallbacksOptions & Readonly<{ render(job: VideoJob): Record<string, unknown> }>;

export const createVideoCallbacks = (options: VideoCallbacksOptions): PacedCalls =>
  createCallbacks(options, videoCallbackRows, async (jobId) => {
    const job = await readJob(options.database, jobId);
    if (job === null) return null;
    const headers = ['x-tollgate-idempotency-key', `${job.id}-${job.status}`];
    return { headers, body: JSON.stringify(options.render(job)) };
  });
