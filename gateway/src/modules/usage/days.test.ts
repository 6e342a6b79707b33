// Days as text: only those of the calendar, in UTC.

import { describe, expect, test } from 'vitest';
import { dayOf, dayStartMs, daysBetween } from './days.ts';

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
