// Rounds of background work, one at a time: a round that takes longer than the interval is not overtaken by the next,
// and one that fails is reported and left to the next.

import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';

type RoundOptions = Readonly<{
  intervalMs: number;
  /** What is logged when a round fails. */
  failure: string;
  clock: Clock;
  logger: Logger;
}>;

type Rounds = Readonly<{
  /** Begins a round, or waits for the one under way. */
  now(): Promise<void>;
  /** Waits for the round under way. */
  stop(): Promise<void>;
}>;

export function startRounds(round: () => Promise<unknown>, options: RoundOptions): Rounds {
  const { intervalMs, failure, clock, logger } = options;
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    try {
      await round();
    } catch (error) {
      reportFailure(logger, error, failure);
    }
  };
  const now = (): Promise<void> => {
    // Not at the end of `run`: a round that throws at once would be over before it is noted as running.
    running ??= run().finally(() => {
      running = null;
    });
    return running;
  };
  const stopTimer = clock.every(intervalMs, () => void now());
  return {
    now,
    async stop() {
      stopTimer();
      await running;
    },
  };
}
