// Renews the rows of repeatable calls that run here, and removes expired ones.

import { REPEATS_BEAT_MS, type Repeats } from '../modules/repeats/repeats.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const REPEATS_SWEEP_MS = 60_000;

type RepeatUpkeep = Readonly<{ repeats: Pick<Repeats, 'beat' | 'sweep'>; clock: Clock; logger: Logger }>;

/** Stopping it waits for the rounds under way. */
export function startKeepingRepeats({ repeats, clock, logger }: RepeatUpkeep): () => Promise<void> {
  const failure = 'the rows of repeatable calls could not be renewed or removed';
  const beats = startRounds(() => repeats.beat(), { intervalMs: REPEATS_BEAT_MS, failure, clock, logger });
  const sweeps = startRounds(() => repeats.sweep(), { intervalMs: REPEATS_SWEEP_MS, failure, clock, logger });
  return async () => {
    await Promise.all([beats.stop(), sweeps.stop()]);
  };
}
