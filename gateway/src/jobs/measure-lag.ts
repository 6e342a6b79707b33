// Looks now and then for work that is due and not done, for the metrics. The database is asked and not the jobs
// themselves, because a job that has stopped cannot report it.

import type { Clock } from '../platform/clock.ts';
import { inTurn } from '../platform/in-turn.ts';
import type { CountRound } from '../platform/job-metrics.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const LAG_INTERVAL_MS = 10_000;

/** Since when the oldest work has been due; null where none is. */
type OldestDue = () => Promise<Date | null>;

type LagMeasuring = Readonly<{
  queues: Readonly<Record<string, OldestDue>>;
  clock: Clock;
  logger: Logger;
  countRound: CountRound;
}>;

type Lag = Readonly<{
  /** As of the last look, plus the time since. */
  ageMs(queue: string): number | null;
  /** Waits for the look under way. */
  stop(): Promise<void>;
}>;

/** Looks at once and then regularly. */
export function startLagMeasuring({ queues, clock, logger, countRound }: LagMeasuring): Lag {
  const oldest = new Map<string, Date | null>();
  const look = (): Promise<void> =>
    inTurn(
      Object.entries(queues).map(
        ([name, read]) =>
          async () =>
            oldest.set(name, await read()),
      ),
    );
  const failure = 'due work could not be looked for';
  const { now, stop } = startRounds(() => countRound(look()), { intervalMs: LAG_INTERVAL_MS, failure, clock, logger });
  void now();
  return {
    ageMs(queue) {
      const since = oldest.get(queue) ?? null;
      return since === null ? null : Math.max(0, clock.nowMs() - since.getTime());
    },
    stop,
  };
}
