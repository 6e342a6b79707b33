// Moves a video job on by one step: asks its upstream, decides what the answer means, and moves the money. The process
// that has claimed the job calls this, for a poll of the owner as well as in the background; any step can be repeated
// by another process.

import { zeroUsage } from '../../canonical/usage.ts';
import type { UpstreamVideo } from '../../canonical/video.ts';
import type { VideoError, VideoJob } from '../../canonical/video-job.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { ListedVideo } from '../../upstreams/protocol.ts';
import { fingerprintOf, NO_MONEY, recordOf } from './new-job.ts';
import { finalCost } from './price-video.ts';
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

/** The upstream's error text goes to the log; the owner is told which of two reasons it was. */
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

// Ends a job's money once its outcome is decided: charges or gives back, then shows the result. Running it again
// changes nothing, so a process that finds a job between the two steps finishes it.

type EndServices = Readonly<{
  videos: Videos;
  ledger: Pick<Ledger, 'settleDurable' | 'releaseDurable'>;
  clock: Clock;
  metrics: Pick<Metrics, 'settlement'>;
}>;

/** For a job that no process has advanced for a day: its money has been given back, so its video is not shown. */
const TOO_LATE: VideoError = {
  code: 'expired',
  message: 'The video was finished too late to be billed. Nothing was charged.',
};

async function endVideo(job: VideoJob, services: EndServices): Promise<void> {
  assert(job.phase === 'ending', 'a job is decided before its money is moved');
  if (job.outcome === 'completed') await charge(job, services);
  else await giveBack(job, services);
}

async function charge(job: VideoJob, { videos, ledger, clock, metrics }: EndServices): Promise<void> {
  const { price, costNanoUsd, implausibleNanoUsd, markupNanoUsd, videoMs } = finalCost(job);
  const money = {
    subtotalNanoUsd: costNanoUsd,
    costNanoUsd,
    absorbedNanoUsd: implausibleNanoUsd,
    markupNanoUsd,
    absorbedReason: implausibleNanoUsd === 0n ? null : 'implausible',
    usage: { ...zeroUsage, units: { videoMs } },
  };
  const record = recordOf(job, money, clock.nowMs());
  // The price list of a charge of zero is not kept.
  const settlement = await ledger.settleDurable(job.generationId, record, {
    priceList: costNanoUsd === 0n ? undefined : price.list,
    mayExceedReservation: true,
  });
  if (settlement === null) await videos.end(job, { costNanoUsd: 0n, expired: TOO_LATE });
  else await videos.end(job, { costNanoUsd: settlement.chargedNanoUsd });
  metrics.settlement(settlement === null ? 'released' : 'settled');
}

async function giveBack(job: VideoJob, { videos, ledger, clock, metrics }: EndServices): Promise<void> {
  const reason = job.error?.code ?? 'failed';
  await ledger.releaseDurable(job.generationId, reason, recordOf(job, NO_MONEY, clock.nowMs()));
  await videos.end(job, { costNanoUsd: 0n });
  metrics.settlement('released');
}

// Looks in the upstream's own list for a job whose creation was not answered. A job there is taken for ours only when
// it can belong to no one else, because a mistake would show one customer's video to another.

type SearchServices = VideoAccessServices &
  Readonly<{ videos: Videos; videoFingerprintKey: Buffer; clock: Clock; logger: Logger }>;

/** How far an upstream's clock may be from ours. */
const SKEW_MS = 120_000;

async function searchJob(job: VideoJob, services: SearchServices): Promise<void> {
  const { videos, logger } = services;
  const found = await find(job, services);
  if (found !== null && (await videos.adopt(job, found.id))) {
    logger.warn({ jobId: job.id }, 'a video was found whose order had lost its answer');
    return;
  }
  await videos.postponeSearch(job);
}

/** Null unless the list has exactly one such job, and exactly one job of ours could be it. */
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
