// Days as text, only those of the calendar, and months, which are cut in UTC.

import { describe, expect, test } from 'vitest';
import {
  dayOf,
  dayStartMs,
  daysBetween,
  formatMonth,
  monthBefore,
  monthEndMs,
  monthStartMs,
  parseMonth,
} from './calendar.ts';

describe('days', () => {
  test('the day of a moment is its day in UTC', () => {
    expect(dayOf(Date.parse('2026-03-10T23:59:59.999Z'))).toBe('2026-03-10');
    expect(dayOf(Date.parse('2026-03-11T00:30:00+02:00'))).toBe('2026-03-10');
  });

  test.each([
    '2026-02-30',
    '2027-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-1',
    '26-01-01',
    '2026-01-01T00:00:00Z',
    '2026-01-01 ',
    '0000-01-01',
    '1969-12-31',
    '+12026-01-01',
    'yesterday',
    '',
  ])('GEN-06 %j is no day', (text) => {
    expect(dayStartMs(text)).toBeNull();
  });

  test('GEN-06 a leap day is one', () => {
    expect(dayStartMs('2028-02-29')).toBe(Date.UTC(2028, 1, 29));
  });

  test('a span counts both of its days', () => {
    expect(daysBetween(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 1))).toBe(1);
    expect(daysBetween(Date.UTC(2028, 0, 1), Date.UTC(2028, 11, 31))).toBe(366);
    expect(daysBetween(Date.UTC(2026, 0, 2), Date.UTC(2026, 0, 1))).toBe(0);
  });
});

describe('months', () => {
  test('a month reaches from its first moment to that of the next', () => {
    const february = { year: 2024, month: 2 };
    expect(new Date(monthStartMs(february)).toISOString()).toBe('2024-02-01T00:00:00.000Z');
    expect(new Date(monthEndMs(february)).toISOString()).toBe('2024-03-01T00:00:00.000Z');
    expect(new Date(monthEndMs({ year: 2025, month: 12 })).toISOString()).toBe('2026-01-01T00:00:00.000Z');
  });

  test('the month before January is December of another year', () => {
    expect(monthBefore(Date.UTC(2026, 0, 1))).toEqual({ year: 2025, month: 12 });
    expect(monthBefore(Date.UTC(2026, 2, 31, 23, 59, 59, 999))).toEqual({ year: 2026, month: 2 });
  });

  test('a month is written and read as 2026-03', () => {
    expect(formatMonth({ year: 2026, month: 3 })).toBe('2026-03');
    expect(parseMonth('2026-03')).toEqual({ year: 2026, month: 3 });
    for (const text of [
      '2026-00',
      '2026-13',
      '2026-3',
      '1999-12',
      '2101-01',
      '2026-03-01',
      '',
      'x',
      '2026-0 ',
      '٢٠٢٦-٠٣',
    ]) {
      expect(parseMonth(text), text).toBeNull();
    }
  });
});
