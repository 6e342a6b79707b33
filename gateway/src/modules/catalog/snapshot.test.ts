// What a document says must be what calls are routed and billed by: prices to the last digit, routes in their order.

import { describe, expect, test } from 'vitest';
import { SAMPLE, snapshotOf } from '../../../test/catalog/sample-catalog.ts';
import type { Model } from '../../canonical/model.ts';
import { type CatalogSnapshot, routesOf } from './snapshot.ts';

const snapshot = snapshotOf(SAMPLE);

function modelNamed(from: CatalogSnapshot, id: string): Model {
  const model = from.byId.find(id);
  if (model === null || model === 'ambiguous') throw new Error(`no ${id}`);
  return model;
}

const routeNames = (from: CatalogSnapshot, id: string): string[] =>
  routesOf(from, modelNamed(from, id)).map((route) => `${route.provider.name} ${route.upstreamModel}`);

describe('prices', () => {
  test('CAT-08 base and tier are exact, in one unit', () => {
    const { prices } = modelNamed(snapshot, 'openai/gpt-x');
    expect(prices?.base).toMatchObject({
      prompt: 150_000_000n,
      completion: 600_000_000n,
      cacheRead: 75_000_000n,
      cacheWrite: null,
    });
    expect(prices?.tiers).toEqual([
      {
        abovePromptTokens: 200_000,
        list: { ...prices?.base, prompt: 300_000_000n, completion: 1_200_000_000n, cacheRead: null },
      },
    ]);
  });

  test('prices by the unit keep fifteen decimals', () => {
    const text = `providers: {}\nmodels: { a/b: { output_modalities: [speech], pricing: { character: "0.000000000000001" } } }`;
    expect(modelNamed(snapshotOf(text), 'a/b').prices?.base).toMatchObject({ character: 1n, prompt: 0n });
  });

  test("a route's prices stand over the model's, and an empty entry changes nothing", () => {
    const [first, second] = modelNamed(snapshot, 'openai/gpt-x').routes;
    expect(first?.prices).toBeNull();
    expect(second?.prices?.base).toMatchObject({ prompt: 100_000_000n, completion: 600_000_000n });
    expect(second?.prices?.tiers).toHaveLength(1);
    const empty = snapshotOf(SAMPLE.replace('pricing: { prompt: "0.1" }', 'pricing: {}'));
    expect(modelNamed(empty, 'openai/gpt-x').routes[1]?.prices).toBeNull();
  });
});

test('BILL-08 a tier of the model makes no dearer route cheaper, and its other prices stay', () => {
  const text = `
providers: { p: { protocol: openai, base_url: "http://p.test/v1" } }
models:
  a/b:
    pricing: { prompt: "1", completion: "4", cache_read: "0.1" }
    pricing_tiers: [{ above_prompt_tokens: 1000, prompt: "0.000002", completion: "0.000006", cache_read: "0.0000002" }]
    routes: [{ provider: p, pricing: { prompt: "5", cache_read: "0.5", request: "0.01" } }]
`;
  const [route] = modelNamed(snapshotOf(text), 'a/b').routes;
  const { base, tiers } = route?.prices ?? {};
  expect(tiers?.[0]?.list).toEqual({
    ...base,
    prompt: 5_000_000_000n,
    completion: 6_000_000_000n,
    cacheRead: 500_000_000n,
    request: 10_000_000n * 1_000_000n,
  });
});

