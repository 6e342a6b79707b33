// Closes the months of the journal some time after they are over, adds up those of usage, and begins partitions some
// time after an upgrade. If it is late, only a check or a report takes longer, so a round that fails is left to the
// next.

import type { Books } from '../modules/ledger/books.ts';
import type { UsageUpkeep } from '../modules/usage/upkeep.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { inTurn } from '../platform/in-turn.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const CLOSING_INTERVAL_MS = 3_600_000;

type ClosingJob = Readonly<{
  books: Pick<Books, 'closeMonths' | 'beginMonths' | 'inSession' | 'stop'>;
  usageUpkeep: Pick<UsageUpkeep, 'addUpMonths'>;
  clock: Clock;
  logger: Logger;
}>;

/**
 * Runs at once and then regularly. Stopping it interrupts the round under way, which continues after the next start.
 */
export function startClosingMonths({ books, usageUpkeep, clock, logger }: ClosingJob): () => Promise<void> {
  let isStopped = false;
  const round = async (): Promise<void> => {
    if (isStopped) return;
    try {
      await inTurn([
        async () => {
          const sealed = await books.closeMonths();
          if (sealed.length > 0) logger.info({ months: sealed.join(', ') }, 'months of the journal were sealed');
        },
        () => books.beginMonths(),
        async () => {
          if (isStopped) return;
          const addedUp = await books.inSession((session) => usageUpkeep.addUpMonths(session, clock.nowMs()));
          if (addedUp.length > 0) logger.info({ months: addedUp.join(', ') }, 'months of usage were added up');
        },
      ]);
    } catch (error) {
      const level = isStopped || isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'months could not be closed or added up; it is tried again in an hour');
    }
  };
  let running = round();
  const stop = clock.every(CLOSING_INTERVAL_MS, () => {
    running = running.then(round);
  });
  return async () => {
    isStopped = true;
    stop();
    await books.stop();
    await running;
  };
}
