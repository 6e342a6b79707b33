import { expect, test } from 'vitest';
import { type DayValue, REST, timeSeries } from './time-series.ts';

const day = (date: string, id: string, value: number): DayValue => ({ date, id, label: id.toUpperCase(), value });

test('every day of the span has its place, with or without calls', () => {
  const values = [day('2026-03-01', 'a', 1), day('2026-03-03', 'a', 2)];
  const { points, lines } = timeSeries({ firstDay: '2026-03-01', lastDay: '2026-03-04' }, values, values);
  expect(points.map(({ label, values: { a } }) => [label, a])).toEqual([
    ['1 Mar', 1],
    ['2 Mar', 0],
    ['3 Mar', 2],
    ['4 Mar', 0],
  ]);
  expect(lines).toEqual([{ id: 'a', label: 'A', color: 'var(--chart-1)' }]);
});

test('the largest five are named, largest first, and the rest is what is left of the whole', () => {
  const values = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((id, index) => day('2026-03-01', id, index + 1));
  const { points, lines } = timeSeries({ firstDay: '2026-03-01', lastDay: '2026-03-01' }, values, values);
  expect(lines.map(({ id }) => id)).toEqual(['g', 'f', 'e', 'd', 'c', REST]);
  expect(points[0]?.values[REST]).toBe(3);
});

test('parts that are not listed are in the rest, and rounding makes no rest', () => {
  const span = { firstDay: '2026-03-01', lastDay: '2026-03-01' };
  const hidden = timeSeries(span, [day('2026-03-01', 'model', 10)], [day('2026-03-01', 'key', 7)]);
  expect(hidden.points[0]?.values).toEqual({ key: 7, [REST]: 3 });
  const noise = timeSeries(span, [day('2026-03-01', 'm', 0.1 + 0.2)], [day('2026-03-01', 'k', 0.3)]);
  expect(noise.lines.map(({ id }) => id)).toEqual(['k']);
});

test('a long span is shown by month, and a part without value has no line', () => {
  const values = [
    day('2026-01-31', 'a', 1),
    day('2026-02-01', 'a', 2),
    day('2026-02-28', 'a', 4),
    day('2026-03-01', 'z', 0),
  ];
  const { points, lines } = timeSeries({ firstDay: '2026-01-01', lastDay: '2026-06-30' }, values, values);
  expect(points.map(({ label }) => label)).toEqual([
    'Jan 2026',
    'Feb 2026',
    'Mar 2026',
    'Apr 2026',
    'May 2026',
    'Jun 2026',
  ]);
  expect(points[1]?.values.a).toBe(6);
  expect(lines).toHaveLength(1);
});

test('24 hours have a place each, with the hour in UTC beside the own', () => {
  const values = [day('2026-03-01T14:00:00.000Z', 'a', 3)];
  const { points } = timeSeries({ firstHour: '2026-02-28T15:00:00.000Z' }, values, values);
  expect(points).toHaveLength(24);
  expect(points.at(-1)).toMatchObject({ note: '2026-03-01 14:00 UTC', values: { a: 3 } });
  expect(new Set(points.map(({ label }) => label)).size).toBe(24);
});
