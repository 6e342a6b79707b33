// Spans of the overview, and the gaps between its days.

import { expect, test } from 'vitest';
import { chartPoints, daysBack, spanName } from './spans.ts';

const today = new Date('2030-03-01T05:00:00Z');
const none = {
  calls: 0,
  failedCalls: 0,
  promptTokens: 0,
  completionTokens: 0,
  markupUsd: 0,
  costUsd: 0,
  marginUsd: 0,
  absorbedUsd: 0,
  refundsUsd: 0,
  activeUsers: 0,
};

test('a span has the name of what it is', () => {
  expect(daysBack(today, 1)).toBe('2030-02-28');
  expect(spanName({ from: '2030-03-01', to: '2030-03-01' }, today)).toBe('1');
  expect(spanName({ from: daysBack(today, 29), to: '2030-03-01' }, today)).toBe('30');
  expect(spanName({ from: daysBack(today, 29), to: '2030-02-28' }, today)).toBe('custom');
});

test('days and hours without calls are shown as nothing', () => {
  const days = chartPoints({
    ...{ from: '2030-02-27', to: '2030-03-01', byHour: [] },
    byDay: [{ date: '2030-02-28', revenueUsd: 2, ...none }],
  });
  expect(days.map(({ label, values }) => [label, values.revenue])).toEqual([
    ['27 Feb', 0],
    ['28 Feb', 2],
    ['1 Mar', 0],
  ]);
  const hours = chartPoints({
    ...{ from: '2030-03-01', to: '2030-03-01', byDay: [] },
    byHour: [{ at: '2030-03-01T05:00:00.000Z', calls: 1, tokens: 1, revenueUsd: 3 }],
  });
  expect(hours).toHaveLength(24);
  expect(hours[5]).toEqual({ label: '1 Mar, 05:00', values: { revenue: 3 } });
});
