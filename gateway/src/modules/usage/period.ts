// The calendar that limits and counters share: UTC days, weeks from Monday, calendar months.

export type Period = 'daily' | 'weekly' | 'monthly';

const DAY_MS = 86_400_000;

export function periodStartMs(period: Period, nowMs: number): number {
  const now = new Date(nowMs);
  switch (period) {
    case 'daily':
      return nowMs - modulo(nowMs, DAY_MS);
    case 'weekly': {
      const daysSinceMonday = (now.getUTCDay() + 6) % 7;
      return nowMs - modulo(nowMs, DAY_MS) - daysSinceMonday * DAY_MS;
    }
    case 'monthly':
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
  }
}

const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;

const spellings: Readonly<Record<string, Period>> = {
  day: 'daily',
  daily: 'daily',
  week: 'weekly',
  weekly: 'weekly',
  month: 'monthly',
  monthly: 'monthly',
};

/** A key keeps the spelling it was given; null for none and for what is no period. */
export function parsePeriod(text: string | null): Period | null {
  return text === null ? null : (spellings[text] ?? null);
}
