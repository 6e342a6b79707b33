// Renews the rows of repeatable calls that run here, and removes expired ones.

import { REPEATS_BEAT_MS, type Repeats } from '../modules/repeats/repeats.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const REPEATS_SWEEP_MS = 60_000;

type RepeatUpkeep = Readonly<{ repeats: Pick<Repeats, 'beat' | 'sweep'>; clock: Clock; logger: Logger }>;

/** Stopping it waits for the rounds under way. */
export function startKeepingRepeats({ repeats, clock, logger }: RepeatUpkeep): () => Promise<void> {
  const repeated = (intervalMs: number, run: () => Promise<unknown>): (() => Promise<void>) => {
    let running: Promise<unknown> | null = null;
    const stop = clock.every(intervalMs, () => {
      // A round that takes longer than its interval is not overtaken by the next.
      running ??= run()
        .catch((error: unknown) => {
          // A database that is away is reported elsewhere.
          const level = isConnectionFailure(error) ? 'debug' : 'error';
          logger[level]({ error: asError(error) }, 'the rows of repeatable calls could not be renewed or removed');
        })
        .finally(() => {
          running = null;
        });
    });
    return async () => {
      stop();
      await running;
    };
  };
  const stops = [repeated(REPEATS_BEAT_MS, () => repeats.beat()), repeated(REPEATS_SWEEP_MS, () => repeats.sweep())];
  return async () => {
    for (const stop of stops) await stop();
  };
}
