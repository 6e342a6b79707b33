// POST /v1/videos and /v1/video/generations: orders a video. The answer is the job; what becomes of it is asked for later.

import { POLL_HEADERS } from '../../dialects/video/poll-headers.ts';
import { renderJob } from '../../dialects/video/render-job.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import { submitVideo, type VideoServices } from '../../pipeline/videos/submit-video.ts';
import type { SiteServices } from '../auth/same-site.ts';

export const submitVideoEndpoint =
  (services: VideoServices & Pick<SiteServices, 'siteUrl'>): Handler =>
  async (exchange) => {
    const job = await submitVideo(exchange, services);
    const headers = ['X-Generation-Id', job.generationId, ...POLL_HEADERS];
    sendJson(exchange, 202, renderJob(job, { siteUrl: services.siteUrl(), base: '' }), headers);
  };
