// Months of UTC: choosing one, naming it, and drawing its days.

import type { Month, OverviewAnswer } from '../../../api/orgs/reports.ts';
import type { ChartLine, ChartPoint } from '../../../ui/time-chart.tsx';

const MONTH_NAME = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

export function monthAt(timeMs: number): Month {
  const time = new Date(timeMs);
  return { year: time.getUTCFullYear(), month: time.getUTCMonth() + 1 };
}

export const monthText = ({ year, month }: Month): string => `${year}-${String(month).padStart(2, '0')}`;

export function parseMonth(text: string | undefined): Month | null {
  const match = /^(\d{4})-(\d{2})$/.exec(text ?? '');
  const [year, month] = [Number(match?.[1]), Number(match?.[2])];
  return match !== null && month >= 1 && month <= 12 ? { year, month } : null;
}

export const monthName = ({ year, month }: Month): string => MONTH_NAME.format(Date.UTC(year, month - 1, 1));

export const monthsBefore = ({ year, month }: Month, count: number): Month =>
  monthAt(Date.UTC(year, month - 1 - count, 1));

/** The latest first. */
export const lastMonths = (latest: Month, count: number): readonly Month[] =>
  Array.from({ length: count }, (_, back) => monthsBefore(latest, back));

type Trend = Readonly<{ lines: readonly ChartLine[]; points: readonly ChartPoint[] }>;

export const trendOf = ({ dailyTrend }: OverviewAnswer): Trend => ({
  lines: [{ id: 'spend', label: 'Spend', color: 'var(--chart-1)' }],
  points: dailyTrend.map(({ date, spend }) => ({ label: String(Number(date.slice(-2))), values: { spend } })),
});
