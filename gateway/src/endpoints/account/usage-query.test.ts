// Which days a query means, and which queries mean none.

import { describe, expect, test } from 'vitest';
import { ApiError } from '../../errors/api-error.ts';
import { grainOf, insightsRequest, sinceOf, spanBefore, usageSpan } from './usage-query.ts';

/** A Sunday, so that the week began on the Monday before. */
const NOW_MS = Date.parse('2026-03-15T13:14:15.000Z');

const span = (text: string) => usageSpan(new URLSearchParams(text), NOW_MS);
const insights = (text: string) => insightsRequest(new URLSearchParams(text), NOW_MS);

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
  return 'it was taken';
}

describe('usage', () => {
  test.each([
    ['', 'month', '2026-03-01', '2026-03-15'],
    ['period=day', 'day', '2026-03-15', '2026-03-15'],
    ['period=week', 'week', '2026-03-09', '2026-03-15'],
    ['period=month', 'month', '2026-03-01', '2026-03-15'],
    ['period=year', 'year', '2026-01-01', '2026-03-15'],
    ['period=7d', '7d', '2026-03-09', '2026-03-15'],
    ['period=30d', '30d', '2026-02-14', '2026-03-15'],
    ['period=90d', '90d', '2025-12-16', '2026-03-15'],
    ['period=custom&from=2025-12-31&to=2026-01-01', 'custom', '2025-12-31', '2026-01-01'],
    ['period=custom&from=2028-02-29&to=2028-02-29', 'custom', '2028-02-29', '2028-02-29'],
    ['period=custom&from=2024-01-01&to=2024-12-31', 'custom', '2024-01-01', '2024-12-31'],
  ])('GEN-06 %j is the %s from %s to %s', (text, period, firstDay, lastDay) => {
    expect(span(text)).toEqual({ period, firstDay, lastDay, fromHourMs: null });
  });

  test.each([
    ['period=hour', 'period'],
    ['period=', 'period'],
    ['period=Month', 'period'],
    ['period=custom', 'from'],
    ['period=custom&from=2026-01-01', 'to'],
    ['period=custom&from=2026-02-30&to=2026-03-01', 'from'],
    ['period=custom&from=2026-01-02&to=2026-01-01', 'to'],
    ['period=custom&from=2024-01-01&to=2025-01-01', 'to'],
    ['period=custom&from=2026-01-01T00:00:00Z&to=2026-01-02', 'from'],
    ['period=month&from=2026-01-01', 'from'],
    ['to=2026-01-01', 'to'],
  ])('GEN-06 %j is refused for its %s', (text, name) => {
    expect(messageOf(() => span(text))).toMatch(new RegExp(`^${name}: `));
  });
});

test('24 hours are whole ones that end with the hour that runs, and the period before ends where they begin', () => {
  const day = span('period=24h');
  expect(day).toMatchObject({ firstDay: '2026-03-14', lastDay: '2026-03-15' });
  expect(sinceOf(day)).toBe('2026-03-14T14:00:00.000Z');
  expect(sinceOf(spanBefore(day))).toBe('2026-03-13T14:00:00.000Z');
  expect(spanBefore(span('period=7d'))).toMatchObject({ firstDay: '2026-03-02', lastDay: '2026-03-08' });
  expect(spanBefore(span('period=day'))).toMatchObject({ firstDay: '2026-03-14', lastDay: '2026-03-14' });
});

test('hours are told of eight days at most', () => {
  const grain = (text: string) => grainOf(new URLSearchParams(text), span(text));
  expect([grain(''), grain('period=24h'), grain('period=week&by=hour')]).toEqual(['day', 'hour', 'hour']);
  expect(messageOf(() => grain('period=30d&by=hour'))).toMatch(/^by: /);
  expect(messageOf(() => grain('by=minute'))).toMatch(/^by: /);
});

describe('insights', () => {
  test.each([
    ['', '7d', 'spend', '2026-03-09'],
    ['period=7d&heatmap_metric=tokens', '7d', 'tokens', '2026-03-09'],
    ['period=30d&heatmap_metric=requests', '30d', 'requests', '2026-02-14'],
    ['period=ytd', 'ytd', 'spend', '2026-01-01'],
    ['period=all', 'all', 'spend', null],
  ])('GEN-10 %j is %s of %s since %s', (text, period, metric, firstDay) => {
    expect(insights(text)).toMatchObject({ period, metric, firstDay });
  });

  test.each([
    ['period=8d', 'period'],
    ['period=', 'period'],
    ['heatmap_metric=cost', 'heatmap_metric'],
    [`model=${'x'.repeat(513)}`, 'model'],
    ['app=%00', 'app'],
  ])('GEN-10 %j is refused for its %s', (text, name) => {
    expect(messageOf(() => insights(text))).toMatch(new RegExp(`^${name}: `));
  });

  test('GEN-10 filters are taken as they are, and an empty one is none', () => {
    expect(insights('model=a/b&api_key_id=key-1&app=My%20App').filter).toEqual({
      modelId: 'a/b',
      keyId: 'key-1',
      appName: 'My App',
    });
    expect(insights('model=&user_id=usr-2').filter).toEqual({ modelId: null, keyId: null, appName: null });
  });
});
