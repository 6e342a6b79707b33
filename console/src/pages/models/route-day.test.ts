import { expect, test } from 'vitest';
import { figureBars, uptimeBars } from './route-day.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.parse('2030-01-02T10:20:00Z');
const at = (hour: string): string => `2030-01-02T${hour}:00:00.000Z`;

test('a day has a bar for each hour, the last one being this hour, and hours without calls are empty', () => {
  const bars = uptimeBars(
    [
      { at: at('10'), uptime: 1 },
      { at: at('08'), uptime: 0.5 },
    ],
    HOUR_MS,
    NOW_MS,
  );
  expect(bars).toHaveLength(24);
  expect(bars.slice(-3)).toMatchObject([
    { height: 1, tone: 'bad', label: '08:00 UTC: 50 % answered' },
    { height: null, label: '09:00 UTC: no calls' },
    { height: 1, tone: 'good', label: '10:00 UTC: 100 % answered' },
  ]);
});

test('figures are as high as the largest of the day allows', () => {
  const points = [
    { at: at('09'), speed: 50 },
    { at: at('10'), speed: 200 },
  ];
  const bars = figureBars(points, { of: ({ speed }) => speed, format: String }, HOUR_MS, NOW_MS);
  expect(bars.slice(-2)).toMatchObject([
    { height: 0.25, label: '09:00 UTC: 50' },
    { height: 1, label: '10:00 UTC: 200' },
  ]);
});
