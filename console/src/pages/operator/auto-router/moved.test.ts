import { expect, test } from 'vitest';
import { moved } from './moved.ts';

test('a member is moved forwards and backwards', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b', 'c'], 2, 0)).toEqual(['c', 'a', 'b']);
  expect(moved(['a', 'b', 'c'], 1, 2)).toEqual(['a', 'c', 'b']);
});
