// How routes did over the last day, for all processes together and across restarts. It is shown to people; nothing is
// decided by it.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { RouteIdentity } from './route-health.ts';
import { addTallies, type TallySums } from './route-tally.ts';
import { addHistory, forgetHistory, type HistoryRow, type RouteSums, readHistory } from './store.ts';

export const HISTORY_BUCKET_MS = 900_000;
const HISTORY_SPAN_MS = DAY_MS;
const FORGET_EVERY_MS = 3_600_000;

/** What happened at a route in a span of time; null where there was nothing to average. */
export type HistoryPoint = Readonly<{
  atMs: number;
  calls: number;
  failures: number;
  latencyMs: number | null;
  tokensPerSecond: number | null;
}>;

export type RouteHistory = Readonly<{
  /** Adds what this process has counted since the last write. */
  write(): Promise<void>;
  /** The last day of each of these routes, in their order, in spans of this length. */
  read(routes: readonly RouteIdentity[], spanMs: number): Promise<readonly (readonly HistoryPoint[])[]>;
}>;

type RouteHistoryOptions = Readonly<{
  database: Queryable;
  clock: Clock;
  takeSums(): readonly RouteSums[];
}>;

export function createRouteHistory({ database, clock, takeSums }: RouteHistoryOptions): RouteHistory {
  let forgottenMs = Number.NEGATIVE_INFINITY;
  return {
    async write() {
      const nowMs = clock.nowMs();
      const sums = takeSums();
      if (sums.length > 0) await addHistory(database, nowMs - (nowMs % HISTORY_BUCKET_MS), sums);
      if (nowMs - forgottenMs < FORGET_EVERY_MS) return;
      forgottenMs = nowMs;
      await forgetHistory(database, nowMs - HISTORY_SPAN_MS - HISTORY_BUCKET_MS);
    },
    async read(routes, spanMs) {
      if (routes.length === 0) return [];
      const nowMs = clock.nowMs();
      const sinceMs = nowMs - (nowMs % spanMs) + spanMs - HISTORY_SPAN_MS;
      const rows = await readHistory(database, routes, sinceMs);
      return routes.map(({ providerName, upstreamModel }) =>
        pointsOf(
          rows.filter((row) => row.providerName === providerName && row.upstreamModel === upstreamModel),
          spanMs,
        ),
      );
    },
  };
}

function pointsOf(rows: readonly HistoryRow[], spanMs: number): readonly HistoryPoint[] {
  const spans = new Map<number, TallySums>();
  for (const row of rows) {
    const atMs = row.atMs - (row.atMs % spanMs);
    const known = spans.get(atMs);
    spans.set(atMs, known === undefined ? row : addTallies(known, row));
  }
  return [...spans].map(([atMs, sums]) => ({
    atMs,
    calls: sums.calls,
    failures: sums.failures,
    latencyMs: sums.latencyCount === 0 ? null : sums.latencyMsSum / sums.latencyCount,
    tokensPerSecond: sums.speedCount === 0 ? null : sums.tokensPerSecondSum / sums.speedCount,
  }));
}
