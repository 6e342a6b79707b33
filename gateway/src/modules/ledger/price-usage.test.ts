// What a call costs: tiers, caches, reasoning and multipliers by example, and exactness, monotony and the reserve's
// sufficiency by property.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PriceList, PriceSchedule } from '../../canonical/price.ts';
import { type Usage, zeroUsage } from '../../canonical/usage.ts';
import { estimateCost, priceUsage } from './price-usage.ts';

const prices = (prompt: bigint, completion: bigint, changes: Partial<PriceList> = {}): PriceList => ({
  prompt,
  completion,
  cacheRead: null,
  cacheWrite: null,
  request: null,
  image: null,
  videoSecond: null,
  audioSecond: null,
  character: null,
  ...changes,
});

const flat = (list: PriceList): PriceSchedule => ({ base: list, tiers: [] });
const usage = (changes: Partial<Usage>): Usage => ({ ...zeroUsage, ...changes });
/** A million of these make a nano-USD of each unit. */
const NANO = 1_000_000n;

const tiered: PriceSchedule = {
  base: prices(1n * NANO, 2n * NANO),
  tiers: [
    { abovePromptTokens: 1_000, list: prices(10n * NANO, 20n * NANO) },
    { abovePromptTokens: 5_000, list: prices(100n * NANO, 200n * NANO) },
  ],
};

test('BILL-08 I13 equal to the threshold uses the lower tier, greater the higher, for the whole call', () => {
  expect(priceUsage(usage({ promptTokens: 1_000, completionTokens: 7 }), tiered).costNanoUsd).toBe(1_000n + 14n);
  expect(priceUsage(usage({ promptTokens: 1_001, completionTokens: 7 }), tiered).costNanoUsd).toBe(10_010n + 140n);
  expect(priceUsage(usage({ promptTokens: 5_000 }), tiered).costNanoUsd).toBe(50_000n);
  expect(priceUsage(usage({ promptTokens: 5_001 }), tiered).costNanoUsd).toBe(500_100n);
  expect(priceUsage(usage({ promptTokens: 1_001 }), tiered).list).toBe(tiered.tiers[0]?.list);
});

test('BILL-08 the tier is selected by all prompt tokens, cached ones included', () => {
  const call = usage({ promptTokens: 1_001, cachedTokens: 1_001 });
  expect(priceUsage(call, tiered).costNanoUsd).toBe(10_010n);
});

test('BILL-09 cached tokens cost the cached price and the saving is the discount', () => {
  const schedule = flat(prices(10n * NANO, 20n * NANO, { cacheRead: 1n * NANO, cacheWrite: 12n * NANO }));
  const call = usage({ promptTokens: 100, cachedTokens: 40, completionTokens: 5 });
  expect(priceUsage(call, schedule)).toMatchObject({
    subtotalNanoUsd: 1_100n,
    costNanoUsd: 600n + 40n + 100n,
    cacheDiscountNanoUsd: 360n,
  });
});

test('BILL-09 writing the cache may cost more than it saves: the discount is then below zero', () => {
  const schedule = flat(prices(10n * NANO, 0n, { cacheRead: 1n * NANO, cacheWrite: 15n * NANO }));
  const call = usage({ promptTokens: 100, cacheWriteTokens: 100 });
  expect(priceUsage(call, schedule)).toMatchObject({ costNanoUsd: 1_500n, cacheDiscountNanoUsd: -500n });
});

test('BILL-09 without a cached price the prompt price applies', () => {
  const call = usage({ promptTokens: 100, cachedTokens: 40, cacheWriteTokens: 60 });
  expect(priceUsage(call, flat(prices(10n * NANO, 0n)))).toMatchObject({
    costNanoUsd: 1_000n,
    cacheDiscountNanoUsd: 0n,
  });
});

test('USG-1 more cached tokens than prompt tokens never lower the cost below the cached prompt', () => {
  const schedule = flat(prices(10n * NANO, 0n, { cacheRead: 1n * NANO }));
  const call = usage({ promptTokens: 10, cachedTokens: 1_000, cacheWriteTokens: 1_000 });
  expect(priceUsage(call, schedule).costNanoUsd).toBe(10n);
});

test('BILL-10 reasoning is part of the completion and is not counted again', () => {
  const call = usage({ promptTokens: 1, completionTokens: 10, reasoningTokens: 8 });
  expect(priceUsage(call, flat(prices(0n, 3n * NANO))).costNanoUsd).toBe(30n);
});

test('BILL-11 the thinking multiplier doubles the completion price alone', () => {
  const schedule = flat(prices(5n * NANO, 3n * NANO));
  const call = usage({ promptTokens: 10, completionTokens: 10 });
  const doubled = priceUsage(call, schedule, { completionMultiplier: 2 });
  expect(doubled.costNanoUsd).toBe(50n + 60n);
  expect(doubled.list).toMatchObject({ prompt: 5n * NANO, completion: 6n * NANO });
  expect(priceUsage(call, schedule, { completionMultiplier: 2 }).list).toBe(doubled.list);
  expect(() => priceUsage(call, schedule, { completionMultiplier: 1.5 })).toThrow('whole number');
});

