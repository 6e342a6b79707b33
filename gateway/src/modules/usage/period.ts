// The periods in which usage is reported and keys are limited, under their public names. They use the calendar of
// spending, so that what is shown and what is enforced agree.

import { limitWindow, type SpendWindow, windowStartMs } from '../../canonical/spend-window.ts';

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
