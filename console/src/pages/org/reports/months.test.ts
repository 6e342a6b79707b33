import { expect, test } from 'vitest';
import { lastMonths, monthAt, monthName, monthsBefore, monthText, parseMonth, trendOf } from './months.ts';

test('months are those of UTC, and go back over the turn of the year', () => {
  const january = monthAt(Date.UTC(2027, 0, 31, 23, 59));
  expect(january).toEqual({ year: 2027, month: 1 });
  expect(lastMonths(january, 3).map(monthText)).toEqual(['2027-01', '2026-12', '2026-11']);
  expect(monthsBefore(january, -1)).toEqual({ year: 2027, month: 2 });
  expect(monthName(january)).toBe('January 2027');
});

test('what is no month is none', () => {
  expect(['2027-01', '2027-13', '2027-1', '', undefined].map(parseMonth)).toEqual([
    { year: 2027, month: 1 },
    null,
    null,
    null,
    null,
  ]);
});

test('every day of the report becomes a bar, named by its number', () => {
  const dailyTrend = [
    { date: '2027-01-01', spend: 1.5 },
    { date: '2027-01-02', spend: 0 },
  ];
  const { points } = trendOf({ year: 2027, month: 1, totalSpend: 1.5, savedByCache: 0, marginRate: 0, dailyTrend });
  expect(points).toEqual([
    { label: '1', values: { spend: 1.5 } },
    { label: '2', values: { spend: 0 } },
  ]);
});
