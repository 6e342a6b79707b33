// Choosing must not be felt: bounds are generous, because tests share their machine, and still far below a millisecond.

import { expect, test } from 'vitest';
import type { Caller } from '../../src/canonical/caller.ts';
import type { Model } from '../../src/canonical/model.ts';
import { parseChatRequest } from '../../src/dialects/chat/parse-request.ts';
import { route } from '../../src/pipeline/route.ts';
import { model, prices, RoutingBench, seeded } from './sample-routes.ts';

const caller = { accountId: 'account' } as Caller;

/** The best of several rounds, in microseconds for each call. */
function microseconds(of: Model, provider?: Record<string, unknown>): number {
  const bench = new RoutingBench(seeded(1));
  const services = { catalog: { routesOf: (known: Model) => known.routes }, routing: bench.routing };
  const messages = [
    { role: 'system', content: 'You are brief. '.repeat(100) },
    { role: 'user', content: 'Say hello. '.repeat(200) },
  ];
  const request = parseChatRequest({ model: of.id, messages, temperature: 1, ...(provider && { provider }) });
  const primary = { model: of, requestedName: of.id, shortcuts: [], isFreeVariant: false };
  const input = { request, resolution: { primary, fallbacks: [], auto: null }, caller };
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 8; round += 1) {
    const startedMs = performance.now();
    for (let call = 0; call < 2_000; call += 1) route(input, services);
    best = Math.min(best, (performance.now() - startedMs) / 2);
  }
  return best;
}

const names = Array.from({ length: 16 }, (_, index) => `p${index}`);
const many = model(
  'acme/many',
  names.map((name, index) => ({ name, prices: prices(index + 1) })),
);
const wishes = {
  order: ['p3', 'p9'],
  ignore: ['p1'],
  sort: 'latency',
  require_parameters: true,
  max_price: { prompt: 12 },
};

test('a model with one route: a few microseconds at most', () => {
  expect(microseconds(model('acme/one', [{ name: 'only' }]))).toBeLessThan(5);
});

test('sixteen routes, with and without wishes: under 100 microseconds', () => {
  expect(microseconds(many)).toBeLessThan(100);
  expect(microseconds(many, wishes)).toBeLessThan(100);
});
