import { expect, test } from 'vitest';
import { changeText, periodOf } from './usage-choice.ts';

test.each([
  [2, 1, '+100 % against before'],
  [1, 2, '-50 % against before'],
  [1, 1, '0 % against before'],
  [1, 0, 'none before'],
  [0, 0, 'as before: none'],
])('%d after %d is told as %s', (now, before, text) => {
  expect(changeText(now, before)).toBe(text);
});

test('a period that nobody knows is the usual one', () => {
  expect([periodOf('24h'), periodOf('decade'), periodOf(undefined)]).toEqual(['24h', '30d', '30d']);
});
