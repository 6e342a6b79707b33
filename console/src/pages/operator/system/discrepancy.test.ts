import { expect, test } from 'vitest';
import { readDiscrepancy } from './discrepancy.ts';

test('a difference says where and what', () => {
  expect(readDiscrepancy('account usr-1: balance is $2, its entries say $1')).toEqual({
    kind: 'account',
    id: 'usr-1',
    words: 'balance is $2, its entries say $1',
  });
  expect(readDiscrepancy('something else')).toEqual({ kind: '', id: '', words: 'something else' });
});
