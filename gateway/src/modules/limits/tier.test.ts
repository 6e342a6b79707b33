// Which accounts are treated as paying ones when it comes to what they keep, and how often that is looked up.

import { expect, test } from 'vitest';
import { createCreditCheck } from './tier.ts';

test('an account keeps its room when its credit is spent, and has it at once where it is billed monthly', async () => {
  const accounts = {
    new: { kind: 'prepaid', totalCreditedNanoUsd: 0n },
    credited: { kind: 'prepaid', totalCreditedNanoUsd: 1n },
    monthly: { kind: 'monthly', totalCreditedNanoUsd: 0n },
  } as const;
  const asked: string[] = [];
  const hasHadCredit = createCreditCheck(async (accountId) => {
    asked.push(accountId);
    return accounts[accountId as keyof typeof accounts];
  });
  for (const _time of [1, 2]) {
    expect(await Promise.all(['new', 'credited', 'monthly'].map(hasHadCredit))).toEqual([false, true, true]);
  }
  expect(asked).toEqual(['new', 'credited', 'monthly', 'new']);
});
