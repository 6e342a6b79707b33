// What takes a route out of use and what does not, and what brings it back.

import { expect, test } from 'vitest';
import type { OfferedRoute } from '../../src/modules/routing/offered-route.ts';
import { model, provider, RoutingBench } from './sample-routes.ts';

const one = { name: 'solo' };

function only(bench: RoutingBench, of = model('acme/one', [one])): OfferedRoute {
  return bench.offer(of)[0] as OfferedRoute;
}

/** Alternating outcomes never fail five times in a row. */
function flicker(bench: RoutingBench, route: OfferedRoute, calls: number): void {
  for (let call = 0; call < calls; call += 1) {
    if (call % 4 === 0) bench.succeed(route, 1);
    else bench.fail(route, 1);
  }
}

test('ROUTE-12 a route that fails more than half of twenty calls in ten seconds is taken out', () => {
  const bench = new RoutingBench();
  const pair = model('acme/pair', [{ name: 'a' }, { name: 'b' }]);
  const [a, b] = bench.offer(pair) as [OfferedRoute, OfferedRoute];
  flicker(bench, a, 19);
  expect(bench.routing.isolation(a)).toBeNull();
  flicker(bench, a, 8);
  expect(bench.routing.isolation(a)?.reason).toBe('failing');
  expect(bench.isolations).toEqual(['a error_rate']);
  // At most half of a model's routes are taken out for their error rate; routes that fail every call are another
  // matter.
  flicker(bench, b, 40);
  expect(bench.routing.isolation(b)).toBeNull();
  bench.fail(b, 5);
  expect(bench.routing.isolation(b)).not.toBeNull();
});

test('ROUTE-12 the only route of a model is never taken out for its rate', () => {
  const bench = new RoutingBench();
  const route = only(bench);
  flicker(bench, route, 100);
  expect(bench.routing.isolation(route)).toBeNull();
});

test('ROUTE-12 a route is a provider and a model: its other models are not touched, other spellings of it are', () => {
  const bench = new RoutingBench();
  const shared = provider('shared');
  const of = (id: string, upstreamModel: string) =>
    only(bench, model(id, [{ name: 'shared', provider: shared, upstreamModel }]));
  bench.fail(of('acme/x', 'x'));
  expect(bench.routing.isolation(of('acme/x', 'x'))).not.toBeNull();
  expect(bench.routing.isolation(of('acme/x-alias', 'x'))).not.toBeNull();
  expect(bench.routing.isolation(of('acme/y', 'y'))).toBeNull();
});

test('ERR-57 429 with Retry-After: not asked for exactly that long, at most five minutes, and no failure', () => {
  const bench = new RoutingBench();
  const route = only(bench);
  const limit = (retryAfterSeconds: number | null): void => {
    const failure = { kind: 'rate_limited', retryAfterSeconds, detail: 'x' } as const;
    bench.routing.begin(route, false)?.failed(failure, bench.clock.monotonicMs());
  };
  limit(7);
  expect(bench.routing.isolation(route)).toEqual({ reason: 'rate_limited', waitMs: 7_000 });
  bench.clock.move(7_000);
  expect(bench.routing.isolation(route)).toBeNull();
  limit(86_400);
  expect(bench.routing.isolation(route)?.waitMs).toBe(300_000);
  bench.clock.move(300_000);
  for (let call = 0; call < 5; call += 1) limit(null);
  expect(bench.routing.isolation(route)).toMatchObject({ reason: 'rate_limited' });
});

test("ERR-56 a refused key: the route is out for ten minutes, the provider's others step back behind other providers", () => {
  const bench = new RoutingBench(() => 0.5);
  const bad = provider('bad');
  const refused = only(bench, model('acme/x', [{ name: 'bad', provider: bad, upstreamModel: 'x' }]));
  bench.fail(refused, 1, 'auth_failed');
  expect(bench.isolations).toEqual(['bad auth_failed']);
  expect(bench.routing.isolation(refused)).toEqual({ reason: 'auth_failed', waitMs: 600_000 });
  const both = model('acme/y', [{ name: 'bad', provider: bad, upstreamModel: 'y' }, { name: 'good' }]);
  expect(bench.names(both)).toEqual(['good', 'bad']);
  bench.clock.move(600_000);
  expect(bench.routing.isolation(refused)).toBeNull();
  expect(bench.names(both)).toEqual(['bad', 'good']);
});

test('ERR-56 a new key, or a new address, starts with a clean slate', () => {
  const bench = new RoutingBench();
  const route = (changes: object) => only(bench, model('acme/x', [{ name: 'p', provider: provider('p', changes) }]));
  bench.fail(route({}), 1, 'auth_failed');
  expect(bench.routing.isolation(route({}))).not.toBeNull();
  expect(bench.routing.isolation(route({ apiKey: 'new' }))).toBeNull();
  expect(bench.routing.isolation(route({ baseUrl: 'http://elsewhere.test/v1' }))).toBeNull();
});

test('ROUTE-12 what the caller did wrong, and a client that left, count for nothing; a probe they used up is given back', () => {
  const bench = new RoutingBench();
  const route = only(bench);
  for (let call = 0; call < 50; call += 1) {
    bench.routing.begin(route, false)?.declined();
    bench.routing.begin(route, false)?.dropped();
  }
  expect(route.health.lastMinute(bench.clock.monotonicMs())).toEqual({ calls: 0, failures: 0 });
  bench.fail(route);
  bench.clock.move(30_000);
  bench.routing.begin(route, false)?.dropped();
  expect(bench.routing.isolation(route)).toBeNull();
  // A refusal of the request is a proper answer, so the provider works again.
  bench.routing.begin(route, false)?.declined();
  expect(bench.routing.begin(route, false)?.isProbe).toBe(false);
});

test('ROUTE-12 a stream proves the route with its first piece, and may still count as a failure', () => {
  const bench = new RoutingBench();
  const route = only(bench);
  bench.fail(route);
  bench.clock.move(30_000);
  const probe = bench.routing.begin(route, true);
  probe?.opened(80, bench.clock.monotonicMs());
  expect(bench.routing.isolation(route)).toBeNull();
  expect(route.health.latencyMs(true, bench.clock.monotonicMs())).toBe(80);
  probe?.failed({ kind: 'malformed', detail: 'cut' }, bench.clock.monotonicMs());
  probe?.succeeded(5, 0, bench.clock.monotonicMs());
  expect(route.health.lastMinute(bench.clock.monotonicMs())).toEqual({ calls: 6, failures: 6 });
  expect(route.health.lastError).toMatchObject({ kind: 'malformed', detail: 'cut' });
});

test("ROUTE-17 throughput counts from a stream's first piece", () => {
  const bench = new RoutingBench();
  const route = only(bench);
  const attempt = bench.routing.begin(route, true);
  bench.clock.move(900);
  attempt?.opened(900, bench.clock.monotonicMs());
  bench.clock.move(2_000);
  attempt?.succeeded(100, bench.clock.monotonicMs(), bench.clock.monotonicMs());
  expect(route.health.tokensPerSecond(bench.clock.monotonicMs())).toBe(50);
});
