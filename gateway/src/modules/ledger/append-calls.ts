// Adds finished calls to the database in one statement, when this process's slices carry all of them. Whatever the
// database will not take that way, because a call is there already or a value is bad, is left to the careful way.

import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { inTime, isBadEntry } from './commit-each.ts';
import { PriceListKeeper } from './commit-settlements.ts';
import { asError } from './ledger-error.ts';
import type { FinishedCall } from './settlement-entry.ts';
import { appendCalls } from './store/append.ts';

/** False, with nothing added, when the calls must be written one way or another that looks at their accounts. */
export type AppendCalls = (calls: readonly FinishedCall[]) => Promise<boolean>;

export function callAppender(
  input: Readonly<{ database: Database; processId: () => string; logger: Logger }>,
): AppendCalls {
  const { database, processId, logger } = input;
  const priceLists = new PriceListKeeper();
  return async (calls) => {
    try {
      const keeping = priceLists.keepNew(database, calls);
      if (keeping !== null) await inTime(keeping);
      return await inTime(appendCalls(database, processId(), calls));
    } catch (error) {
      if (!isBadEntry(error)) throw error;
      logger.warn({ error: asError(error), calls: calls.length }, 'calls are written with care');
      return false;
    }
  };
}
