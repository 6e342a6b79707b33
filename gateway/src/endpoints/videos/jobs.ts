// GET /v1/videos/{id} and /v1/video/generations/{id}: how a job is doing. Asking moves it on, unless its upstream was
// asked a moment ago: then what is known is the answer.

import type { VideoJob } from '../../canonical/video-job.ts';
import { renderJob } from '../../dialects/video/render-job.ts';
import { POLL_HEADERS } from '../../dialects/video/video-dialect.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { JobReader, Videos } from '../../modules/videos/videos.ts';
import { type AdvanceVideoServices, advanceVideo } from '../../pipeline/videos/advance-video.ts';
import { submitVideo, type VideoServices } from '../../pipeline/videos/submit-video.ts';
import type { SiteServices } from '../auth/same-site.ts';
import { type AccountHolder, type CallerHandler, figuresOf } from '../protect.ts';

export const pollVideo =
  (services: AdvanceVideoServices & Pick<SiteServices, 'siteUrl'>): CallerHandler =>
  async (exchange, caller) => {
    const { videos } = services;
    const known = await findJob(exchange, caller, services);
    const claimed = known.phase === 'open' ? await videos.claim(known.id) : null;
    if (claimed !== null) await advanceVideo(claimed, services);
    const job = claimed === null ? known : ((await videos.find(readerOf(caller), known.id)) ?? known);
    const isOver = job.phase === 'ended';
    sendJson(exchange, 200, renderJob(job, { siteUrl: services.siteUrl(), base: '' }), isOver ? [] : POLL_HEADERS);
  };

// POST /v1/videos and /v1/video/generations: orders a video. The answer is the job; what becomes of it is asked for
// later.

export const submitVideoEndpoint =
  (services: VideoServices & Pick<SiteServices, 'siteUrl'>): Handler =>
  async (exchange) => {
    const job = await submitVideo(exchange, services);
    const headers = ['X-Generation-Id', job.generationId, ...POLL_HEADERS];
    sendJson(exchange, 202, renderJob(job, { siteUrl: services.siteUrl(), base: '' }), headers);
  };

// The job that a path names. Another account's job is as unknown as one that never was, and so is that of a colleague
// for the key of a plain member.

const JOB_ID = /^vjob_[0-9a-f]{24}$/;

export const readerOf = (holder: AccountHolder): JobReader => ({
  accountId: holder.accountId,
  userId: figuresOf(holder),
});

export async function findJob(
  { params }: Exchange,
  holder: AccountHolder,
  { videos }: Readonly<{ videos: Pick<Videos, 'find'> }>,
): Promise<VideoJob> {
  const id = params.id ?? '';
  const job = JOB_ID.test(id) ? await videos.find(readerOf(holder), id) : null;
  if (job === null) throw new ApiError('http_404', 'There is no such video job.');
  return job;
}
