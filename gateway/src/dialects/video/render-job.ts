// A video job as its owner sees it: the specification's members, and those that SDKs read besides. A job's prompt is
// not stored, so it is never shown.

import type { VideoJob } from '../../canonical/video-job.ts';
import { usdNumber } from '../../platform/money.ts';

const MS_PER_SECOND = 1_000;
const PERCENT_DONE = 100;

/** `base` is put before every address; empty for the relative ones of a poll. */
type RenderedUrls = Readonly<{ siteUrl: string; base: string }>;

export function renderJob(job: VideoJob, { siteUrl, base }: RenderedUrls): Record<string, unknown> {
  const isCompleted = job.status === 'completed';
  const path = `/v1/videos/${job.id}`;
  return {
    id: job.id,
    object: 'video',
    status: job.status,
    model: job.modelId,
    progress: isCompleted ? PERCENT_DONE : job.progress,
    created_at: Math.floor(job.createdAtMs / MS_PER_SECOND),
    completed_at: isCompleted && job.endedAtMs !== null ? Math.floor(job.endedAtMs / MS_PER_SECOND) : null,
    expires_at: null,
    seconds: String(job.durationMs / MS_PER_SECOND),
    size: job.size,
    prompt: null,
    remixed_from_video_id: null,
    error: job.error,
    generation_id: job.generationId,
    polling_url: `${siteUrl}${path}`,
    ...(job.costNanoUsd === null ? {} : { usage: { cost: usdNumber(job.costNanoUsd) } }),
    ...(isCompleted ? { unsigned_urls: contentUrls(job, `${base}${path}`) } : {}),
  };
}

function contentUrls({ outputCount }: VideoJob, path: string): readonly string[] {
  return Array.from({ length: outputCount }, (_, index) => `${path}/content?index=${index}`);
}

/**
 * The body sent to `callback_url`. Its addresses are absolute, because there is no request that they could be relative
 * to.
 */
export function renderCallback(job: VideoJob, siteUrl: string): Record<string, unknown> {
  return {
    type: `video.generation.${job.status}`,
    created_at: Math.floor((job.endedAtMs ?? job.createdAtMs) / MS_PER_SECOND),
    data: renderJob(job, { siteUrl, base: siteUrl }),
  };
}
