// An account that has just had a line waits for the other accounts.

import { expect, test } from 'vitest';
import { AccountTurns } from './turns.ts';

test('who was served goes behind all others, and whoever comes goes to the end', () => {
  const turns = new AccountTurns();
  turns.keep(['a', 'b', 'c']);
  turns.took(['a', 'b']);
  expect(turns.order(0)).toEqual(['c', 'a', 'b']);
  turns.keep(['a', 'b', 'c', 'd']);
  expect(turns.order(0)).toEqual(['c', 'a', 'b', 'd']);
});

test('who is done leaves, and being served without being there changes nothing', () => {
  const turns = new AccountTurns();
  turns.keep(['a', 'b', 'c']);
  turns.keep(['a', 'c']);
  turns.took(['b']);
  expect(turns.order(0)).toEqual(['a', 'c']);
});

test('who rests has no turn until it is over, and then stands where it stood', () => {
  const turns = new AccountTurns();
  turns.keep(['a', 'b', 'c']);
  turns.rest('b', 1_000);
  expect(turns.order(999)).toEqual(['a', 'c']);
  expect(turns.order(1_000)).toEqual(['a', 'b', 'c']);
});
