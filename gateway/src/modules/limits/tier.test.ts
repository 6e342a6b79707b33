// Which accounts are treated as paying ones when it comes to what they keep.

import { expect, test } from 'vitest';
import { hasHadCredit } from './tier.ts';

test('an account keeps its room when its credit is spent, and has it at once where it is billed monthly', () => {
  expect(hasHadCredit({ kind: 'prepaid', totalCreditedNanoUsd: 0n })).toBe(false);
  expect(hasHadCredit({ kind: 'prepaid', totalCreditedNanoUsd: 1n })).toBe(true);
  expect(hasHadCredit({ kind: 'monthly', totalCreditedNanoUsd: 0n })).toBe(true);
});
