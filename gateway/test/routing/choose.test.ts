// Which routes are asked, and in which order: exactly by the caller's preferences, and without any in a random order by
// price among the healthy ones.

import { describe, expect, test } from 'vitest';
import type { OfferedRoute } from '../../src/modules/routing/offered-route.ts';
import { sortOf } from '../../src/modules/routing/routing.ts';
import { model, noWishes, prices, provider, RoutingBench, seeded } from './sample-routes.ts';

const three = model('acme/m', [
  { name: 'Alpha', prices: prices(3) },
  { name: 'beta-two', prices: prices(1) },
  { name: 'gamma', prices: prices(2) },
]);

describe('wishes', () => {
  test('ROUTE-16 order is tried first, the rest after it', () => {
    const names = new RoutingBench().names(three, { order: ['gamma', 'alpha'] });
    expect(names.slice(0, 2)).toEqual(['gamma', 'Alpha']);
    expect(names).toHaveLength(3);
  });

  test('ROUTE-16 names match in any case and by slug; unknown ones do nothing', () => {
    const bench = new RoutingBench();
    expect(bench.names(three, { order: ['nobody', 'BETA TWO'] })[0]).toBe('beta-two');
    expect(bench.names(three, { only: ['Beta-Two'] })).toEqual(['beta-two']);
    expect(bench.names(three, { ignore: ['ALPHA', 'gamma'] })).toEqual(['beta-two']);
    expect(bench.names(three, { only: ['nobody'] })).toEqual([]);
    expect(bench.names(three, { only: [] })).toHaveLength(3);
  });

  test('ROUTE-16 without fallbacks nobody but the first choice is asked, even when it is isolated', () => {
    const bench = new RoutingBench();
    expect(bench.names(three, { order: ['gamma', 'alpha'], allowFallbacks: false })).toEqual(['gamma']);
    bench.fail(bench.offer(three)[2] as OfferedRoute);
    const choice = bench.choose(three, { order: ['gamma', 'alpha'], allowFallbacks: false });
    expect(choice.routes).toEqual([]);
    expect(choice.isolations).toHaveLength(1);
    expect(bench.names(three, { allowFallbacks: false })).toHaveLength(1);
  });

  test('ROUTE-18 data collection, quantization, price and parameters filter', () => {
    const bench = new RoutingBench();
    const mixed = model(
      'acme/mixed',
      [
        { name: 'keeps', quantization: 'fp8' },
        { name: 'forgets', quantization: 'FP16', provider: provider('forgets', { dataCollection: 'deny' }) },
        { name: 'dear', prices: prices(1, 9) },
        { name: 'flat', prices: prices(0, 0, 0.02) },
      ],
      { supportedParameters: ['tools', 'temperature', 'structured_outputs'] },
    );
    expect(bench.names(mixed, { dataCollection: 'deny' })).toEqual(['forgets']);
    expect(bench.names(mixed, { quantizations: ['fp16'] })).toEqual(['forgets']);
    expect(bench.names(mixed, { quantizations: ['unknown'] }).sort()).toEqual(['dear', 'flat']);
    expect(bench.names(mixed, { maxPriceUsd: { prompt: 1, completion: 8.9 } })).not.toContain('dear');
    expect(bench.names(mixed, { maxPriceUsd: { prompt: 1, completion: 9 } })).toContain('dear');
    expect(bench.names(mixed, { maxPriceUsd: { request: 0.0199 } })).not.toContain('flat');
    expect(bench.names(mixed, { maxPriceUsd: { request: 0.02, prompt: 1e30 } })).toContain('flat');
    expect(bench.names(mixed, { maxPriceUsd: { prompt: 0 } })).toEqual(['flat']);
    expect(bench.names(mixed, { requiredParameters: ['temperature'] })).toHaveLength(4);
    expect(bench.names(mixed, { requiredParameters: ['seed'] })).toEqual([]);
    const request = { needs: { ...noNeedsWith('tools', 'responseFormat') }, promptTokensEstimate: 1, isStream: false };
    expect(bench.names(mixed, { requiredParameters: [] }, { request })).toHaveLength(4);
    const bare = model('acme/bare', [{ name: 'a' }], { supportedParameters: [] });
    expect(bench.names(bare, { requiredParameters: [] }, { request })).toEqual([]);
    const silent = model('acme/silent', [{ name: 'a' }]);
    expect(bench.names(silent, { requiredParameters: ['seed'] }, { request })).toEqual(['a']);
  });

  test('ROUTE-18 a limit of exactly the price allows it, however large', () => {
    for (const usd of [0.02, 8.04, 100.1]) {
      const flat = model('acme/flat', [{ name: 'flat', prices: prices(0, 0, usd) }]);
      expect(new RoutingBench().names(flat, { maxPriceUsd: { request: usd } }), String(usd)).toEqual(['flat']);
    }
  });

  test('ROUTE-18 a limit is compared with the tier that the prompt selects', () => {
    const tiered = { ...prices(1), tiers: [{ abovePromptTokens: 1_000, list: prices(5).base }] };
    const long = model('acme/long', [{ name: 'a', prices: tiered }]);
    const request = { needs: noNeedsWith(), promptTokensEstimate: 1_001, isStream: false };
    expect(new RoutingBench().names(long, { maxPriceUsd: { prompt: 2 } })).toEqual(['a']);
    expect(new RoutingBench().names(long, { maxPriceUsd: { prompt: 2 } }, { request })).toEqual([]);
  });

  function noNeedsWith(...names: string[]) {
    const needs = { tools: false, responseFormat: false, imageInput: false, fileInput: false };
    const all = { ...needs, audioInput: false, videoInput: false, imageOutput: false };
    return { ...all, ...Object.fromEntries(names.map((name) => [name, true])) };
  }
});

