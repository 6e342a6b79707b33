// For random catalogs, preferences and health: every chosen route satisfies all preferences and is not isolated, and a
// route is chosen whenever one satisfies them and works.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProviderPreferences } from '../../src/canonical/request.ts';
import type { OfferedRoute } from '../../src/modules/routing/offered-route.ts';
import { model, noNeeds, noWishes, prices, provider, RoutingBench, seeded } from './sample-routes.ts';

const NAMES = ['alpha', 'Beta', 'gamma-x', 'delta', 'epsilon'];
const QUANTIZATIONS = ['fp8', 'fp16', 'int4'];
const PARAMETERS = ['seed', 'temperature', 'reasoning'];

const name = fc.constantFrom(...NAMES);
const spelled = name.map((text) => text.toUpperCase());
const usd = fc.constantFrom(0, 0.5, 1, 2, 10);
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });

const spec = fc.record({
  name,
  upstreamModel: fc.constantFrom('m1', 'm2'),
  quantization: maybe(fc.constantFrom(...QUANTIZATIONS)),
  promptUsd: usd,
  completionUsd: usd,
  isPrivate: fc.boolean(),
  health: fc.constantFrom('well', 'well', 'down', 'due', 'limited', 'refused'),
});

const wishes: fc.Arbitrary<ProviderPreferences> = fc.record({
  order: fc.array(spelled, { maxLength: 3 }),
  only: maybe(fc.array(spelled, { maxLength: 3 })),
  ignore: fc.array(spelled, { maxLength: 2 }),
  allowFallbacks: fc.boolean(),
  requiredParameters: maybe(fc.subarray(PARAMETERS)),
  dataCollection: fc.constantFrom('allow', 'deny'),
  quantizations: maybe(fc.subarray([...QUANTIZATIONS, 'unknown'])),
  sort: maybe(fc.constantFrom('price', 'latency', 'throughput')),
  sortsAcrossModels: fc.boolean(),
  maxPriceUsd: maybe(fc.record({ prompt: usd, completion: usd }, { requiredKeys: [] })),
});

/** The preferences again, written as plainly as possible. */
function satisfies(route: OfferedRoute, wish: ProviderPreferences): boolean {
  const lower = route.provider.name.toLowerCase();
  const has = (list: readonly string[]): boolean => list.some((text) => text.toLowerCase() === lower);
  const { base } = route.prices;
  const within = (limit: number | undefined, price: bigint) => limit === undefined || Number(price) <= limit * 1e9;
  const supported = route.model.supportedParameters;
  return (
    (wish.only === null || wish.only.length === 0 || has(wish.only)) &&
    (wish.allowFallbacks || wish.order.length === 0 || has(wish.order)) &&
    !has(wish.ignore) &&
    (wish.dataCollection === 'allow' || route.provider.dataCollection === 'deny') &&
    (wish.quantizations === null ||
      wish.quantizations.length === 0 ||
      wish.quantizations.includes(route.quantization)) &&
    (wish.requiredParameters ?? []).every((parameter) => supported?.includes(parameter) ?? true) &&
    within(wish.maxPriceUsd?.prompt, base.prompt) &&
    within(wish.maxPriceUsd?.completion, base.completion)
  );
}

function bring(bench: RoutingBench, route: OfferedRoute, health: string): void {
  const nowMs = bench.clock.monotonicMs();
  if (health === 'down' || health === 'due') bench.fail(route, 5);
  else if (health === 'refused') bench.fail(route, 1, 'auth_failed');
  else if (health === 'limited') {
    bench.routing.begin(route, false)?.failed({ kind: 'rate_limited', retryAfterSeconds: 60, detail: '' }, nowMs);
  } else if (bench.routing.isolation(route) === null) bench.succeed(route, 50, 100);
}

test('ROUTE-15 ROUTE-16 ROUTE-17 ROUTE-18 every wish is kept, and nobody who could serve is overlooked', () => {
  fc.assert(
    fc.property(
      fc.array(spec, { minLength: 1, maxLength: 8 }),
      wishes,
      maybe(fc.subarray(PARAMETERS)),
      fc.integer(),
      (specs, wish, supportedParameters, seed) => {
        const bench = new RoutingBench(seeded(seed));
        const of = model(
          'acme/m',
          specs.map(({ name: own, upstreamModel, quantization, promptUsd, completionUsd, isPrivate }) => ({
            name: own,
            provider: provider(own, { dataCollection: isPrivate ? 'deny' : 'allow' }),
            upstreamModel,
            quantization,
            prices: prices(promptUsd, completionUsd),
          })),
          { supportedParameters },
        );
        const offered = bench.offer(of);
        for (const [index, { health }] of specs.entries()) {
          if (health === 'due') bring(bench, offered[index] as OfferedRoute, health);
        }
        bench.clock.move(31_000);
        for (const [index, { health }] of specs.entries()) {
          if (health !== 'due') bring(bench, offered[index] as OfferedRoute, health);
        }
        const choice = bench.choose(of, wish, { sort: wish.sort });
        const isWell = (route: OfferedRoute): boolean => bench.routing.isolation(route) === null;
        for (const route of choice.routes) {
          expect(satisfies(route, wish)).toBe(true);
          expect(isWell(route)).toBe(true);
        }
        const able = offered.filter((route) => satisfies(route, wish));
        const well = able.filter(isWell);
        expect(new Set(choice.routes).size).toBe(choice.routes.length);
        expect(choice.firstChoice === null).toBe(able.length === 0);
        if (wish.allowFallbacks) {
          expect(new Set(choice.routes)).toEqual(new Set(well));
          expect(choice.isolations).toHaveLength(able.length - well.length);
        } else expect(choice.routes.length).toBeLessThanOrEqual(1);
        const isOpen = wish.order.length === 0 && wish.sort === null;
        if (isOpen && well.length > 0) expect(choice.routes.length).toBeGreaterThan(0);
        expectOrder(choice.routes, wish);
      },
    ),
    { numRuns: 500 },
  );
});

/** Listed providers come first, in the order of the list. */
function expectOrder(routes: readonly OfferedRoute[], wish: ProviderPreferences): void {
  const order = [...new Set(wish.order.map((text) => text.toLowerCase()))];
  const places = routes.map((route) => {
    const place = order.indexOf(route.provider.name.toLowerCase());
    return place === -1 ? order.length : place;
  });
  expect(places).toEqual([...places].sort((left, right) => left - right));
}

test('ROUTE-16 without wishes or trouble every route is a candidate, whatever the dice', () => {
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 8 }), fc.integer(), (specs, seed) => {
      const bench = new RoutingBench(seeded(seed));
      const of = model(
        'acme/m',
        specs.map(({ name: own, promptUsd }) => ({ name: own, prices: prices(promptUsd) })),
      );
      expect(new Set(bench.choose(of).routes)).toEqual(new Set(bench.offer(of)));
      expect(
        bench.choose(of, noWishes, { request: { needs: noNeeds, promptTokensEstimate: 1, isStream: true } }).routes,
      ).toHaveLength(specs.length);
    }),
    { numRuns: 200 },
  );
});
