// The log of what operators did, reading included: who, which route, about what, from where. An entry is written before
// the route is served, so that no action goes unrecorded. It holds no body, because a body may contain passwords.

import type { Clock } from '../../platform/clock.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import {
  insertOperatorEntry,
  listOperatorEntries,
  type OperatorAction,
  type OperatorEntryRow,
  type OperatorLogQuery,
} from './store/operator-log.ts';

export type OperatorLog = Readonly<{
  record(action: OperatorAction): Promise<void>;
  /** Newest first. */
  list(query: OperatorLogQuery): Promise<readonly OperatorEntryRow[]>;
}>;

type OperatorLogOptions = Readonly<{ database: Database; clock: Clock; logger: Logger }>;

export const createOperatorLog = ({ database, clock, logger }: OperatorLogOptions): OperatorLog => ({
  async record(action) {
    try {
      await insertOperatorEntry(database, { ...action, createdAt: new Date(clock.nowMs()) });
    } catch (error) {
      // An operator who looks for the fault must get an answer while the database is away; this log line is the record
      // then.
      if (!isConnectionFailure(error)) throw error;
      const { method, route, requestId, operatorUserId } = action;
      logger.error(
        { alert: 'operator-log', method, route, requestId, operatorUserId },
        'an action of the operator could not be written to its log and is recorded only here',
      );
    }
  },
  list: (query) => listOperatorEntries(database, query),
});
