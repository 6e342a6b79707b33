// Upkeep of the records and their sums: makes months ahead of time, drops old ones whole, and makes sums again from the
// records. A dropped month keeps its sums, which then cannot be made again.

import { DAY_MS, dayOf, daysFrom, monthAfter } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { addUpMonth, listDueMonths, lockAddingUp } from './store/added-up.ts';
import { dropMonth, ensureMonth, forgetHours, listDroppedMonths, listMonths } from './store/months.ts';
import { rebuildDay } from './store/rebuild.ts';

/** Months are named by their first days, `YYYY-MM-01`. */
export type UsageUpkeep = Readonly<{
  /** Makes the current month and the next ones; answers those that were missing. */
  ensureMonths(nowMs: number): Promise<readonly string[]>;
  /**
   * Removes the hourly sums of days older than this many days, and keeps the daily ones; answers how many rows were
   * removed.
   */
  forgetHours(nowMs: number, keepDays: number): Promise<number>;
  /**
   * Adds up past months, the newest first, in a session of its own, because a month may take long; answers which. A
   * month that calls were added to meanwhile is left.
   */
  addUpMonths(session: Queryable, nowMs: number): Promise<readonly string[]>;
  /** Drops the records of every month before this one; answers what was dropped. */
  dropMonthsBefore(firstDay: string): Promise<readonly string[]>;
  /** Months in a span of days whose records are gone. */
  droppedMonths(firstDay: string, lastDay: string): Promise<readonly string[]>;
  /** Makes the sums of each day again; answers how many rows were wrong. 409 for a day whose records were dropped. */
  rebuild(firstDay: string, lastDay: string): Promise<Readonly<{ days: number; wrongRows: number }>>;
}>;

const MONTHS_AHEAD = 2;
/** Older months are read by their days. */
const MONTHS_ADDED_UP = 36;
/** Most late calls have come by then. */
const ADDING_UP_GRACE_MS = 2 * DAY_MS;
const HOURS_TOGETHER = 2_000;
/** One round leaves the rest to the next: many years may be removed when the retention is first set. */
const HOURS_IN_A_ROUND = 500_000;

/** The month of this moment and the next ones, by their first days. */
export const monthsAhead = (nowMs: number): string[] =>
  Array.from({ length: MONTHS_AHEAD + 1 }, (_, ahead) => monthAfter(nowMs, ahead));

export function createUsageUpkeep(database: Database): UsageUpkeep {
  return {
    async ensureMonths(nowMs) {
      const made: string[] = [];
      for (const firstDay of monthsAhead(nowMs)) {
        if (await ensureMonth(database, firstDay)) made.push(firstDay);
      }
      return made;
    },
    async forgetHours(nowMs, keepDays) {
      const firstKept = dayOf(nowMs - keepDays * DAY_MS);
      let rows = 0;
      for (let gone = HOURS_TOGETHER; gone === HOURS_TOGETHER && rows < HOURS_IN_A_ROUND; rows += gone) {
        gone = await forgetHours(database, firstKept, HOURS_TOGETHER);
      }
      return rows;
    },
    async addUpMonths(session, nowMs) {
      const over = Array.from({ length: MONTHS_ADDED_UP }, (_, ago) =>
        monthAfter(nowMs - ADDING_UP_GRACE_MS, -1 - ago),
      );
      const done: string[] = [];
      const due = await listDueMonths(session, over);
      if (due.length === 0 || !(await lockAddingUp(session))) return done;
      for (const month of due.reverse()) if (await addUpMonth(session, month)) done.push(month);
      return done;
    },
    async dropMonthsBefore(firstDay) {
      const dropped: string[] = [];
      for (const month of await listMonths(database)) {
        if (month < firstDay && (await dropMonth(database, month))) dropped.push(month);
      }
      return dropped;
    },
    droppedMonths: (firstDay, lastDay) => listDroppedMonths(database, firstDay, lastDay),
    async rebuild(firstDay, lastDay) {
      let days = 0;
      let wrongRows = 0;
      // A day at a time, so that no transaction is long.
      for (const day of daysFrom(firstDay, lastDay)) {
        wrongRows += await database.transaction((transaction) => rebuildIfKept(transaction, day));
        days += 1;
      }
      return { days, wrongRows };
    },
  };
}

/** A month that is read here cannot be dropped before the end of the transaction, so one that was dropped is noticed. */
async function rebuildIfKept(transaction: Queryable, day: string): Promise<number> {
  const wrongRows = await rebuildDay(transaction, day);
  const [gone] = await listDroppedMonths(transaction, day, day);
  if (gone !== undefined) throw recordsDropped(gone);
  return wrongRows;
}

export const recordsDropped = (firstDay: string): ApiError =>
  new ApiError('http_409', `The records of ${firstDay.slice(0, 7)} were dropped; its sums cannot be made again.`);
