// The heat map's rows: days of a short span, weekdays of a long one, where a row for each day would be too many. Hours
// are in the reader's zone, moved by whole hours from UTC, by which the gateway counts. The sums are only for colours.

import type { InsightsAnswer, InsightsPeriod } from '../../../../gateway/src/contract/usage.ts';

type HeatRow = Readonly<{ label: string; hours: readonly number[] }>;
export type Heat = Readonly<{ rows: readonly HeatRow[]; highest: number }>;

const HOURS = 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS: Readonly<Partial<Record<InsightsPeriod, number>>> = { '7d': 7, '30d': 30 };
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const DAY_LABEL = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** How far the reader's clock is ahead of UTC at a moment, with summer time. */
export const zoneShiftMs = (atMs: number): number => -new Date(atMs).getTimezoneOffset() * 60_000;

export function heatOf(
  { heatmap, period }: Pick<InsightsAnswer, 'heatmap' | 'period'>,
  nowMs: number,
  shiftMs: (atMs: number) => number,
): Heat {
  const days = DAYS[period];
  const labels = days === undefined ? WEEKDAYS : lastDays(days, nowMs + shiftMs(nowMs)).map(dayLabel);
  const labelOf = days === undefined ? weekdayOf : dayLabel;
  const sums = new Map(labels.map((label) => [label, new Array<number>(HOURS).fill(0)]));
  for (const { date, hour, value } of heatmap) {
    const atMs = Date.parse(date) + hour * HOUR_MS;
    const local = new Date(atMs + shiftMs(atMs)).toISOString();
    const hours = sums.get(labelOf(local.slice(0, 10)));
    const place = Number(local.slice(11, 13));
    if (hours !== undefined) hours[place] = (hours[place] ?? 0) + value;
  }
  const rows = [...sums].map(([label, hours]) => ({ label, hours }));
  return { rows, highest: Math.max(0, ...rows.flatMap(({ hours }) => hours)) };
}

const dayLabel = (date: string): string => DAY_LABEL.format(new Date(date));
/** Weeks begin on Monday. */
const weekdayOf = (date: string): string => WEEKDAYS[(new Date(date).getUTCDay() + 6) % 7] ?? '';

const lastDays = (count: number, nowMs: number): readonly string[] =>
  Array.from({ length: count }, (_, index) =>
    new Date(nowMs - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