describe('sort', () => {
  test('ROUTE-06 ROUTE-17 price: the lowest listed input price first, then the rest of the price', () => {
    expect(new RoutingBench().names(three, { sort: 'price' })).toEqual(['beta-two', 'gamma', 'Alpha']);
    const outputs = model('acme/o', [
      { name: 'a', prices: prices(1, 9) },
      { name: 'b', prices: prices(1, 2) },
    ]);
    expect(new RoutingBench().names(outputs, { sort: 'price' })).toEqual(['b', 'a']);
  });

  test('ROUTE-07 ROUTE-17 latency and throughput are what was measured; who was never measured is tried first', () => {
    const bench = new RoutingBench();
    const [alpha, beta, gamma] = bench.offer(three) as [OfferedRoute, OfferedRoute, OfferedRoute];
    bench.succeed(alpha, 400, 4_000);
    bench.succeed(beta, 200, 100);
    expect(bench.names(three, { sort: 'latency' })).toEqual(['gamma', 'beta-two', 'Alpha']);
    bench.succeed(gamma, 300, 900);
    expect(bench.names(three, { sort: 'latency' })).toEqual(['beta-two', 'gamma', 'Alpha']);
    expect(bench.names(three, { sort: 'throughput' })).toEqual(['Alpha', 'gamma', 'beta-two']);
    bench.clock.move(601_000);
    expect(bench.names(three, { sort: 'latency' })).toEqual(['Alpha', 'beta-two', 'gamma']);
  });

  test("ROUTE-06 ROUTE-07 a suffix asks for a sort, and the caller's own wins over it", () => {
    const resolved = (shortcuts: ('floor' | 'nitro' | 'online')[]) => ({
      model: three,
      shortcuts,
      isFreeVariant: false,
    });
    expect(sortOf(resolved([]), null)).toBeNull();
    expect(sortOf(resolved(['online', 'floor']), null)).toBe('price');
    expect(sortOf(resolved(['nitro']), noWishes)).toBe('throughput');
    expect(sortOf(resolved(['floor']), { ...noWishes, sort: 'latency' })).toBe('latency');
  });
});

describe('without wishes', () => {
  test('ROUTE-16 a draw weighted by one over price squared', () => {
    const bench = new RoutingBench(seeded(7));
    const counts: Record<string, number> = {};
    for (let call = 0; call < 5_000; call += 1) {
      const [first = ''] = bench.names(three);
      counts[first] = (counts[first] ?? 0) + 1;
    }
    const weights = { Alpha: 1 / 9, 'beta-two': 1, gamma: 1 / 4 };
    const sum = weights.Alpha + weights['beta-two'] + weights.gamma;
    for (const [name, weight] of Object.entries(weights)) {
      expect((counts[name] ?? 0) / 5_000).toBeGreaterThan(weight / sum - 0.02);
      expect((counts[name] ?? 0) / 5_000).toBeLessThan(weight / sum + 0.02);
    }
  });

  test('ROUTE-16 what is free goes before what is not', () => {
    const bench = new RoutingBench(seeded(3));
    const gratis = model('acme/g', [
      { name: 'paid', prices: prices(1) },
      { name: 'free', prices: prices(0) },
    ]);
    for (let call = 0; call < 100; call += 1) expect(bench.names(gratis)[0]).toBe('free');
  });

  test('ROUTE-12 who is isolated is left out, and one who is due for a probe goes first', () => {
    const bench = new RoutingBench();
    const [alpha] = bench.offer(three) as [OfferedRoute];
    bench.fail(alpha);
    expect(bench.names(three).sort()).toEqual(['beta-two', 'gamma']);
    bench.clock.move(30_000);
    expect(bench.names(three)[0]).toBe('Alpha');
    const probe = bench.routing.begin(alpha, false);
    expect(probe?.isProbe).toBe(true);
    expect(bench.names(three)).not.toContain('Alpha');
    probe?.succeeded(null, 0, 0);
    expect(bench.names(three)).toHaveLength(3);
  });

  test('ROUTE-16 a conversation stays where its cache is, while that is well', () => {
    const bench = new RoutingBench(seeded(11));
    const [alpha] = bench.offer(three) as [OfferedRoute];
    const conversation = { key: 'c', isSession: false };
    const usage = {
      promptTokens: 50,
      completionTokens: 5,
      cachedTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
      promptAudioTokens: 0,
      completionImageTokens: 0,
    };
    const firsts = () => new Set(Array.from({ length: 50 }, () => bench.names(three, null, { conversation })[0]));
    bench.routing.served(conversation, alpha, usage);
    expect(firsts().size).toBeGreaterThan(1);
    bench.routing.served(conversation, alpha, { ...usage, cachedTokens: 40 });
    expect(firsts()).toEqual(new Set(['Alpha']));
    expect(bench.names(three, { sort: 'price' }, { conversation })[0]).toBe('beta-two');
    bench.fail(alpha);
    expect(firsts().has('Alpha')).toBe(false);
    const other = { key: 'd', isSession: true };
    bench.routing.served(other, bench.offer(three)[2] as OfferedRoute, null);
    expect(bench.names(three, null, { conversation: other })[0]).toBe('gamma');
    bench.clock.move(600_001);
    bench.succeed(alpha);
    const later = new Set(Array.from({ length: 50 }, () => bench.names(three, null, { conversation: other })[0]));
    expect(later.size).toBeGreaterThan(1);
  });
});
