// Turns the gateway's days into the bars of a chart: every day of the span has its place, the largest few have their
// own colour, and the rest is one bar. Long spans are shown by month. The sums here are only for drawing.

import type { ChartLine, ChartPoint } from '../../ui/time-chart.tsx';

export type DayValue = Readonly<{ date: string; id: string; label: string; value: number }>;

/** Whole days, or 24 hours from a moment on. */
export type Span = Readonly<{ firstDay: string; lastDay: string }> | Readonly<{ firstHour: string }>;

export type TimeSeries = Readonly<{ lines: readonly ChartLine[]; points: readonly ChartPoint[] }>;

const LINES_MAX = 5;
const DAYS_MAX = 92;
const DAY_MS = 86_400_000;
/** No key, model or application can have this name, because ids do not begin with a space. */
export const REST = ' rest';
const REST_COLOR = 'var(--chart-6)';

/** `all` has everything; `parts` may leave out small ones. */
export function timeSeries(span: Span, all: readonly DayValue[], parts: readonly DayValue[]): TimeSeries {
  const buckets = bucketsOf(span);
  const totals = sumsBy(parts, ({ id }) => id);
  const largest = [...totals].toSorted(([, left], [, right]) => right - left).slice(0, LINES_MAX);
  const shownIds = new Set(largest.filter(([, value]) => value > 0).map(([id]) => id));
  const labels = new Map(parts.map(({ id, label }) => [id, label]));
  const wholes = sumsBy(all, ({ date }) => buckets.keyOf(date));
  const named = sumsBy(
    parts.filter(({ id }) => shownIds.has(id)),
    ({ date, id }) => `${buckets.keyOf(date)} ${id}`,
  );
  const points = buckets.keys.map((key) => {
    const values: Record<string, number> = {};
    for (const id of shownIds) values[id] = named.get(`${key} ${id}`) ?? 0;
    values[REST] = restOf(wholes.get(key) ?? 0, Object.values(values));
    return { label: buckets.labelOf(key), ...buckets.noteOf?.(key), values };
  });
  const lines = [...shownIds].map((id, index) => ({
    id,
    label: labels.get(id) ?? id,
    color: `var(--chart-${index + 1})`,
  }));
  const hasRest = points.some(({ values }) => (values[REST] ?? 0) > 0);
  return { points, lines: hasRest ? [...lines, { id: REST, label: 'Everything else', color: REST_COLOR }] : lines };
}

/** What is left after the named parts; floating-point noise counts as nothing. */
function restOf(whole: number, parts: readonly number[]): number {
  const rest = parts.reduce((left, part) => left - part, whole);
  return rest > whole * 1e-9 ? rest : 0;
}

function sumsBy(values: readonly DayValue[], keyOf: (value: DayValue) => string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const value of values) sums.set(keyOf(value), (sums.get(keyOf(value)) ?? 0) + value.value);
  return sums;
}

type Buckets = Readonly<{
  keys: readonly string[];
  keyOf: (date: string) => string;
  labelOf: (key: string) => string;
  noteOf?: (key: string) => Readonly<{ note: string }>;
}>;

const DAY_LABEL = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const MONTH_LABEL = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' });

const HOUR_MS = 3_600_000;
/** Hours are in the reader's zone; days are in UTC, in which the gateway adds them up. */
const HOUR_LABEL = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});

function hoursFrom(firstHour: string): Buckets {
  const firstMs = Date.parse(firstHour);
  return {
    keys: Array.from({ length: 24 }, (_, hour) => new Date(firstMs + hour * HOUR_MS).toISOString()),
    keyOf: (date) => date,
    labelOf: (key) => HOUR_LABEL.format(new Date(key)),
    noteOf: (key) => ({ note: `${key.slice(0, 10)} ${key.slice(11, 16)} UTC` }),
  };
}

function bucketsOf(span: Span): Buckets {
  if ('firstHour' in span) return hoursFrom(span.firstHour);
  const { firstDay, lastDay } = span;
  const days: string[] = [];
  for (let time = Date.parse(firstDay); time <= Date.parse(lastDay); time += DAY_MS) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  if (days.length <= DAYS_MAX) {
    return { keys: days, keyOf: (date) => date, labelOf: (key) => DAY_LABEL.format(new Date(key)) };
  }
  return {
    keys: [...new Set(days.map((day) => day.slice(0, 7)))],
    keyOf: (date) => date.slice(0, 7),
    labelOf: (key) => MONTH_LABEL.format(new Date(key)),
  };
}