test('BILL-05 an all-zero usage costs nothing, its flat price included; BILL-06 input alone is charged', () => {
  const schedule = flat(prices(5n * NANO, 3n * NANO, { request: 1_000n * NANO }));
  expect(priceUsage(zeroUsage, schedule)).toMatchObject({ subtotalNanoUsd: 0n, costNanoUsd: 0n });
  expect(priceUsage(usage({ promptTokens: 2 }), schedule).costNanoUsd).toBe(1_010n);
  expect(priceUsage(usage({ promptTokens: 2 }), schedule, { requestCount: 3 }).costNanoUsd).toBe(3_010n);
});

test('a charge is rounded once, half up, however many parts it has', () => {
  const half = flat(prices(NANO / 2n, NANO / 2n));
  expect(priceUsage(usage({ promptTokens: 1 }), half).costNanoUsd).toBe(1n);
  expect(priceUsage(usage({ promptTokens: 1, completionTokens: 1 }), half).costNanoUsd).toBe(1n);
  expect(priceUsage(usage({ promptTokens: 1 }), flat(prices(NANO / 2n - 1n, 0n))).costNanoUsd).toBe(0n);
});

const tokens = fc.nat({ max: 2 ** 40 });
const price = fc.bigInt({ min: 0n, max: 1_000n * NANO * 1_000n });
const list = fc
  .tuple(price, price, fc.option(price), fc.option(price), fc.option(price))
  .map(([prompt, completion, cacheRead, cacheWrite, request]) =>
    prices(prompt, completion, { cacheRead, cacheWrite, request }),
  );

test('I14 the cost is the exact sum to within half a nano, and subtotal less discount is the cost', () => {
  fc.assert(
    fc.property(list, tokens, tokens, fc.tuple(fc.nat(), fc.nat()), (base, prompt, completion, [cached, written]) => {
      const cachedTokens = Math.min(cached, prompt);
      const cacheWriteTokens = Math.min(written, prompt - cachedTokens);
      const call = usage({ promptTokens: prompt + 1, completionTokens: completion, cachedTokens, cacheWriteTokens });
      const { subtotalNanoUsd, cacheDiscountNanoUsd, costNanoUsd } = priceUsage(call, flat(base));
      const exact =
        BigInt(prompt + 1 - cachedTokens - cacheWriteTokens) * base.prompt +
        BigInt(cachedTokens) * (base.cacheRead ?? base.prompt) +
        BigInt(cacheWriteTokens) * (base.cacheWrite ?? base.prompt) +
        BigInt(completion) * base.completion +
        (base.request ?? 0n);
      const difference = 2n * (costNanoUsd * NANO - exact);
      expect(difference > -NANO && difference <= NANO).toBe(true);
      expect(subtotalNanoUsd - cacheDiscountNanoUsd).toBe(costNanoUsd);
      expect(costNanoUsd >= 0n && subtotalNanoUsd >= 0n).toBe(true);
    }),
  );
});

test('I13 the cost never falls when tokens rise, tiers included', () => {
  fc.assert(
    fc.property(
      list,
      fc.nat({ max: 10_000 }),
      tokens,
      fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 1_000 })),
      (base, threshold, completion, [prompt, more]) => {
        const dearer = { ...base, prompt: base.prompt * 2n, completion: base.completion * 2n };
        const schedule = { base, tiers: [{ abovePromptTokens: threshold, list: dearer }] };
        const cost = (promptTokens: number, completionTokens: number) =>
          priceUsage(usage({ promptTokens, completionTokens }), schedule).costNanoUsd;
        expect(cost(prompt + more, completion)).toBeGreaterThanOrEqual(cost(prompt, completion));
        expect(cost(prompt, completion + more)).toBeGreaterThanOrEqual(cost(prompt, completion));
      },
    ),
  );
});

test('BILL-02 the estimate is enough for any usage within it, and is at the tier that the input selects', () => {
  expect(estimateCost({ promptTokens: 1_001, outputTokens: 10, choices: 3 }, tiered)).toBe(10_010n + 600n);
  expect(estimateCost({ promptTokens: 1, outputTokens: 0, choices: 1 }, flat(prices(1n, 0n)))).toBe(1n);
  fc.assert(
    fc.property(
      list,
      fc.nat({ max: 100_000 }),
      fc.nat({ max: 10_000 }),
      fc.integer({ min: 1, max: 128 }),
      (base, prompt, output, choices) => {
        const schedule = flat({ ...base, cacheRead: null, cacheWrite: null });
        const call = usage({ promptTokens: prompt, completionTokens: output * choices });
        const estimate = estimateCost({ promptTokens: prompt, outputTokens: output, choices }, schedule);
        expect(estimate).toBeGreaterThanOrEqual(priceUsage(call, schedule).costNanoUsd);
      },
    ),
  );
});
