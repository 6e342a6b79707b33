// Writes what the cache of answers has saved, every few seconds and once more at the end.

import type { Savings } from '../modules/answers/savings.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const SAVINGS_INTERVAL_MS = 5_000;

type SavingsUpkeep = Readonly<{ savings: Pick<Savings, 'write'>; clock: Clock; logger: Logger }>;

export function startKeepingSavings({ savings, clock, logger }: SavingsUpkeep): () => Promise<void> {
  const write = async (): Promise<void> => {
    try {
      await savings.write();
    } catch (error) {
      // A database that is away is reported elsewhere, and what could not be written is written later.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'the savings of the cache were not written');
    }
  };
  const stop = clock.every(SAVINGS_INTERVAL_MS, () => void write());
  return async () => {
    stop();
    await write();
  };
}
