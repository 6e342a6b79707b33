// Moves a job on by one step: asks its upstream, decides what came of it, moves the money. Whoever has claimed the job
// calls this, the owner's question and the background work alike; each step can be repeated by somebody else.

import type { UpstreamVideo } from '../../canonical/video.ts';
import type { VideoError, VideoJob } from '../../canonical/video-job.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import type { Logger } from '../../platform/logger.ts';
import { type EndServices, endVideo } from './end-video.ts';
import { type SearchServices, searchJob } from './search-job.ts';
import { accessOf, ask, type UpstreamAnswer, type VideoAccessServices } from './upstream-access.ts';

export type AdvanceVideoServices = VideoAccessServices &
  EndServices &
  SearchServices &
  Readonly<{ videos: Videos; logger: Logger }>;

const STUCK: VideoError = {
  code: 'expired',
  message: 'The video was not finished in time. Nothing was charged.',
};
const LOST: VideoError = {
  code: 'expired',
  message: 'The provider did not confirm the job. Nothing was charged.',
};
const VANISHED: VideoError = {
  code: 'job_lost',
  message: 'The provider does not know this job any more. Nothing was charged.',
};
const FAILED: VideoError = {
  code: 'generation_failed',
  message: 'The provider could not make the video. Nothing was charged.',
};
const REFUSED: VideoError = {
  code: 'content_moderation',
  message: 'The provider refused this request on safety grounds. Nothing was charged.',
};

export async function advanceVideo(job: VideoJob, services: AdvanceVideoServices): Promise<void> {
  switch (job.phase) {
    case 'submitting':
      if (services.videos.isLost(job)) await fail(job, LOST, 0, services);
      else await searchJob(job, services);
      return;
    case 'open':
      await check(job, services);
      return;
    case 'ending':
      await endVideo(job, services);
      return;
    case 'ended':
      return;
  }
}

async function check(job: VideoJob, services: AdvanceVideoServices): Promise<void> {
  const { videos } = services;
  const access = await accessOf(job, services);
  const answer =
    access === null ? null : await ask(access, access.questions.jobPath(job.upstreamJobId ?? ''), services);
  const status = answer?.kind === 'answer' ? answer.status : 0;
  if (isUnknownJob(answer)) {
    if ((await videos.miss(job)) || videos.isStuck(job)) await fail(job, VANISHED, status, services);
    return;
  }
  const isAnswer = answer?.kind === 'answer' && status >= 200 && status <= 299;
  const video = isAnswer ? (access?.questions.decodeJob(answer.body) ?? null) : null;
  if (video?.status === 'completed') await complete(job, video, status, services);
  else if (video?.status === 'failed') await fail(job, explain(job, video, services), status, services);
  else if (videos.isStuck(job)) await fail(job, STUCK, status, services);
  else await videos.note(job, video);
}

const isUnknownJob = (answer: UpstreamAnswer | null): boolean =>
  answer?.kind === 'answer' && (answer.status === 404 || answer.status === 410);

/** The upstream's words are for the log; which of two reasons it was is for the owner. */
function explain(
  { id, byokKeyId }: VideoJob,
  { isRefused, detail }: UpstreamVideo,
  { logger }: AdvanceVideoServices,
): VideoError {
  logger.info({ jobId: id, detail: byokKeyId === null ? detail : undefined }, 'a video failed');
  return isRefused ? REFUSED : FAILED;
}

async function complete(
  job: VideoJob,
  video: UpstreamVideo,
  upstreamStatus: number,
  services: AdvanceVideoServices,
): Promise<void> {
  const decided = await services.videos.decide(job, { outcome: 'completed', video, upstreamStatus });
  if (decided !== null) await endVideo(decided, services);
}

async function fail(
  job: VideoJob,
  error: VideoError,
  upstreamStatus: number,
  services: AdvanceVideoServices,
): Promise<void> {
  const decided = await services.videos.decide(job, { outcome: 'failed', error, upstreamStatus });
  if (decided !== null) await endVideo(decided, services);
}
