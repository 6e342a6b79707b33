// One clock for all processes of a database: the database's own. Windows of limits, caps and quotas follow it, so that
// a machine with a wrong clock grants nothing twice. Durations use the machine's monotonic clock, and so does the time
// after the machine's clock was set, until the database has been asked again: nothing may expire a day early.

import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Queryable, sql } from './database.ts';

const MEASURE_MS = 10_000;
/** A slower answer says too little about when it was given. */
const ROUND_TRIP_MS_MAX = 500;
/** A smaller difference is within the error of measurement. */
const NOISE_MS = 20;
const WRONG_MS = 2_000;
/** The machine's two clocks run alike, so that a greater difference means that one of them was set, or stood still. */
const STEP_MS = 1_000;
const MEASURE_AGAIN_MS = 500;

const timeStatement = sql('clock_read', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS "nowMs"');

type DatabaseClock = Readonly<{
  clock: Clock;
  measure(): Promise<void>;
  stop(): void;
}>;

export function followDatabase(machine: Clock, database: Queryable, logger: Logger): DatabaseClock {
  let aheadMs = 0;
  let isWrong = false;
  /** By how much the machine's wall clock was ahead of its monotonic one; null before the first measurement. */
  let offsetMs: number | null = null;
  let steppedAtMs = Number.NEGATIVE_INFINITY;

  async function measure(): Promise<void> {
    const askedMs = machine.monotonicMs();
    const askedAtMs = machine.nowMs();
    const [row] = await database.query<{ nowMs: number }>(timeStatement);
    const roundTripMs = machine.monotonicMs() - askedMs;
    if (row === undefined || roundTripMs > ROUND_TRIP_MS_MAX) return;
    offsetMs = askedAtMs - askedMs;
    const measuredMs = row.nowMs - (askedAtMs + roundTripMs / 2);
    if (Math.abs(measuredMs - aheadMs) <= NOISE_MS + roundTripMs) return;
    aheadMs = Math.round(measuredMs);
    const wasWrong = isWrong;
    isWrong = Math.abs(aheadMs) > WRONG_MS;
    if (isWrong && !wasWrong)
      logger.warn({ aheadMs }, "this machine's clock differs from the database's, which is used");
  }
  const measureQuietly = (): void => {
    // While the database is away the last known difference is used.
    measure().catch(() => {});
  };
  const nowMs = (): number => {
    const machineMs = machine.nowMs();
    const runMs = machine.monotonicMs();
    if (offsetMs === null || Math.abs(machineMs - runMs - offsetMs) < STEP_MS) return machineMs + aheadMs;
    if (runMs - steppedAtMs >= MEASURE_AGAIN_MS) {
      steppedAtMs = runMs;
      measureQuietly();
    }
    return Math.round(runMs + offsetMs) + aheadMs;
  };

  const stop = machine.every(MEASURE_MS, measureQuietly);
  const clock: Clock = {
    nowMs,
    monotonicMs: () => machine.monotonicMs(),
    every: (intervalMs, run) => machine.every(intervalMs, run),
    sleep: (durationMs) => machine.sleep(durationMs),
  };
  return { clock, measure, stop };
}
