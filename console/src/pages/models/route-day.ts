// The last day of a route as bars: one slot for each span, those without calls left empty.

import type { DayBar } from '../../ui/day-bars.tsx';
import { formatPercent } from '../../ui/format.ts';

type Point = Readonly<{ at: string }>;

const DAY_MS = 86_400_000;
const UPTIME_GOOD = 0.99;
const UPTIME_FAIR = 0.9;

const hourOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(11, 16)} UTC`;

/** Slots from a day ago to now, each with what happened in it. */
function slotsOf<Known extends Point>(points: readonly Known[], spanMs: number, nowMs: number) {
  const byStart = new Map(points.map((point) => [Date.parse(point.at), point]));
  const lastMs = nowMs - (nowMs % spanMs);
  return Array.from({ length: DAY_MS / spanMs }, (_, index) => {
    const atMs = lastMs - DAY_MS + (index + 1) * spanMs;
    return { atMs, point: byStart.get(atMs) ?? null };
  });
}

type UptimePoint = Point & Readonly<{ uptime: number | null }>;

export function uptimeBars(points: readonly UptimePoint[], spanMs: number, nowMs: number): readonly DayBar[] {
  return slotsOf(points, spanMs, nowMs).map(({ atMs, point }) => {
    const uptime = point?.uptime ?? null;
    const words = uptime === null ? 'no calls' : `${formatPercent(uptime)} answered`;
    return { label: `${hourOf(atMs)}: ${words}`, height: uptime === null ? null : 1, tone: toneOf(uptime) };
  });
}

function toneOf(uptime: number | null): DayBar['tone'] {
  if (uptime === null) return 'neutral';
  if (uptime >= UPTIME_GOOD) return 'good';
  return uptime >= UPTIME_FAIR ? 'warn' : 'bad';
}

/** Figures of any kind; the largest of the day has the full height. */
export function figureBars<Known extends Point>(
  points: readonly Known[],
  figure: Readonly<{ of: (point: Known) => number | null; format: (value: number) => string }>,
  spanMs: number,
  nowMs: number,
): readonly DayBar[] {
  const largest = Math.max(...points.map((point) => figure.of(point) ?? 0), 0);
  return slotsOf(points, spanMs, nowMs).map(({ atMs, point }) => {
    const value = point === null ? null : figure.of(point);
    const words = value === null ? 'not measured' : figure.format(value);
    const height = value === null || largest === 0 ? null : value / largest;
    return { label: `${hourOf(atMs)}: ${words}`, height, tone: 'neutral' };
  });
}
