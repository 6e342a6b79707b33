// Writes once a minute how routes did, so that the last day can be shown. A minute that could not be written is lost;
// nothing depends on it.

import type { RouteHistory } from '../modules/routing/history.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const HISTORY_INTERVAL_MS = 60_000;

type HistoryKeeping = Readonly<{ routeHistory: Pick<RouteHistory, 'write'>; clock: Clock; logger: Logger }>;

/** Stopping it writes what is left. */
export function startKeepingHistory({ routeHistory, clock, logger }: HistoryKeeping): () => Promise<void> {
  const failure = 'the history of routes was not written';
  const options = { intervalMs: HISTORY_INTERVAL_MS, failure, clock, logger };
  const { now, stop } = startRounds(() => routeHistory.write(), options);
  return async () => {
    await stop();
    await now();
  };
}
