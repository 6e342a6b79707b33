// Writes once a minute how routes did, so that the last day can be shown. A minute that could not be written is lost;
// nothing depends on it.

import type { RouteHistory } from '../modules/routing/history.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const HISTORY_INTERVAL_MS = 60_000;

type HistoryKeeping = Readonly<{ routeHistory: Pick<RouteHistory, 'write'>; clock: Clock; logger: Logger }>;

/** Stopping it writes what is left. */
export function startKeepingHistory({ routeHistory, clock, logger }: HistoryKeeping): () => Promise<void> {
  let running: Promise<void> | null = null;
  const round = (): Promise<void> => {
    running ??= routeHistory
      .write()
      .catch((error: unknown) => {
        // A database that is away is reported elsewhere.
        const level = isConnectionFailure(error) ? 'debug' : 'error';
        logger[level]({ error: asError(error) }, 'the history of routes was not written');
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
  const stop = clock.every(HISTORY_INTERVAL_MS, () => void round());
  return async () => {
    stop();
    await running;
    await round();
  };
}
