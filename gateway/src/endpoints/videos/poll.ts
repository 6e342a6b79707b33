// GET /v1/videos/{id} and /v1/video/generations/{id}: how a job is doing. Asking moves it on, unless its upstream was
// asked a moment ago: then what is known is the answer.

import { POLL_HEADERS } from '../../dialects/video/poll-headers.ts';
import { renderJob } from '../../dialects/video/render-job.ts';
import { sendJson } from '../../http/respond.ts';
import { type AdvanceVideoServices, advanceVideo } from '../../pipeline/videos/advance-video.ts';
import type { SiteServices } from '../auth/same-site.ts';
import type { CallerHandler } from '../protect.ts';
import { findJob } from './find-job.ts';

export const pollVideo =
  (services: AdvanceVideoServices & Pick<SiteServices, 'siteUrl'>): CallerHandler =>
  async (exchange, caller) => {
    const { videos } = services;
    const known = await findJob(exchange, caller, services);
    const claimed = known.phase === 'open' ? await videos.claim(known.id) : null;
    if (claimed !== null) await advanceVideo(claimed, services);
    const job = claimed === null ? known : ((await videos.find(caller.accountId, known.id)) ?? known);
    const isOver = job.phase === 'ended';
    sendJson(exchange, 200, renderJob(job, { siteUrl: services.siteUrl(), base: '' }), isOver ? [] : POLL_HEADERS);
  };
