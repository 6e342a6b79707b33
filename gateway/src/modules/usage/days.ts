// Days as text, `YYYY-MM-DD` in UTC: the sums are kept by them, clients send them and the database takes them, without
// a time zone in between.

export const DAY_MS = 86_400_000;

/** From 1970 on: the database has no year zero, and there were no calls before. */
const DAY = /^(?:19[7-9]|[2-9]\d\d)\d-\d{2}-\d{2}$/;

export const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

/** The first moment of a day; null when the text is no day of the calendar, such as 2026-02-30. */
export function dayStartMs(text: string): number | null {
  if (!DAY.test(text)) return null;
  const timeMs = Date.parse(`${text}T00:00:00.000Z`);
  return Number.isNaN(timeMs) || dayOf(timeMs) !== text ? null : timeMs;
}

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
