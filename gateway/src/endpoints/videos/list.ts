// GET /v1/videos: an account's jobs, or for the key of a plain member the holder's own, the newest first. A client that
// lost the answer to an order finds the job here, and need not order it again.

import { renderJob } from '../../dialects/video/render-job.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import type { SiteServices } from '../auth/same-site.ts';
import type { CallerHandler } from '../protect.ts';
import { readerOf } from './jobs.ts';

const LIMIT_DEFAULT = 20;
export const LIMIT_MAX = 100;

export const listVideos =
  ({ videos, siteUrl }: Readonly<{ videos: Pick<Videos, 'list'> }> & Pick<SiteServices, 'siteUrl'>): CallerHandler =>
  async (exchange, caller) => {
    const query = new URLSearchParams(exchange.queryText);
    const limit = readLimit(query.get('limit'));
    const found = await videos.list({ ...readerOf(caller), after: query.get('after'), limit: limit + 1 });
    const data = found.slice(0, limit).map((job) => renderJob(job, { siteUrl: siteUrl(), base: '' }));
    sendJson(exchange, 200, {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: found.length > limit,
    });
  };

function readLimit(text: string | null): number {
  if (text === null) return LIMIT_DEFAULT;
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new ApiError('http_400', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
}
