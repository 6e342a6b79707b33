// The one calendar: lengths of time, days as text and calendar months, all in UTC. A day is `YYYY-MM-DD`: the sums are
// kept by days, clients send them and the database takes them, without a time zone in between.

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;

/** From 1970 on: the database has no year zero, and there were no calls before. */
const DAY = /^(?:19[7-9]|[2-9]\d\d)\d-\d{2}-\d{2}$/;

export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** Whether the calendar has such a day: JavaScript takes the 30th of February for the 2nd of March. */
export function isDay(text: string): boolean {
  const timeMs = Date.parse(`${text}T00:00:00.000Z`);
  return !Number.isNaN(timeMs) && dayOf(timeMs) === text;
}

/** The first moment of a day; null when the text is no day of the calendar, such as 2026-02-30. */
export const dayStartMs = (text: string): number | null =>
  DAY.test(text) && isDay(text) ? Date.parse(`${text}T00:00:00.000Z`) : null;

/** How many days from the first to the last, both included; less than one when they are in the wrong order. */
export const daysBetween = (firstMs: number, lastMs: number): number => Math.round((lastMs - firstMs) / DAY_MS) + 1;

/** Both days are included. */
export function* daysFrom(firstDay: string, lastDay: string): Generator<string> {
  const lastMs = dayStartMs(lastDay) ?? Number.NEGATIVE_INFINITY;
  for (let timeMs = dayStartMs(firstDay) ?? Number.POSITIVE_INFINITY; timeMs <= lastMs; timeMs += DAY_MS) {
    yield dayOf(timeMs);
  }
}

/** The first day of the month that is this many months after the given moment. */
export function monthAfter(timeMs: number, months: number): string {
  const time = new Date(timeMs);
  return dayOf(Date.UTC(time.getUTCFullYear(), time.getUTCMonth() + months, 1));
}

export type Month = Readonly<{ year: number; month: number }>;

/** The years for which a statement can be asked. */
export const YEAR_MIN = 2000;
export const YEAR_MAX = 2100;

export const isMonth = ({ year, month }: Month): boolean =>
  Number.isInteger(year) &&
  year >= YEAR_MIN &&
  year <= YEAR_MAX &&
  Number.isInteger(month) &&
  month >= 1 &&
  month <= 12;

/** `2026-03`; null for what is no month. */
export function parseMonth(text: string): Month | null {
  const match = /^(\d{4})-(\d{2})$/.exec(text);
  const month = { year: Number(match?.[1]), month: Number(match?.[2]) };
  return isMonth(month) ? month : null;
}

export const formatMonth = ({ year, month }: Month): string => `${year}-${String(month).padStart(2, '0')}`;

export const monthStartMs = ({ year, month }: Month): number => Date.UTC(year, month - 1, 1);

/** The first moment after the month. */
export const monthEndMs = ({ year, month }: Month): number => Date.UTC(year, month, 1);

export function monthBefore(nowMs: number): Month {
  const now = new Date(nowMs);
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
  return { year: start.getUTCFullYear(), month: start.getUTCMonth() + 1 };
}
