// The routes of videos. Two families of paths lead to the same jobs.

import type { RouteRow } from '../../http/exchange.ts';
import type { Once } from '../../pipeline/repeats/run-once.ts';
import type { Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { readVideoContent } from './content.ts';
import { pollVideo, submitVideoEndpoint } from './jobs.ts';
import { listVideos } from './list.ts';

// biome-ignore format: a table reads best with one row a line.
export function videoRoutes(services: Services, { caller }: Protect, once: Once): readonly RouteRow[] {
  return [
    { method: 'POST', path: '/v1/videos', access: 'model', handle: once(submitVideoEndpoint(services)) },
    { method: 'POST', path: '/v1/video/generations', access: 'model', handle: once(submitVideoEndpoint(services)) },
    { method: 'GET', path: '/v1/videos', access: 'account', handle: caller(listVideos(services)) },
    { method: 'GET', path: '/v1/video/generations', access: 'account', handle: caller(listVideos(services)) },
    { method: 'GET', path: '/v1/videos/:id', access: 'account', handle: caller(pollVideo(services)) },
    { method: 'GET', path: '/v1/video/generations/:id', access: 'account', handle: caller(pollVideo(services)) },
    { method: 'GET', path: '/v1/videos/:id/content', access: 'account', handle: caller(readVideoContent(services)) },
    { method: 'HEAD', path: '/v1/videos/:id/content', access: 'account', handle: caller(readVideoContent(services)) },
    { method: 'GET', path: '/v1/video/generations/:id/content', access: 'account', handle: caller(readVideoContent(services)) },
    { method: 'HEAD', path: '/v1/video/generations/:id/content', access: 'account', handle: caller(readVideoContent(services)) },
  ];
}
