// The events of a stream that makes pictures, in order: a heartbeat now and then, two for each picture, the usage, and
// the end. They are plain ASCII, however the writer treats text.

import type { ShownImage } from '../../canonical/images.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { escapeNonAscii } from '../chat/frames.ts';
import type { Bill } from '../dialect.ts';

export const HEARTBEAT_EVENT = event('heartbeat', {});
export const DONE_EVENT = event('done', {});

/** The upstream's address of the picture, and ours. */
export function imageEvents(images: readonly ShownImage[]): string {
  return images
    .map(({ url, upstreamUrl }, index) => {
      const made = event('image', { index, url: upstreamUrl ?? url });
      return made + event('image-cached', { index, url });
    })
    .join('');
}

export function usageEvent({ usage, costUsd }: Bill, durationMs: number): string {
  return event('usage', {
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cost: costUsd,
    durationMs,
    imageCount: usage.units?.images ?? 0,
  });
}

export const errorEvent = (error: ApiError): string => event('error', error.envelope());

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${escapeNonAscii(JSON.stringify(data))}\n\n`;
}
