// The spans that the overview offers, and its days and hours as points of a chart: those without calls are there too.

import type { OperatorOverview } from '../../../api/operator/desk.ts';
import type { ChartPoint } from '../../../ui/time-chart.tsx';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const DAY_LABEL = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const SPANS = [
  { id: '1', label: 'Today', days: 1 },
  { id: '7', label: '7 days', days: 7 },
  { id: '30', label: '30 days', days: 30 },
  { id: '90', label: '90 days', days: 90 },
  { id: 'custom', label: 'Custom', days: undefined },
] as const;

type SpanName = (typeof SPANS)[number]['id'];

/** The day so many days ago, in UTC. */
export const daysBack = (today: Date, days: number): string =>
  new Date(today.getTime() - days * DAY_MS).toISOString().slice(0, 10);

export function spanName({ from, to }: Readonly<{ from: string; to: string }>, today: Date): SpanName {
  const isCurrent = to === daysBack(today, 0);
  const found = SPANS.find(({ days }) => isCurrent && days !== undefined && from === daysBack(today, days - 1));
  return found?.id ?? 'custom';
}

type Charted = Pick<OperatorOverview, 'from' | 'to' | 'byDay' | 'byHour'>;

/** For a day or two; a longer span is shown by the day. */
export const isByHour = ({ from, to }: Pick<Charted, 'from' | 'to'>): boolean =>
  Date.parse(to) - Date.parse(from) <= DAY_MS;

export function chartPoints({ from, to, byDay, byHour }: Charted): readonly ChartPoint[] {
  const firstMs = Date.parse(from);
  const lastMs = Date.parse(to);
  const hasHours = isByHour({ from, to });
  const revenue = new Map(
    hasHours
      ? byHour.map(({ at, revenueUsd }) => [Date.parse(at), revenueUsd])
      : byDay.map(({ date, revenueUsd }) => [Date.parse(date), revenueUsd]),
  );
  const stepMs = hasHours ? HOUR_MS : DAY_MS;
  const count = Math.round((lastMs + DAY_MS - firstMs) / stepMs);
  return Array.from({ length: count }, (_, index) => {
    const atMs = firstMs + index * stepMs;
    const iso = new Date(atMs).toISOString();
    return {
      label: hasHours ? `${DAY_LABEL.format(atMs)}, ${iso.slice(11, 16)}` : DAY_LABEL.format(atMs),
      values: { revenue: revenue.get(atMs) ?? 0 },
    };
  });
}
