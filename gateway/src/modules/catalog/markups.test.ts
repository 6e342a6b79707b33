// The selling price is the cost with the markup, to the last digit, in every price that a call can be charged by.

import { describe, expect, test } from 'vitest';
import { snapshotOf } from '../../../test/catalog/sample-catalog.ts';
import { withExtras } from '../../canonical/extras.ts';
import type { PriceSchedule } from '../../canonical/price.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { markupOf, priceUsage } from '../ledger/price-usage.ts';

const document = (markups: string): string => `
providers: { p: { protocol: openai, base_url: "http://127.0.0.1:9/v1" } }
models:
  a/one:
    pricing: { prompt: "0.15", completion: "0.6", cache_read: "0.000000001" }
    pricing_tiers: [{ above_prompt_tokens: 1000, prompt: "0.0000003", completion: "0.0000012" }]
    extras: { service_tier=priority: "2", service_tier=flex: { prompt: "0.1" } }
    routes: [{ provider: p }, { provider: p, upstream_model: dear, pricing: { prompt: "0.3" } }]
  b/two: { pricing: { prompt: "1", completion: "2" } }
markups: ${markups}
`;

function pricesOf(markups: string, id = 'a/one'): PriceSchedule {
  const model = snapshotOf(document(markups)).models.find((each) => each.id === id);
  if (model?.prices == null) throw new Error(`no prices of ${id}`);
  return model.prices;
}

describe('which rule counts', () => {
  const rules = '{ "*": { percent: 1 }, "a/*": { percent: 10 }, "a/one": { percent: 100 } }';
  test.each([
    [rules, 'a/one', 300_000_000n],
    ['{ "*": { percent: 1 }, "a/*": { percent: 10 } }', 'a/one', 165_000_000n],
    [rules, 'b/two', 1_010_000_000n],
    ['{ "a/*": { percent: 10 } }', 'b/two', 1_000_000_000n],
  ])('%s makes of %s %s', (markups, id, prompt) => {
    expect(pricesOf(markups, id).base.prompt).toBe(prompt);
  });

  test.each(['{}', '{ "*": { percent: 0 } }', '{ "*": {} }', '{ "*": { percent: 50 }, "a/one": { percent: 0 } }'])(
    'nothing is sold for more under %s',
    (markups) => {
      expect(pricesOf(markups).sold).toBeUndefined();
    },
  );

  test.each([
    ['{ "a/none": { percent: 1 } }', /a markup is for/],
    ['{ "*": { percent: -1 } }', /percent on top/],
    ['{ "*": { percent: 10000 } }', /percent on top/],
    ['{ "*": { percent: 0.00001 } }', /percent on top/],
    ['{ "*": { add: { prompt: 0.0000000001 } } }', /prompt/],
    ['{ "*": { discount: 1 } }', /unknown key/],
  ])('%s is refused', (markups, words) => {
    expect(() => snapshotOf(document(markups))).toThrow(words);
  });
});

describe('prices', () => {
  test('every price is rounded once, half up; what is not stated follows what stands in for it', () => {
    const { base, tiers } = pricesOf('{ "*": { percent: 12.5 } }');
    expect(base).toMatchObject({ prompt: 168_750_000n, completion: 675_000_000n, cacheRead: 1n, cacheWrite: null });
    expect(base).toMatchObject({ request: null, hostedTool: null, webSearch: 11_250_000_000_000n });
    expect(tiers[0]?.list).toMatchObject({ prompt: 337_500_000n, completion: 1_350_000_000n, cacheRead: null });
    expect(pricesOf('{ "*": { percent: 50 } }').base.cacheRead).toBe(2n);
  });

  test('amounts come on top, in the units of their prices, and a call may get a price of its own', () => {
    const { base } = pricesOf('{ "*": { percent: 100, add: { prompt: 0.05, image: 1, request: 0.001 } } }');
    expect(base).toMatchObject({ prompt: 350_000_000n, completion: 1_200_000_000n, image: null });
    expect(base.request).toBe(1_000_000_000_000n);
  });

  test('routes with prices of their own and extras are sold by the same rule', () => {
    const markups = '{ "*": { percent: 10 } }';
    const [plain, dear] = snapshotOf(document(markups)).models[0]?.routes ?? [];
    expect(plain?.prices).toBeNull();
    expect(dear?.prices?.base).toMatchObject({ prompt: 330_000_000n, completion: 660_000_000n });
    const flex = withExtras(pricesOf(markups), ['service_tier=flex']);
    expect([flex.base.prompt, flex.sold?.cost.base.prompt]).toEqual([110_000_000n, 100_000_000n]);
    const priority = withExtras(pricesOf(markups), ['service_tier=priority']);
    expect([priority.base.prompt, priority.sold?.cost.base.prompt]).toEqual([330_000_000n, 300_000_000n]);
  });
});

describe('what the operator keeps', () => {
  const usage = { ...zeroUsage, promptTokens: 2_001, completionTokens: 7 };
  const keptOf = (schedule: PriceSchedule, used = usage) => markupOf(priceUsage(used, schedule), used, schedule, {});

  test('is the difference of two charges, each rounded once', () => {
    const schedule = pricesOf('{ "*": { percent: 12.5 } }');
    const charge = (2_001n * 337_500_000n + 7n * 1_350_000_000n + 500_000n) / 1_000_000n;
    const cost = (2_001n * 300_000_000n + 7n * 1_200_000_000n + 500_000n) / 1_000_000n;
    expect(priceUsage(usage, schedule).costNanoUsd).toBe(charge);
    expect(keptOf(schedule)).toBe(charge - cost);
    expect(keptOf(pricesOf('{}'))).toBe(0n);
  });

  test('of a cost that the upstream states is the percentage and what a call costs more', () => {
    const schedule = pricesOf('{ "*": { percent: 12.5, add: { request: 0.000000003 } } }');
    const stated = { ...usage, statedCostNanoUsd: 1_001n };
    // 1,126.125 and 3.
    expect(priceUsage(stated, schedule).costNanoUsd).toBe(1_129n);
    expect(keptOf(schedule, stated)).toBe(128n);
  });

  test('of another model that took a turn is by that model’s rule', () => {
    const schedule = pricesOf('{ "b/two": { percent: 10 } }');
    const other = pricesOf('{ "b/two": { percent: 10 } }', 'b/two');
    const turn = { kind: 'substitute', upstreamModel: 'two', usage: { ...zeroUsage, promptTokens: 1_000 } } as const;
    const turned = { ...usage, turns: [turn] };
    const options = { pricesOf: () => other };
    const price = priceUsage(turned, schedule, options);
    expect(price.costNanoUsd).toBe(1_100_000n);
    expect(markupOf(price, turned, schedule, options)).toBe(100_000n);
  });
});
