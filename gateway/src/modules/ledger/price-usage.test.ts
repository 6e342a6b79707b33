// What a call costs: tiers, caches, reasoning and multipliers by example, and exactness, monotony and the reserve's
// sufficiency by property.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NO_PRICES, type PriceList, type PriceSchedule } from '../../canonical/price.ts';
import { type Units, type Usage, zeroUsage } from '../../canonical/usage.ts';
import { affordableOutput, type CallSize, costAt, costLine, priceUsage } from './price-usage.ts';

const prices = (prompt: bigint, completion: bigint, changes: Partial<PriceList> = {}): PriceList => ({
  prompt,
  completion,
  cacheRead: null,
  cacheWrite: null,
  request: null,
  image: null,
  videoSecond: null,
  cacheWriteHour: null,
  search: null,
  webSearch: null,
  hostedTool: null,
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

test('BILL-09 tokens that were read and written in one call pay for both, and for the prompt once', () => {
  const both = usage({ promptTokens: 100, cachedTokens: 90, cacheWriteTokens: 90 });
  // A price of writing that includes the prompt: its surcharge remains.
  const surcharged = flat(prices(10n * NANO, 0n, { cacheRead: 1n * NANO, cacheWrite: 12n * NANO }));
  expect(priceUsage(both, surcharged).costNanoUsd).toBe(10n * 10n + 90n * 1n + 90n * 2n);
  // One for the keeping alone.
  const kept = flat(prices(10n * NANO, 0n, { cacheRead: 1n * NANO, cacheWrite: 3n * NANO }));
  expect(priceUsage(both, kept).costNanoUsd).toBe(10n * 10n + 90n * 1n + 90n * 3n);
});

describe('turns of one answer', () => {
  const turn = (promptTokens: number, completionTokens: number): Usage => usage({ promptTokens, completionTokens });
  const other = flat(prices(1_000n * NANO, 3_000n * NANO));
  const pricesOf = (model: string): PriceSchedule | undefined => (model === 'known' ? other : undefined);

  test('BILL-08 each turn selects its own tier, and all are charged together', () => {
    const turns = [turn(900, 1), turn(1_000, 2)].map((it) => ({ kind: 'own' as const, usage: it }));
    expect(priceUsage({ ...turn(1_900, 3), turns }, tiered).costNanoUsd).toBe(1_900n + 6n);
  });

  test('BILL-06 what another model said is at its price', () => {
    for (const kind of ['advice', 'substitute'] as const) {
      const turns = [
        { kind: 'own' as const, usage: turn(10, 1) },
        { kind, upstreamModel: 'known', usage: turn(2, 3) },
      ];
      expect(priceUsage({ ...turn(10, 1), turns }, tiered, { pricesOf }).costNanoUsd).toBe(12n + 2_000n + 9_000n);
    }
  });

  test('BILL-06 without a price, whoever stood in is at the price of the called model, and advice is not charged', () => {
    const charged = (kind: 'advice' | 'substitute'): bigint => {
      const turns = [{ kind, upstreamModel: 'unknown', usage: turn(2, 3) }];
      return priceUsage({ ...turn(2, 3), turns }, tiered, { pricesOf }).costNanoUsd;
    };
    expect(charged('substitute')).toBe(2n + 6n);
    expect(charged('advice')).toBe(0n);
  });
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
  expect(costAt(costLine({ promptTokens: 1_001, choices: 3 }, tiered), 10)).toBe(10_010n + 600n);
  expect(costAt(costLine({ promptTokens: 1, choices: 1 }, flat(prices(1n, 0n))), 0)).toBe(1n);
  fc.assert(
    fc.property(
      list,
      fc.nat({ max: 100_000 }),
      fc.nat({ max: 10_000 }),
      fc.integer({ min: 1, max: 128 }),
      (base, prompt, output, choices) => {
        const schedule = flat({ ...base, cacheRead: null, cacheWrite: null });
        const call = usage({ promptTokens: prompt, completionTokens: output * choices });
        const line = costLine({ promptTokens: prompt, choices }, schedule);
        const estimate = costAt(line, output);
        expect(affordableOutput(estimate, line)).toBeGreaterThanOrEqual(output);
        expect(costAt(line, affordableOutput(estimate, line))).toBeLessThanOrEqual(estimate);
        expect(estimate).toBeGreaterThanOrEqual(priceUsage(call, schedule).costNanoUsd);
      },
    ),
  );
});

describe('what is not counted in tokens', () => {
  const perUnit = (changes: Partial<PriceList>): PriceSchedule => flat({ ...prices(0n, 0n), ...changes });
  const used = (units: Units): Usage => ({ ...zeroUsage, units });
  /** USD 0.000001 for one unit. */
  const MICRO = 1_000n * 1_000_000n;

  test('AUD-06 characters have their own price, or else the one per million', () => {
    expect(priceUsage(used({ characters: 7 }), perUnit({ character: 15n * MICRO })).costNanoUsd).toBe(105_000n);
    expect(priceUsage(used({ characters: 7 }), flat(prices(15n * NANO, 0n))).costNanoUsd).toBe(105n);
    expect(priceUsage(used({ characters: 7 }), { ...perUnit({ prompt: 9n * NANO, character: 0n }) }).costNanoUsd).toBe(
      0n,
    );
  });

  test('AUD-03 seconds are charged to the millisecond, images and videos by the piece and the second', () => {
    expect(priceUsage(used({ audioMs: 1_500 }), perUnit({ audioSecond: 100n * MICRO })).costNanoUsd).toBe(150_000n);
    expect(priceUsage(used({ audioMs: 1 }), perUnit({ audioSecond: MICRO })).costNanoUsd).toBe(1n);
    expect(priceUsage(used({ images: 3 }), perUnit({ image: 40n * MICRO })).costNanoUsd).toBe(120_000n);
    expect(priceUsage(used({ videoMs: 8_000 }), perUnit({ videoSecond: 100n * MICRO })).costNanoUsd).toBe(800_000n);
  });

  test('I14 property: one rounding, half up, whatever the units and prices', () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 15n });
    const count = fc.nat(10_000_000);
    fc.assert(
      fc.property(price, price, count, count, (character, audioSecond, characters, audioMs) => {
        const { costNanoUsd } = priceUsage(used({ characters, audioMs }), perUnit({ character, audioSecond }));
        const exact = BigInt(characters) * character * 1_000n + BigInt(audioMs) * audioSecond;
        expect(costNanoUsd).toBe((exact + 500_000_000n) / 1_000_000_000n);
      }),
    );
  });

  test('BILL-02 property: what is held for units is never less than what they cost', () => {
    const price = fc.bigInt({ min: 1n, max: 10n ** 15n });
    const units = fc.record({
      characters: fc.nat(1e6),
      audioMs: fc.nat(1e7),
      images: fc.nat(10),
      videoMs: fc.nat(1e6),
    });
    fc.assert(
      fc.property(price, price, units, (one, other, most) => {
        const schedule = perUnit({ character: one, audioSecond: other, image: one, videoSecond: other });
        const held = costAt(costLine({ promptTokens: 0, choices: 1, units: most }, schedule), 0);
        expect(held).toBeGreaterThanOrEqual(priceUsage(used(most), schedule).costNanoUsd);
      }),
    );
  });

  test('AUD-03 what the upstream states is the cost, where the caller pays the upstream at all', () => {
    const stated: Usage = { ...used({ audioMs: 60_000 }), statedCostNanoUsd: 4_200n };
    expect(priceUsage(stated, perUnit({ audioSecond: MICRO }))).toMatchObject({
      costNanoUsd: 4_200n,
      subtotalNanoUsd: 4_200n,
      cacheDiscountNanoUsd: 0n,
    });
    expect(priceUsage(stated, NO_PRICES).costNanoUsd).toBe(0n);
    expect(priceUsage({ ...zeroUsage, statedCostNanoUsd: 0n }, perUnit({})).costNanoUsd).toBe(0n);
  });

  test('BILL-02 a recording whose price only the upstream knows is held for all the same', () => {
    const size: CallSize = { promptTokens: 0, choices: 1, units: { audioMs: 10_000 } };
    expect(costAt(costLine(size, perUnit({})), 0)).toBe(2_000_000n);
    expect(costAt(costLine(size, perUnit({ audioSecond: 0n })), 0)).toBe(0n);
  });
});
