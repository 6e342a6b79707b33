// The windows at their edges: the first millisecond belongs to the new one, the last to the old one, on every calendar
// oddity there is.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  limitWindow,
  type Period,
  parsePeriod,
  periodStartMs,
  type SpendWindow,
  windowEndMs,
  windowStartMs,
} from './spend-window.ts';

const iso = (timeMs: number): string => new Date(timeMs).toISOString();

test.each<[SpendWindow, string, string, string]>([
  ['minute', '2026-03-10T12:34:00.000Z', '2026-03-10T12:34:00.000Z', '2026-03-10T12:35:00.000Z'],
  ['minute', '2026-03-10T12:34:59.999Z', '2026-03-10T12:34:00.000Z', '2026-03-10T12:35:00.000Z'],
  ['hour', '2026-12-31T23:59:59.999Z', '2026-12-31T23:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ['day', '2028-02-28T23:59:59.999Z', '2028-02-28T00:00:00.000Z', '2028-02-29T00:00:00.000Z'],
  ['day', '2028-02-29T00:00:00.000Z', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['week', '2026-03-09T00:00:00.000Z', '2026-03-09T00:00:00.000Z', '2026-03-16T00:00:00.000Z'],
  ['week', '2026-03-08T23:59:59.999Z', '2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z'],
  ['week', '2026-01-01T12:00:00.000Z', '2025-12-29T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
  ['week', '1969-12-31T12:00:00.000Z', '1969-12-29T00:00:00.000Z', '1970-01-05T00:00:00.000Z'],
  ['month', '2028-02-29T23:59:59.999Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
  ['month', '2027-02-28T23:59:59.999Z', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
])('WIN-1 KEY-16 BRK-06 the %s of %s is from %s to %s', (window, now, start, end) => {
  expect(iso(windowStartMs(window, Date.parse(now)))).toBe(start);
  expect(iso(windowEndMs(window, Date.parse(now)))).toBe(end);
});

test('a window without an end began with the clock', () => {
  expect(windowStartMs('never', Date.parse('2026-03-10T12:34:00Z'))).toBe(0);
  expect(windowEndMs('never', Date.parse('2026-03-10T12:34:00Z'))).toBe(Number.POSITIVE_INFINITY);
});

test('WIN-1 windows cover all of time, without a gap or an overlap', () => {
  const window = fc.constantFrom<SpendWindow>('minute', 'hour', 'day', 'week', 'month');
  const time = fc.integer({ min: Date.parse('1999-01-01'), max: Date.parse('2101-01-01') });
  fc.assert(
    fc.property(window, time, (of, nowMs) => {
      const [startMs, endMs] = [windowStartMs(of, nowMs), windowEndMs(of, nowMs)];
      expect(startMs <= nowMs && nowMs < endMs).toBe(true);
      expect(windowStartMs(of, endMs - 1)).toBe(startMs);
      expect(windowStartMs(of, endMs)).toBe(endMs);
    }),
  );
});

test('KEY-10 AMB-04 both spellings name a window; without one, or with nonsense, a limit never resets', () => {
  const periods = ['day', 'daily', 'week', 'weekly', 'month', 'monthly', 'yearly', '', 'constructor', null];
  const known = ['day', 'day', 'week', 'week', 'month', 'month'];
  expect(periods.map(limitWindow)).toEqual([...known, 'never', 'never', 'never', 'never']);
});

describe('periods', () => {
  test.each<[Period, string, string]>([
    ['daily', '2026-03-10T00:00:00.000Z', '2026-03-10T00:00:00.000Z'],
    ['daily', '2026-03-10T23:59:59.999Z', '2026-03-10T00:00:00.000Z'],
    ['weekly', '2026-03-09T00:00:00.000Z', '2026-03-09T00:00:00.000Z'],
    ['weekly', '2026-03-08T23:59:59.999Z', '2026-03-02T00:00:00.000Z'],
    ['weekly', '2026-01-01T12:00:00.000Z', '2025-12-29T00:00:00.000Z'],
    ['monthly', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z'],
    ['monthly', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z'],
  ])('KEY-20 the %s period of %s began %s', (period, now, start) => {
    expect(new Date(periodStartMs(period, Date.parse(now))).toISOString()).toBe(start);
  });

  test('KEY-10 both spellings name a period, anything else does not', () => {
    expect(['day', 'daily', 'week', 'weekly', 'month', 'monthly', 'year', '', null].map(parsePeriod)).toEqual([
      'daily',
      'daily',
      'weekly',
      'weekly',
      'monthly',
      'monthly',
      null,
      null,
      null,
    ]);
  });
});
