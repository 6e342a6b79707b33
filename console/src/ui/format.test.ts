import { expect, test } from 'vitest';
import { formatPercent, formatUsd } from './format.ts';

test.each([
  [0, '$0.00'],
  [1234.5, '$1,234.50'],
  [0.5, '$0.50'],
  [0.723, '$0.7230'],
  [0.29, '$0.29'],
  [0.0011, '$0.0011'],
  [0.00000375, '$0.00000375'],
  [-0.204, '-$0.2040'],
])('%d is shown as %s', (amount, text) => {
  expect(formatUsd(amount)).toBe(text);
});

test.each([
  [0, '0 %'],
  [0.0001, '<0.1 %'],
  [0.0054, '0.5 %'],
  [0.55, '55 %'],
])('a share of %d is shown as %s', (share, text) => {
  expect(formatPercent(share)).toBe(text);
});
