// Months are cut in UTC, and what is no month is nothing.

import { expect, test } from 'vitest';
import { formatMonth, monthBefore, monthEndMs, monthStartMs, parseMonth } from './month.ts';

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
