// The UTC windows in which spending, quotas and rows are counted. A window begins exactly on its boundary and ends where
// the next one begins: the boundary itself belongs to the later one.

import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from './calendar.ts';

export type SpendWindow = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'never';

/** The epoch was a Thursday; weeks begin on Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Rounds down for times before the epoch too. */
const floorTo = (nowMs: number, sizeMs: number): number => Math.floor(nowMs / sizeMs) * sizeMs;

export function windowStartMs(window: SpendWindow, nowMs: number): number {
  switch (window) {
    case 'minute':
      return floorTo(nowMs, MINUTE_MS);
    case 'hour':
      return floorTo(nowMs, HOUR_MS);
    case 'day':
      return floorTo(nowMs, DAY_MS);
    case 'week':
      return floorTo(nowMs - FIRST_MONDAY_MS, WEEK_MS) + FIRST_MONDAY_MS;
    case 'month': {
      const now = new Date(nowMs);
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    }
    case 'never':
      return 0;
  }
}

/** The first moment after the window. */
export function windowEndMs(window: SpendWindow, nowMs: number): number {
  switch (window) {
    case 'minute':
      return windowStartMs(window, nowMs) + MINUTE_MS;
    case 'hour':
      return windowStartMs(window, nowMs) + HOUR_MS;
    case 'day':
      return windowStartMs(window, nowMs) + DAY_MS;
    case 'week':
      return windowStartMs(window, nowMs) + WEEK_MS;
    case 'month': {
      const now = new Date(nowMs);
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1);
    }
    case 'never':
      return Number.POSITIVE_INFINITY;
  }
}

const spellings: ReadonlyMap<string, SpendWindow> = new Map([
  ['day', 'day'],
  ['daily', 'day'],
  ['week', 'week'],
  ['weekly', 'week'],
  ['month', 'month'],
  ['monthly', 'month'],
]);

/** The window of a key's limit: a limit without a period, or with an unknown one, never resets. */
export function limitWindow(period: string | null): SpendWindow {
  return (period === null ? undefined : spellings.get(period)) ?? 'never';
}

// The periods in which usage is reported and keys are limited, under their public names. They use the calendar of
// spending, so that what is shown and what is enforced agree.

export type Period = 'daily' | 'weekly' | 'monthly';

const windowOf: Readonly<Record<Period, SpendWindow>> = { daily: 'day', weekly: 'week', monthly: 'month' };
const periodOf: Readonly<Partial<Record<SpendWindow, Period>>> = { day: 'daily', week: 'weekly', month: 'monthly' };

export function periodStartMs(period: Period, nowMs: number): number {
  return windowStartMs(windowOf[period], nowMs);
}

/** A key keeps the spelling it was given; null for none and for an unknown period. */
export function parsePeriod(text: string | null): Period | null {
  return periodOf[limitWindow(text)] ?? null;
}
