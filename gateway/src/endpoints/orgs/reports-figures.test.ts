// Rates and shares are computed exactly and rounded once, for negative values too.

import { expect, test } from 'vitest';
import { averagePerMillion, marginRate, percentOf } from './reports-figures.ts';

test('RPT-01 AMB-34 the margin is what was spent beyond the upstream’s price, as a part of what was spent', () => {
  expect(marginRate(100n, 100n)).toBe('0');
  expect(marginRate(100n, 75n)).toBe('0.25');
  expect(marginRate(3n, 2n)).toBe('0.333333');
  // A call that ran past what the account could carry cost more than was charged.
  expect(marginRate(80n, 100n)).toBe('-0.25');
  expect(marginRate(3n, 5n)).toBe('-0.666667');
  expect(marginRate(0n, 0n)).toBe('0');
});

test('RPT-02 shares are in percent, and there is none of nothing', () => {
  expect(percentOf(1n, 3n)).toBe('33.3333');
  expect(percentOf(2n, 3n)).toBe('66.6667');
  expect(percentOf(5n, 2n)).toBe('250');
  expect(percentOf(0n, 7n)).toBe('0');
  expect(percentOf(0n, 0n)).toBeNull();
  expect(percentOf(5n, null)).toBeNull();
});

test('RPT-03 the average price is for a million tokens, and there is none without tokens', () => {
  expect(averagePerMillion(1_100_000n, 1_050)).toBe(1_047_619_048n);
  expect(averagePerMillion(0n, 5)).toBe(0n);
  expect(averagePerMillion(5n, 0)).toBeNull();
});
