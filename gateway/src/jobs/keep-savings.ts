// Writes what the cache of answers has saved, every few seconds and once more at the end.

import type { Savings } from '../modules/answers/savings.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';

export const SAVINGS_INTERVAL_MS = 5_000;

type SavingsUpkeep = Readonly<{ savings: Pick<Savings, 'write'>; clock: Clock; logger: Logger }>;

export function startKeepingSavings({ savings, clock, logger }: SavingsUpkeep): () => Promise<void> {
  const write = async (): Promise<void> => {
    try {
      await savings.write();
    } catch (error) {
      // What could not be written is written later.
      reportFailure(logger, error, 'the savings of the cache were not written');
    }
  };
  const stop = clock.every(SAVINGS_INTERVAL_MS, () => void write());
  return async () => {
    stop();
    await write();
  };
}
