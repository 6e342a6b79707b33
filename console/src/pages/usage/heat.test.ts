import { expect, test } from 'vitest';
import { heatOf } from './heat.ts';

const NOW_MS = Date.parse('2026-03-04T23:30:00Z');
const utc = () => 0;

test('a week has its seven days, today last, and every hour its place', () => {
  const heatmap = [
    { date: '2026-03-04', hour: 23, value: 2 },
    { date: '2026-02-26', hour: 0, value: 5 },
    { date: '2026-02-25', hour: 0, value: 99 },
  ];
  const { rows, highest } = heatOf({ heatmap, period: '7d' }, NOW_MS, utc);
  expect(rows).toHaveLength(7);
  expect([rows[0]?.label, rows[0]?.hours[0]]).toEqual(['Thu 26 Feb', 5]);
  expect([rows[6]?.label, rows[6]?.hours[23]]).toEqual(['Wed 4 Mar', 2]);
  expect(rows.every(({ hours }) => hours.length === 24)).toBe(true);
  expect(highest).toBe(5);
});

test('an hour is shown where it was for the reader, on the day that it was there', () => {
  const heatmap = [{ date: '2026-03-04', hour: 23, value: 2 }];
  const east = heatOf({ heatmap, period: '7d' }, NOW_MS, () => 3_600_000).rows[6];
  expect([east?.label, east?.hours[0]]).toEqual(['Thu 5 Mar', 2]);
  const west = heatOf({ heatmap, period: '7d' }, NOW_MS, () => -8 * 3_600_000).rows[6];
  expect([west?.label, west?.hours[15]]).toEqual(['Wed 4 Mar', 2]);
});

test('a long span is added up by weekday', () => {
  const heatmap = [
    { date: '2026-03-02', hour: 9, value: 1 },
    { date: '2026-02-23', hour: 9, value: 2 },
    { date: '2026-03-01', hour: 9, value: 4 },
  ];
  const { rows, highest } = heatOf({ heatmap, period: 'all' }, NOW_MS, utc);
  expect(rows.map(({ label, hours }) => [label, hours[9]])).toEqual([
    ['Monday', 3],
    ['Tuesday', 0],
    ['Wednesday', 0],
    ['Thursday', 0],
    ['Friday', 0],
    ['Saturday', 0],
    ['Sunday', 4],
  ]);
  expect(highest).toBe(4);
});

test('where nothing happened, nothing is hot', () => {
  expect(heatOf({ heatmap: [], period: '30d' }, NOW_MS, utc)).toMatchObject({ highest: 0 });
});
