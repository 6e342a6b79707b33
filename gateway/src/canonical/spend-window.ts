// The UTC windows in which spending is counted. A window begins exactly on its boundary and ends where the next one
// begins: the boundary itself belongs to the later one.

export type SpendWindow = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'never';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
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

/** The first moment that is not in the window any more. */
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

/** Of a key's limit: one without a period, or with one that nobody knows, never resets. */
export function limitWindow(period: string | null): SpendWindow {
  return (period === null ? undefined : spellings.get(period)) ?? 'never';
}
