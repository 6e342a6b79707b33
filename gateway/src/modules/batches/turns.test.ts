// Whoever has had a line waits for the others.

import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

test('who was served goes behind all others, and whoever comes goes to the end', () => {
  const turns = new Turns();
  turns.keep(['a', 'b', 'c']);
  turns.served(['a', 'b']);
  expect(turns.order).toEqual(['c', 'a', 'b']);
  turns.keep(['a', 'b', 'c', 'd']);
  expect(turns.order).toEqual(['c', 'a', 'b', 'd']);
});

test('who is done leaves, and being served without being there changes nothing', () => {
  const turns = new Turns();
  turns.keep(['a', 'b', 'c']);
  turns.keep(['a', 'c']);
  turns.served(['b']);
  expect(turns.order).toEqual(['a', 'c']);
});
