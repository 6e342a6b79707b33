import { expect, test } from 'vitest';
import { formatUsd } from './format.ts';

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
