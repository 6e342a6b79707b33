// One clock for all processes of a database: the database's own. Windows of limits, caps and quotas follow it, so that
// a machine with a wrong clock grants nothing twice. Durations use the machine's monotonic clock.

import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Queryable, sql } from './database.ts';

const MEASURE_MS = 10_000;
/** A slower answer says too little about when it was given. */
const ROUND_TRIP_MS_MAX = 500;
/** A smaller difference is within the error of measurement. */
const NOISE_MS = 20;
const WRONG_MS = 2_000;

const timeStatement = sql('clock_read', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"');

type DatabaseClock = Readonly<{
  clock: Clock;
  measure(): Promise<void>;
  stop(): void;
}>;

export function followDatabase(machine: Clock, database: Queryable, logger: Logger): DatabaseClock {
  let aheadMs = 0;
  let isWrong = false;

  async function measure(): Promise<void> {
    const askedMs = machine.monotonicMs();
    const askedAtMs = machine.nowMs();
    const [row] = await database.query<{ nowMs: number }>(timeStatement);
    const roundTripMs = machine.monotonicMs() - askedMs;
    if (row === undefined || roundTripMs > ROUND_TRIP_MS_MAX) return;
    const measuredMs = row.nowMs - (askedAtMs + roundTripMs / 2);
    if (Math.abs(measuredMs - aheadMs) <= NOISE_MS + roundTripMs) return;
    aheadMs = Math.round(measuredMs);
    const wasWrong = isWrong;
    isWrong = Math.abs(aheadMs) > WRONG_MS;
    if (isWrong && !wasWrong)
      logger.warn({ aheadMs }, "this machine's clock differs from the database's, which is used");
  }

  const stop = machine.every(MEASURE_MS, () => {
    // While the database is away the last known difference is used.
    measure().catch(() => {});
  });
  const clock: Clock = {
    nowMs: () => machine.nowMs() + aheadMs,
    monotonicMs: () => machine.monotonicMs(),
    every: (intervalMs, run) => machine.every(intervalMs, run),
    sleep: (durationMs) => machine.sleep(durationMs),
  };
  return { clock, measure, stop };
}
