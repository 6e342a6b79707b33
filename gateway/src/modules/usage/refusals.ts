// The record of refused calls: what the client was told, and never what it had sent. It is kept in memory for a moment
// and written in batches, so that no answer waits for it. A client that is refused thousands of times fills neither
// memory nor disk: beyond a number of rows each minute and day an account's refusals are only counted, and a written
// row stands for those that were not.

import { DAY_MS } from '../../canonical/calendar.ts';
import { windowStartMs } from '../../canonical/spend-window.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { forgetRefusals, insertRefusals, type RefusalRow } from './store/refusals.ts';

const FLUSH_MS = 1_000;
const FORGET_MS = 3_600_000;
const KEEP_DAYS = 30;
const FORGET_BATCH = 10_000;

/** For one account, and for all callers without a key together. */
const ROWS_PER_MINUTE = 20;
const ROWS_PER_DAY = 2_000;
/** For this process. */
const ROWS_PER_FLUSH = 500;
const ACCOUNTS_MAX = 20_000;
/** Beyond its rows an account gets one row for this many refusals, and then for ten times as many each time. */
const FIRST_STEP = 100;

const MESSAGE_LENGTH_MAX = 300;
const NAME_LENGTH_MAX = 200;

type Refusal = Omit<RefusalRow, 'standsFor'>;

export type Refusals = Readonly<{
  note(refusal: Refusal): void;
  /** Writes what is left. */
  close(): Promise<void>;
}>;

type Tally = { minuteMs: number; inMinute: number; dayMs: number; inDay: number; uncounted: number; step: number };

export function createRefusals({
  database,
  clock,
  logger,
}: Readonly<{ database: Queryable; clock: Clock; logger: Logger }>): Refusals {
  const tallies = new Map<string, Tally>();
  let waiting: RefusalRow[] = [];
  let writing = Promise.resolve();

  const write = async (): Promise<void> => {
    const rows = waiting;
    waiting = [];
    if (rows.length === 0) return;
    try {
      await insertRefusals(database, rows);
    } catch (error) {
      // Losing these records is acceptable: with the database away there is nowhere to keep them.
      logger.debug({ error: asError(error), rows: rows.length }, 'refused calls were not recorded');
    }
  };
  const forget = async (): Promise<void> => {
    try {
      const before = new Date(clock.nowMs() - KEEP_DAYS * DAY_MS);
      while ((await forgetRefusals(database, before, FORGET_BATCH)) === FORGET_BATCH);
    } catch (error) {
      logger.debug({ error: asError(error) }, 'old refused calls were not removed');
    }
  };
  const then = (work: () => Promise<void>): void => {
    writing = writing.then(work);
  };
  const stops = [clock.every(FLUSH_MS, () => then(write)), clock.every(FORGET_MS, () => then(forget))];

  return {
    note(refusal) {
      if (waiting.length >= ROWS_PER_FLUSH) return;
      if (tallies.size >= ACCOUNTS_MAX) tallies.clear();
      const standsFor = weigh(tallies, refusal.accountId ?? '', refusal.atMs);
      if (standsFor === 0) return;
      waiting.push({
        ...refusal,
        standsFor,
        model: refusal.model?.slice(0, NAME_LENGTH_MAX).replaceAll('\0', '') ?? null,
        appName: refusal.appName?.replaceAll('\0', '') ?? null,
        message: refusal.message.slice(0, MESSAGE_LENGTH_MAX).replaceAll('\0', ''),
      });
    },
    async close() {
      for (const stop of stops) stop();
      then(write);
      await writing;
    },
  };
}

/** How many refusals the row stands for; zero when no row is written. */
function weigh(tallies: Map<string, Tally>, accountId: string, atMs: number): number {
  const minuteMs = windowStartMs('minute', atMs);
  const dayMs = windowStartMs('day', atMs);
  const tally = tallies.get(accountId) ?? { minuteMs, inMinute: 0, dayMs, inDay: 0, uncounted: 0, step: FIRST_STEP };
  tallies.set(accountId, tally);
  if (tally.minuteMs !== minuteMs) Object.assign(tally, { minuteMs, inMinute: 0, step: FIRST_STEP });
  if (tally.dayMs !== dayMs) Object.assign(tally, { dayMs, inDay: 0 });
  tally.uncounted += 1;
  const hasRoom = tally.inMinute < ROWS_PER_MINUTE && tally.inDay < ROWS_PER_DAY;
  if (!hasRoom && tally.uncounted < tally.step) return 0;
  if (!hasRoom) tally.step *= 10;
  tally.inMinute += 1;
  tally.inDay += 1;
  const standsFor = tally.uncounted;
  tally.uncounted = 0;
  return standsFor;
}
