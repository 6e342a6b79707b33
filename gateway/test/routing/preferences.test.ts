// The caller's preferences through the front door, in every dialect.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, 'Beta.Cloud': { data_collection: 'deny' }, gamma: {}, 'alpha-two': {} },
    models: {
      'acme/m': { routes: routesTo({ alpha: '2', 'Beta.Cloud': '3', gamma: '1' }) },
      'acme/cheap': { routes: routesTo({ 'alpha-two': '0.5' }, 'cheap') },
      'acme/quantized': {
        routes: [
          { provider: 'alpha', upstream_model: 'q', quantization: 'fp8' },
          { provider: 'gamma', upstream_model: 'q', quantization: 'int4' },
        ],
      },
      'acme/limited': {
        routes: routesTo({ alpha: '1' }, 'limited'),
        entry: { supported_parameters: ['temperature', 'tools'] },
      },
      'acme/timed': { routes: routesTo({ alpha: '1', gamma: '2' }, 'timed') },
    },
  });
});

afterAll(async () => {
  await providers.close();
});

async function servedBy(body: Json, times = 1): Promise<string[]> {
  const names: string[] = [];
  for (let call = 0; call < times; call += 1) {
    const answer = await providers.chat(body);
    expect(answer.status, answer.text).toBe(200);
    names.push(String((await providers.generation(answer.body.id)).provider));
  }
  return [...new Set(names)];
}

test('ROUTE-16 order, only and ignore choose the provider', async () => {
  expect(await servedBy({ model: 'acme/m', provider: { order: ['beta-cloud'] } })).toEqual(['Beta.Cloud']);
  expect(await servedBy({ model: 'acme/m', provider: { only: ['ALPHA'] } }, 5)).toEqual(['alpha']);
  expect(await servedBy({ model: 'acme/m', provider: { ignore: ['alpha', 'BETA CLOUD'] } }, 5)).toEqual(['gamma']);
});

test('ROUTE-18 data collection, quantizations and prices filter', async () => {
  expect(await servedBy({ model: 'acme/m', provider: { data_collection: 'deny' } }, 3)).toEqual(['Beta.Cloud']);
  expect(await servedBy({ model: 'acme/m', provider: { max_price: { prompt: 1.5 } } }, 3)).toEqual(['gamma']);
  expect(await servedBy({ model: 'acme/quantized', provider: { quantizations: ['fp8'] } }, 3)).toEqual(['alpha']);
});

test('ROUTE-18 a price limit that arithmetic has left with many decimals still limits', async () => {
  for (const prompt of [4 / 3, 0.7 + 0.1 + 0.2]) {
    expect(await servedBy({ model: 'acme/m', provider: { max_price: { prompt } } }, 5)).toEqual(['gamma']);
  }
  for (const max_price of [{ prompt: 1 / 3 }, { prompt: 1e-10 }, { prompt: 1e-300 }]) {
    const answer = await providers.chat({ model: 'acme/m', provider: { max_price } });
    expect([max_price, answer.status]).toEqual([max_price, 503]);
  }
  for (const max_price of [{ prompt: 1e300 }, { image: 1e-10 }]) {
    expect((await providers.chat({ model: 'acme/m', provider: { max_price } })).status).toBe(200);
  }
});

test('ROUTE-18 nobody left: 503, and no use in trying again', async () => {
  for (const provider of [
    { only: ['nobody'] },
    { ignore: ['alpha', 'gamma'], max_price: { completion: 2.9 } },
    { quantizations: ['fp4'] },
  ]) {
    const answer = await providers.chat({ model: 'acme/m', provider });
    expect([answer.status, (answer.body.error as Json).code]).toEqual([503, 'upstream_unavailable']);
    expect(answer.headers.get('x-should-retry')).toBe('false');
  }
});

test('ROUTE-18 require_parameters counts what the request uses', async () => {
  const insist = { require_parameters: true };
  expect(await servedBy({ model: 'acme/limited', temperature: 1, max_tokens: 50, provider: insist })).toEqual([
    'alpha',
  ]);
  expect((await providers.chat({ model: 'acme/limited', seed: 1, provider: insist })).status).toBe(503);
  expect(await servedBy({ model: 'acme/limited', seed: 1 })).toEqual(['alpha']);
  const both = { model: 'acme/limited', models: ['acme/m'], seed: 1, provider: { ...insist, only: ['alpha'] } };
  expect((await providers.chat(both)).body.model).toBe('acme/m');
});

test('ROUTE-16 allow_fallbacks: false asks nobody else', async () => {
  providers.set('alpha', 'html');
  const asked = providers.asked();
  const wishes = { order: ['alpha', 'gamma'], allow_fallbacks: false };
  expect((await providers.chat({ model: 'acme/m', provider: wishes })).status).toBe(502);
  expect(providers.asked()).toBe(asked + 1);
  expect((await providers.chat({ model: 'acme/m', provider: { ...wishes, allow_fallbacks: true } })).status).toBe(200);
  providers.heal();
});

