// The estimated cost of calls that nobody pays for.

import { expect, test } from 'vitest';
import { NO_PRICES, type PriceSchedule } from '../../canonical/price.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { type UnpaidCall, unpaidCost } from './price-usage.ts';

const USD = 1_000_000_000n;

/** $1 per million tokens in, $10 out, a cent for a search. */
const prices: PriceSchedule = {
  base: { ...NO_PRICES.base, prompt: USD, completion: 10n * USD, cacheRead: USD / 10n, webSearch: 10_000n * USD },
  tiers: [],
};

const costOf = (changes: Partial<UnpaidCall>): bigint =>
  unpaidCost({
    promptTokens: 1_000,
    deliveredTokens: 100,
    isHidden: false,
    usualTokens: null,
    elapsedMs: 0,
    tokensPerSecond: null,
    outputTokensMax: null,
    units: {},
    reported: null,
    prices,
    completionMultiplier: 1,
    heldNanoUsd: 1_000n * USD,
    ...changes,
  });

const PROMPT = 1_000_000n;
const TOKEN = 10_000n;

test('what shows is counted as it came', () => {
  expect(costOf({})).toBe(PROMPT + 100n * TOKEN);
  expect(costOf({ elapsedMs: 60_000 })).toBe(PROMPT + 100n * TOKEN);
  expect(costOf({ completionMultiplier: 2 })).toBe(PROMPT + 200n * TOKEN);
});

test('what does not show is taken from the time it took, or from what the model usually does', () => {
  const isHidden = true;
  expect(costOf({ isHidden, deliveredTokens: 0 })).toBe(PROMPT + 1_024n * TOKEN);
  expect(costOf({ isHidden, elapsedMs: 60_000 })).toBe(PROMPT + 6_000n * TOKEN);
  expect(costOf({ isHidden, elapsedMs: 60_000, tokensPerSecond: 500 })).toBe(PROMPT + 30_000n * TOKEN);
  expect(costOf({ isHidden, usualTokens: 30_000 })).toBe(PROMPT + 30_000n * TOKEN);
  expect(costOf({ isHidden, usualTokens: 10 })).toBe(PROMPT + 100n * TOKEN);
});

test('never more than the limit, nor than what was held', () => {
  expect(costOf({ isHidden: true, usualTokens: 30_000, outputTokensMax: 50 })).toBe(PROMPT + 50n * TOKEN);
  expect(costOf({ heldNanoUsd: 7n })).toBe(7n);
});

test('what the upstream has said counts, and searches do', () => {
  const reported = { ...zeroUsage, promptTokens: 1_000, cachedTokens: 1_000, completionTokens: 5 };
  expect(costOf({ reported })).toBe(PROMPT / 10n + 100n * TOKEN);
  expect(costOf({ reported: { ...reported, completionTokens: 5_000 } })).toBe(PROMPT / 10n + 5_000n * TOKEN);
  expect(costOf({ reported: zeroUsage })).toBe(PROMPT + 100n * TOKEN);
  expect(costOf({ units: { webSearches: 2 } })).toBe(PROMPT + 100n * TOKEN + 20_000_000n);
});
