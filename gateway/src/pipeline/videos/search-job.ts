// Looks for a job that an upstream may have taken without our hearing of it, in the upstream's own list. It is only taken
// for ours when it can be nobody else's: a mistake would show one customer's video to another.

import type { VideoJob } from '../../canonical/video-job.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { ListedVideo } from '../../upstreams/protocol.ts';
import { fingerprintOf } from './new-job.ts';
import { accessOf, ask, type VideoAccessServices } from './upstream-access.ts';

export type SearchServices = VideoAccessServices &
  Readonly<{ videos: Videos; videoFingerprintKey: Buffer; clock: Clock; logger: Logger }>;

/** How far an upstream's clock may be from ours. */
const SKEW_MS = 120_000;

export async function searchJob(job: VideoJob, services: SearchServices): Promise<void> {
  const { videos, logger } = services;
  const found = await find(job, services);
  if (found !== null && (await videos.adopt(job, found.id))) {
    logger.warn({ jobId: job.id }, 'a video was found whose answer had been lost');
    return;
  }
  await videos.postponeSearch(job);
}

/** Null unless there is exactly one, and exactly one job of ours that it could be. */
async function find(job: VideoJob, services: SearchServices): Promise<ListedVideo | null> {
  const access = job.fingerprint === null ? null : await accessOf(job, services);
  if (access === null) return null;
  const answer = await ask(access, access.questions.listPath, services);
  if (answer.kind !== 'answer' || answer.status !== 200) return null;
  const alike = access.questions.decodeList(answer.body).filter((listed) => isAlike(listed, job, services));
  if (alike.length === 0) return null;
  const ids = alike.map(({ id }) => id);
  const known = await services.videos.known(job, ids);
  const [only, ...others] = alike.filter(({ id }) => !known.has(id));
  if (only === undefined || others.length > 0) return null;
  return (await services.videos.countUnanswered(job)) === 1 ? only : null;
}

function isAlike(listed: ListedVideo, job: VideoJob, { videoFingerprintKey, clock }: SearchServices): boolean {
  const { createdAtMs } = listed;
  if (createdAtMs === null || createdAtMs < job.createdAtMs - SKEW_MS || createdAtMs > clock.nowMs() + SKEW_MS) {
    return false;
  }
  return fingerprintOf(listed, videoFingerprintKey) === job.fingerprint;
}
