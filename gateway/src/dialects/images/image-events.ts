// The events of a stream that makes pictures, in the order in which they come: a heartbeat now and then, two for each
// picture, what it came to, and the end. They are plain ASCII, whatever the writer takes text for.

import type { ShownImage } from '../../canonical/images.ts';
import type { ApiError } from '../../errors/api-error.ts';
import { escapeNonAscii } from '../chat/frames.ts';
import type { Bill } from '../dialect.ts';

export const HEARTBEAT_EVENT = event('heartbeat', {});
export const DONE_EVENT = event('done', {});

/** Where the upstream has the picture, and where we have it. */
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
