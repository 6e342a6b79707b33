// Closes the months of the journal some time after they are over, and has partitions begin some time after an upgrade.
// Either may be late at no cost but the self-check's time, so a round that fails is left to the next.

import type { Books } from '../modules/ledger/books.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import type { Logger } from '../platform/logger.ts';

export const CLOSING_INTERVAL_MS = 3_600_000;

type ClosingJob = Readonly<{
  books: Pick<Books, 'closeMonths' | 'beginMonths' | 'stop'>;
  clock: Clock;
  logger: Logger;
}>;

/** Runs at once and then regularly. Stopping it breaks off the round under way, which goes on after the next start. */
export function startClosingMonths({ books, clock, logger }: ClosingJob): () => Promise<void> {
  let isStopped = false;
  const round = async (): Promise<void> => {
    if (isStopped) return;
    try {
      const sealed = await books.closeMonths();
      if (sealed.length > 0) logger.info({ months: sealed.join(', ') }, 'months of the journal were sealed');
      await books.beginMonths();
    } catch (error) {
      const level = isStopped || isConnectionFailure(error) ? 'debug' : 'error';
      logger[level](
        { error: error instanceof Error ? error : new Error(String(error)) },
        'months of the journal could not be closed; it is tried again in an hour',
      );
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
