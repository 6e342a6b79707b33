import { expect, test } from 'vitest';
import { sortedBy, sortingOf } from './sorting.ts';

const SORTS = ['at', 'cost'] as const;
const USUAL = { sort: 'at', isDescending: true } as const;

test('an address says how a list is sorted, and what it does not know is the usual', () => {
  expect(sortingOf('cost', SORTS, USUAL)).toEqual({ sort: 'cost', isDescending: false });
  expect(sortingOf('-cost', SORTS, USUAL)).toEqual({ sort: 'cost', isDescending: true });
  expect(sortingOf('price', SORTS, USUAL)).toEqual(USUAL);
  expect(sortingOf(undefined, SORTS, USUAL)).toEqual(USUAL);
});

test('a column that is chosen again turns round', () => {
  expect(sortedBy(USUAL, 'at')).toBe('at');
  expect(sortedBy({ sort: 'at', isDescending: false }, 'at')).toBe('-at');
  expect(sortedBy<'at' | 'cost'>(USUAL, 'cost')).toBe('-cost');
});
