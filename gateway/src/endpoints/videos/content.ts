// GET and HEAD /v1/videos/{id}/content and /v1/video/generations/{id}/content: the video itself, or a part of it.

import { ApiError } from '../../errors/api-error.ts';
import type { Videos } from '../../modules/videos/videos.ts';
import { relayContent } from '../../pipeline/videos/relay-content.ts';
import type { VideoAccessServices } from '../../pipeline/videos/upstream-access.ts';
import type { CallerHandler } from '../protect.ts';
import { findJob } from './jobs.ts';

const INDEX = /^\d+$/;

export const readVideoContent =
  (services: VideoAccessServices & Readonly<{ videos: Pick<Videos, 'find'> }>): CallerHandler =>
  async (exchange, caller) => {
    const query = new URLSearchParams(exchange.queryText);
    const index = readIndex(query.get('index'));
    const variant = query.get('variant') ?? 'video';
    if (variant !== 'video') {
      throw new ApiError('unsupported_param', 'variant: only the video itself is available, not previews of it.');
    }
    const job = await findJob(exchange, caller, services);
    if (job.status !== 'completed') {
      const words = job.status === 'failed' ? 'The video could not be made.' : 'The video is not finished yet.';
      throw new ApiError('http_409', words, { isTerminal: true });
    }
    if (index >= job.outputCount) throw new ApiError('http_404', 'The job has no video with this index.');
    await relayContent({ exchange, job, index }, services);
  };

function readIndex(text: string | null): number {
  if (text === null) return 0;
  if (!INDEX.test(text)) throw new ApiError('http_400', 'index must be a whole number from 0 up.');
  return Number(text);
}
