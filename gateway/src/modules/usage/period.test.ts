// Where a day, a week and a month begin.

import { describe, expect, test } from 'vitest';
import { type Period, parsePeriod, periodStartMs } from './period.ts';

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
