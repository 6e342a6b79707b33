// Reads the secrets that the config file refers to again, so that a key that was changed at its source is used soon. A
// source that is away changes nothing: the last value stays.

import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';

const SECRETS_INTERVAL_MS = 60_000;

type SecretsJob = Readonly<{ refresh(): Promise<void>; clock: Clock; logger: Logger }>;

/** Runs regularly. Stopping it waits for the run under way. */
export function startRefreshingSecrets({ refresh, clock, logger }: SecretsJob): () => Promise<void> {
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    try {
      await refresh();
    } catch (error) {
      logger.warn({ reason: error instanceof Error ? error.message : '' }, 'secrets could not be read again');
    }
  };
  const stop = clock.every(SECRETS_INTERVAL_MS, () => {
    running ??= run().finally(() => {
      running = null;
    });
  });
  return async () => {
    stop();
    await running;
  };
}
