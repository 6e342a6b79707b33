import { expect, test } from 'vitest';
import { changeText, comparedTo, isWhole, periodOf, wishOf } from './usage-choice.ts';

test.each([
  [2, 1, '+100 % compared with before'],
  [1, 2, '-50 % compared with before'],
  [1, 1, '0 % compared with before'],
  [1, 0, 'none before'],
  [0, 0, 'as before: none'],
])('%d after %d is told as %s', (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});

test('a period that nobody knows is the usual one', () => {
  expect([periodOf('24h'), periodOf('decade'), periodOf(undefined)]).toEqual(['24h', '30d', '30d']);
});

test('the address of the page says what is asked for', () => {
  expect(wishOf({})).toEqual({ period: '30d' });
  expect(wishOf({ orgId: 'org-1', period: 'day', by: 'key', model: 'a/b', key: 'key-1' })).toEqual({
    ...{ orgId: 'org-1', period: 'day', by: 'hour', series: 'key' },
    ...{ model: 'a/b', api_key_id: 'key-1' },
  });
  expect(comparedTo(wishOf({ by: 'app' }))).toEqual({ period: '30d', series: 'app', compare: 'previous' });
});

test('days of one’s own choice are asked for when both ends are known, and mean nothing in another period', () => {
  expect(isWhole(wishOf({ period: 'custom', from: '2026-03-01' }))).toBe(false);
  expect(isWhole(wishOf({ period: 'custom', from: '2026-03-01', to: '2026-03-02' }))).toBe(true);
  expect(wishOf({ period: '7d', from: '2026-03-01', to: '2026-03-02' })).toEqual({ period: '7d' });
});
