// What the database knows of the use of free quotas: the day of a user, added up from the records of its calls.

import { DAY_MS } from '../../canonical/calendar.ts';
import { temporaryOutage } from '../../errors/api-error.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { forgetFreeUsage, readFreeUsage } from './store.ts';

/** A day that is over is kept only for processes whose clocks are behind. */
const KEPT_MS = DAY_MS;

export type QuotaBooks = Readonly<{
  /** Units by model, of the day that begins at a moment. Throws a 503 when they cannot be read. */
  read(subject: string, dayMs: number): Promise<ReadonlyMap<string, number>>;
  /** Removes the rows of past days. */
  turnDay(dayMs: number): void;
}>;

export function openQuotaBooks(database: Database, logger: Logger): QuotaBooks {
  return {
    async read(subject, dayMs) {
      try {
        const [accountId = '', userId = ''] = subject.split(' ');
        const rows = await readFreeUsage(database, { accountId, userId }, dayMs);
        return new Map(rows.map(({ modelId, units }) => [modelId, Number(units)]));
      } catch (error) {
        const message = 'The free quota cannot be checked at the moment. Try again shortly.';
        throw temporaryOutage(message, 'the use of free quotas could not be read', error);
      }
    },
    turnDay(dayMs) {
      forgetFreeUsage(database, dayMs - KEPT_MS).catch((error: unknown) => {
        logger.warn({ error: asError(error) }, 'past days of free quotas were not removed');
      });
    },
  };
}
