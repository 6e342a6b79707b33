// Which unsure results move up one tier, and which stay.

import { expect, test } from 'vitest';
import { promote } from './promote.ts';

test.each([
  ['simple', 0.599, 'standard'],
  ['standard', 0.5, 'complex'],
  ['complex', 0.55, 'reasoning'],
] as const)('AUTO-03 %s at %d goes up to %s', (tier, confidence, above) => {
  expect(promote({ tier, confidence })).toEqual({ tier: above, promotedFrom: tier });
});

test.each([
  ['simple', 0.6],
  ['complex', 0.95],
  ['reasoning', 0.5],
  ['coding', 0.5],
  ['trading', 0.5],
] as const)('AUTO-03 %s at %d stays', (tier, confidence) => {
  expect(promote({ tier, confidence })).toEqual({ tier, promotedFrom: null });
});
