// A provider fails under load: callers do not notice, it is out of use within moments, the other one does not get a
// flood of retries, and it is used again once it works.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Providers, routesTo, startProviders } from './providers.ts';

const CALLS_PER_SECOND = 200;
/** The calls of a second that a fast machine has under way at once, and more. */
const UNDER_WAY_MAX = 20;

let providers: Providers;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, beta: {}, lonely: {} },
    models: {
      'acme/m': { routes: routesTo({ alpha: '1', beta: '1' }) },
      'acme/lonely': { routes: routesTo({ lonely: '1' }) },
    },
  });
  providers.stopTime();
});

afterAll(async () => {
  expect(await providers.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await providers.close();
});

/** Calls at a steady rate, or as fast as the machine can; their statuses. */
async function load(model: string, calls: number): Promise<number[]> {
  const startedMs = performance.now();
  const running: Promise<number>[] = [];
  const underWay = new Set<Promise<number>>();
  for (let call = 0; call < calls; call += 1) {
    const waitMs = startedMs + (call * 1_000) / CALLS_PER_SECOND - performance.now();
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    while (underWay.size >= UNDER_WAY_MAX) await Promise.race(underWay);
    const answered = providers.chat({ model }).then(({ status }) => status);
    underWay.add(answered);
    running.push(answered.finally(() => underWay.delete(answered)));
  }
  return Promise.all(running);
}

test('ROUTE-12 ROUTE-13 dead under 200 calls a second: isolated within 5 s, at most 1.2 upstream calls for each, back by itself', async () => {
  expect(new Set(await load('acme/m', 100))).toEqual(new Set([200]));
  expect(providers.asked('alpha')).toBeGreaterThan(10);
  expect(providers.asked('beta')).toBeGreaterThan(10);

  const before = { alpha: providers.asked('alpha'), all: providers.asked() };
  providers.set('alpha', 'status-503');
  // A second and a half of such calls; after that it is no longer asked.
  const calls = 300;
  expect(new Set(await load('acme/m', calls))).toEqual(new Set([200]));
  expect(providers.asked() - before.all).toBeLessThanOrEqual(calls * 1.2);
  const alone = providers.asked('alpha');
  await load('acme/m', 50);
  expect(providers.asked('alpha')).toBe(alone);

  providers.heal();
  await providers.pass(30_000);
  expect(new Set(await load('acme/m', 100))).toEqual(new Set([200]));
  expect(providers.asked('alpha') - alone).toBeGreaterThan(10);
});

test('ROUTE-11 ERR-58 with nobody else to ask, retries stay a fraction and stop once the route is isolated', async () => {
  providers.set('lonely', 'status-503');
  const calls = 200;
  expect(new Set(await load('acme/lonely', calls))).toEqual(new Set([502, 503]));
  expect(providers.asked('lonely')).toBeLessThanOrEqual(calls * 1.2);
  const asked = providers.asked('lonely');
  expect(new Set(await load('acme/lonely', 20))).toEqual(new Set([503]));
  expect(providers.asked('lonely')).toBe(asked);
});