test('tiers of a route stand in place of those of its model, and an empty list means none', () => {
  const tier = (above: number, prompt: string) =>
    `{ above_prompt_tokens: ${above}, prompt: "${prompt}", completion: "0.000009" }`;
  const text = `
providers: { p: { protocol: openai, base_url: "http://p.test/v1" } }
models:
  a/b:
    pricing: { prompt: "1", completion: "4", request: "0.01" }
    pricing_tiers: [${tier(1000, '0.000002')}]
    routes:
      - { provider: p, pricing: { prompt: "2" }, pricing_tiers: [${tier(500, '0.000003')}] }
      - { provider: p, pricing_tiers: [] }
`;
  const [dear, flat] = modelNamed(snapshotOf(text), 'a/b').routes;
  expect(dear?.prices?.tiers).toEqual([
    {
      abovePromptTokens: 500,
      list: { ...dear?.prices?.base, prompt: 3_000_000_000n, completion: 9_000_000_000n },
    },
  ]);
  expect(flat?.prices).toMatchObject({ base: { prompt: 1_000_000_000n }, tiers: [] });
});

describe('ROUTE-04 providers are resolved level by level', () => {
  const levels = (routes: string): CatalogSnapshot =>
    snapshotOf(SAMPLE.replace('routes: { "openai/*": { provider: openai } }', `routes: { ${routes} }`));

  test("the model's own routes first, in their order", () => {
    expect(routeNames(snapshot, 'openai/gpt-x')).toEqual(['openai gpt-x-upstream', 'other gpt-x']);
  });

  test('then a route for the full id', () => {
    const from = levels('"openai/common": { provider: anthropic }, "openai/*": { provider: openai }');
    expect(routeNames(from, 'openai/common')).toEqual(['anthropic common']);
  });

  test('then the wildcard of the vendor', () => {
    const from = levels('"openai/*": { provider: openai }, "*": { provider: anthropic }');
    expect(routeNames(from, 'openai/common')).toEqual(['openai common']);
  });

  test('then the global wildcard, by the full id', () => {
    const from = levels('"openai/*": { provider: openai }, "*": { provider: anthropic }');
    expect(routeNames(from, 'other/solo-1.0')).toEqual(['anthropic other/solo-1.0']);
  });

  test('then the default provider, by the short name where it is its own', () => {
    expect(routeNames(levels(''), 'other/solo-1.0')).toEqual(['other solo-1.0']);
    expect(routeNames(levels(''), 'openai/common')).toEqual(['other openai/common']);
  });

  test('and nobody where there is none of these', () => {
    const from = snapshotOf(SAMPLE.replace('default_provider: other', ''));
    expect(routeNames(from, 'other/solo-1.0')).toEqual([]);
  });

  test('they are found once for each model', () => {
    const model = modelNamed(snapshot, 'other/solo-1.0');
    expect(routesOf(snapshot, model)).toBe(routesOf(snapshot, model));
  });
});

test('providers carry what transport needs', () => {
  expect([...snapshot.providers.values()]).toMatchObject([
    {
      name: 'openai',
      protocol: 'openai',
      baseUrl: 'http://127.0.0.1:1/v1',
      apiKey: 'sk-openai',
      dataCollection: 'allow',
      speaksResponses: false,
    },
    {
      name: 'anthropic',
      protocol: 'anthropic',
      baseUrl: 'http://127.0.0.1:2/v1',
      apiKey: 'sk-ant',
      dataCollection: 'deny',
      speaksResponses: false,
    },
    {
      name: 'other',
      protocol: 'openai',
      baseUrl: 'http://127.0.0.1:3/v1',
      apiKey: '',
      dataCollection: 'allow',
      speaksResponses: true,
    },
  ]);
});

test('quotas and limits default to the figures of the specification', () => {
  const text = `models: { a/b: { free: {}, pricing: { prompt: 1, completion: 1 } } }`;
  const defaults = snapshotOf(text);
  expect(modelNamed(defaults, 'a/b').free).toEqual({ requestsPerMinute: 10, requestsPerDay: 150 });
  expect(defaults.limits).toEqual({ freeRequestsPerMinute: 20, paidRequestsPerMinute: 200, ownCallsPerDay: 100_000 });
  expect(modelNamed(snapshot, 'openai/gpt-x').free).toEqual({ requestsPerMinute: 5, requestsPerDay: 50 });
  const stated = 'free_requests_per_minute: 3, paid_requests_per_minute: 7, own_upstream_calls_per_day: 9';
  const limited = snapshotOf(`${text}\nlimits: { ${stated} }`);
  expect(limited.limits).toEqual({ freeRequestsPerMinute: 3, paidRequestsPerMinute: 7, ownCallsPerDay: 9 });
});