test('ROUTE-16 with allow_fallbacks: false nobody answers who is not in the order', async () => {
  const asked = providers.asked();
  const answer = await providers.chat({ model: 'acme/m', provider: { order: ['nobody'], allow_fallbacks: false } });
  expect([answer.status, (answer.body.error as Json).code]).toEqual([503, 'upstream_unavailable']);
  expect(answer.headers.get('x-should-retry')).toBe('false');
  expect(providers.asked()).toBe(asked);
  const others = { model: 'acme/m', models: ['acme/cheap'] };
  const wishes = { order: ['alpha-two'], allow_fallbacks: false };
  expect((await providers.chat({ ...others, provider: wishes })).body.model).toBe('acme/cheap');
  const within = { order: ['nobody', 'gamma'], allow_fallbacks: false };
  expect(await servedBy({ model: 'acme/m', provider: within })).toEqual(['gamma']);
  expect(await servedBy({ model: 'acme/m', provider: { ...within, order: [], only: ['alpha'] } })).toEqual(['alpha']);
});

describe('sort', () => {
  test('ROUTE-06 ROUTE-17 the cheapest, by wish and by suffix', async () => {
    expect(await servedBy({ model: 'acme/m', provider: { sort: 'price' } }, 5)).toEqual(['gamma']);
    expect(await servedBy({ model: 'acme/m:floor' }, 5)).toEqual(['gamma']);
  });

  test('ROUTE-07 ROUTE-17 the fastest, by what was measured', async () => {
    providers.set('alpha', 'tokens-10-8000+wait-1000', 'timed');
    providers.set('gamma', 'tokens-10-20+wait-20', 'timed');
    for (const name of ['alpha', 'gamma']) await servedBy({ model: 'acme/timed', provider: { only: [name] } }, 3);
    expect(await servedBy({ model: 'acme/timed', provider: { sort: 'latency' } }, 3)).toEqual(['gamma']);
    expect(await servedBy({ model: 'acme/timed', provider: { sort: { by: 'throughput' } } }, 3)).toEqual(['alpha']);
    expect(await servedBy({ model: 'acme/timed:nitro' }, 3)).toEqual(['alpha']);
    providers.heal();
  });

  test('ROUTE-17 partition none sorts across the models of the call', async () => {
    const models = ['acme/cheap'];
    const within = await providers.chat({ model: 'acme/m', models, provider: { sort: 'price' } });
    expect(within.body.model).toBe('acme/m');
    const across = { sort: { by: 'price', partition: 'none' } };
    const answer = await providers.chat({ model: 'acme/m', models, provider: across });
    expect(answer.body.model).toBe('acme/cheap');
  });
});

test('ROUTE-16 every dialect carries the wishes', async () => {
  const provider = { only: ['beta-cloud'] };
  const { key, harness } = providers;
  const before = providers.asked('Beta.Cloud');
  const messages = [{ role: 'user', content: 'Hi.' }];
  const calls = [
    harness.request('POST', '/v1/messages', { key, body: { model: 'acme/m', max_tokens: 50, messages, provider } }),
    harness.request('POST', '/v1/responses', { key, body: { model: 'acme/m', input: 'Hi.', provider } }),
    harness.chat(key, { model: 'acme/m', provider, stream: true }),
  ];
  for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
  expect(providers.asked('Beta.Cloud')).toBe(before + 3);
  expect(providers.bodies.slice(-3).every((body) => !('provider' in body))).toBe(true);
});

test('ROUTE-07 :online asks for the web plugin, once, and only for the model that was named so', async () => {
  const lastBody = async (body: Json): Promise<Json> => {
    expect((await providers.chat(body)).status).toBe(200);
    return providers.bodies.at(-1) as Json;
  };
  expect((await lastBody({ model: 'acme/cheap:online' })).plugins).toEqual([{ id: 'web' }]);
  const own = [{ id: 'web', max_results: 2 }, { id: 'other' }];
  expect((await lastBody({ model: 'acme/cheap:online', plugins: own })).plugins).toEqual(own);
  expect((await lastBody({ model: 'acme/cheap:online', plugins: [{ id: 'x' }] })).plugins).toHaveLength(2);
  expect('plugins' in (await lastBody({ model: 'acme/cheap' }))).toBe(false);
  providers.set('alpha-two', 'html');
  const fallback = await lastBody({ model: 'acme/cheap:online', models: ['acme/m'] });
  expect('plugins' in fallback).toBe(false);
  providers.heal();
});

test('ROUTE-14 route is accepted and changes nothing', async () => {
  expect((await providers.chat({ model: 'acme/cheap', route: 'fallback' })).status).toBe(200);
});

test('ROUTE-16 a conversation returns to the provider that holds its prompt cache', async () => {
  for (const name of ['alpha', 'Beta.Cloud', 'gamma']) providers.set(name, 'tokens-100-20+cached-50');
  const turn = (text: string): Json => ({ model: 'acme/m', messages: [{ role: 'user', content: text }] });
  for (let conversation = 0; conversation < 6; conversation += 1) {
    const first = await servedBy(turn(`conversation ${conversation}`));
    expect(await servedBy(turn(`conversation ${conversation}`), 6)).toEqual(first);
  }
  providers.heal();
  const [held] = await servedBy({ ...turn('a'), session_id: 'mine' });
  expect(await servedBy({ ...turn('quite another text'), session_id: 'mine' }, 8)).toEqual([held]);
});
