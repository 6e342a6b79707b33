// Removes pictures whose addresses have all expired. Nothing depends on it, because an address contains its own expiry.

import type { Media } from '../modules/media/media.ts';
import type { Clock } from '../platform/clock.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const MEDIA_INTERVAL_MS = 600_000;

type MediaSweeping = Readonly<{ media: Pick<Media, 'sweep'>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startMediaSweeping(options: MediaSweeping): () => Promise<void> {
  let running: Promise<void> | null = null;
  const stop = options.clock.every(MEDIA_INTERVAL_MS, () => {
    running ??= run(options).finally(() => {
      running = null;
    });
  });
  return async () => {
    stop();
    await running;
  };
}

async function run({ media, logger }: MediaSweeping): Promise<void> {
  try {
    await media.sweep();
  } catch (error) {
    logger.error({ error: asError(error) }, 'old pictures could not be removed');
  }
}