describe('families come from data', () => {
  const PRICED = 'pricing: { prompt: 1, completion: 1 }';
  const traitsOf = (id: string, more = '') =>
    modelNamed(snapshotOf(`models: { ${id}: { ${PRICED}${more} } }`), id).traits;

  test('only one family keeps the fields that are its own', () => {
    expect(traitsOf('openai/gpt-x').keepsOpenAiOnlyFields).toBe(true);
    expect(traitsOf('other/gpt-x').keepsOpenAiOnlyFields).toBe(false);
  });

  test('thinking is opt-in and doubles the completion price', () => {
    for (const id of ['qwen/qwen3-32b', 'reseller/qwen3-32b']) {
      expect(traitsOf(id)).toMatchObject({ isThinkingOptIn: true, thinkingCompletionMultiplier: 2 });
    }
    expect(traitsOf('qwen/qwen2.5-72b')).toMatchObject({ isThinkingOptIn: false, thinkingCompletionMultiplier: 1 });
  });

  test('message counts and mandatory reasoning', () => {
    expect(traitsOf('anthropic/claude-x').messagesMax).toBe(1000);
    expect(traitsOf('openai/gpt-x').messagesMax).toBeNull();
    expect(traitsOf('deepseek/deepseek-r1').isReasoningMandatory).toBe(true);
    expect(traitsOf('deepseek/deepseek-chat').isReasoningMandatory).toBe(false);
  });

  test("an entry's own family stands over the pattern", () => {
    expect(traitsOf('other/tuned', ', family: qwen3')).toMatchObject({ family: 'qwen3', isThinkingOptIn: true });
    expect(traitsOf('openai/foreign', ', family: other').keepsOpenAiOnlyFields).toBe(false);
  });
});

test('the auto tables keep their order and are enabled unless they say otherwise', () => {
  const { auto } = snapshotOf(
    `${SAMPLE}\nauto: { paid: { simple: { models: [other/common, openai/gpt-x] }, video: { enabled: false } } }`,
  );
  expect(auto.paid.get('simple')).toEqual({ isEnabled: true, modelNames: ['other/common', 'openai/gpt-x'] });
  expect(auto.paid.get('video')).toEqual({ isEnabled: false, modelNames: [] });
  expect(auto.free.size).toBe(0);
});

test('ABT-1 what unpaid calls may cost has defaults, and an operator may change them', () => {
  const text = 'providers: {}';
  expect(snapshotOf(text).unpaid).toEqual({
    baseNanoUsd: 1_000_000_000n,
    paidPercent: 10,
    recoveryMs: 86_400_000,
    blockMs: 600_000,
  });
  const limits =
    'limits: { unpaid_cost_usd: 2.5, unpaid_paid_percent: 0, unpaid_recovery_hours: 2, unpaid_block_seconds: 30 }';
  expect(snapshotOf(limits).unpaid).toEqual({
    baseNanoUsd: 2_500_000_000n,
    paidPercent: 0,
    recoveryMs: 7_200_000,
    blockMs: 30_000,
  });
  for (const wrong of ['unpaid_cost_usd: -1', 'unpaid_cost_usd: "1e3"', 'unpaid_paid_percent: 101', 'unpaid_cost: 1']) {
    expect(() => snapshotOf(`limits: { ${wrong} }`), wrong).toThrow('limits.unpaid');
  }
  expect(snapshotOf(text).isAbandonedCharged).toBe(false);
  expect(snapshotOf('limits: { abandoned: charge }').isAbandonedCharged).toBe(true);
  expect(() => snapshotOf('limits: { abandoned: never }')).toThrow('limits.abandoned');
});
