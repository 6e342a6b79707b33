// The routes of pictures.

import type { RouteRow } from '../../http/exchange.ts';
import type { Once } from '../../pipeline/repeats/run-once.ts';
import { createEdits, createGenerations, createInlineImages, type ImageServices } from '../inference/routes.ts';
import { readImage } from './proxy.ts';

/** Eight files of 10 MB, and the rest of the form. */
const FORM_BYTES_MAX = 81 * 1024 * 1024;

// biome-ignore format: a table reads best with one row a line.
export function imageRoutes(services: ImageServices, once: Once): readonly RouteRow[] {
  return [
    { method: 'POST', path: '/v1/images', access: 'model', handle: once(createInlineImages(services)) },
    { method: 'POST', path: '/v1/images/generations', access: 'model', handle: once(createGenerations(services)) },
    { method: 'POST', path: '/v1/images/edits', access: 'model', bodyBytesMax: FORM_BYTES_MAX, handle: once(createEdits(services)) },
    { method: 'GET', path: '/v1/images/proxy/:token', access: 'public', handle: readImage(services) },
    { method: 'HEAD', path: '/v1/images/proxy/:token', access: 'public', handle: readImage(services) },
  ];
}
