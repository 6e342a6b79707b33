// A fallback that the caller has no money for does not keep the call from a model that it can pay.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, beta: {}, gamma: {} },
    models: {
      'acme/cheap': { routes: routesTo({ alpha: '2' }) },
      'acme/other': { routes: routesTo({ beta: '1' }, 'other') },
      'acme/dear': { routes: routesTo({ gamma: '50' }, 'dear') },
      'acme/mixed': { routes: routesTo({ alpha: '50', beta: '2' }, 'mixed') },
    },
  });
});

afterAll(() => providers.close());

/** With this, 100 tokens of the dear model cannot be paid, and those of the others can. */
async function chat(body: Json, creditUsd = '0.003') {
  const { key } = await providers.harness.account(creditUsd);
  const answer = await providers.harness.chat(key, { max_tokens: 100, ...body });
  return { key, ...answer };
}

test('BILL-02 ROUTE-09 a fallback that cannot be paid is left out, and the others are tried', async () => {
  const models = ['acme/dear', 'acme/other'];
  const first = await chat({ model: 'acme/cheap', models });
  expect([first.status, first.body.model], first.text).toEqual([200, 'acme/cheap']);
  providers.set('alpha', 'html');
  const asked = providers.asked('gamma');
  const second = await chat({ model: 'acme/cheap', models });
  expect([second.status, second.body.model], second.text).toEqual([200, 'acme/other']);
  expect(providers.asked('gamma')).toBe(asked);
  const rich = await chat({ model: 'acme/cheap', models }, '10');
  expect(rich.body.model).toBe('acme/dear');
  providers.heal();
});

test('BILL-02 of the routes of a model those are asked that can be paid', async () => {
  const asked = providers.asked('alpha');
  for (const provider of [undefined, { order: ['alpha', 'beta'] }]) {
    const { key, status, body } = await chat({ model: 'acme/mixed', provider });
    expect([status, body.model]).toEqual([200, 'acme/mixed']);
    const { data } = (await providers.harness.request('GET', `/v1/generation?id=${body.id}`, { key })).body;
    expect(data).toMatchObject({ provider: 'beta', is_failover: false });
  }
  expect(providers.asked('alpha')).toBe(asked);
});

test('BILL-02 the model that comes first must be paid: it is never passed over for a cheaper one', async () => {
  const asked = providers.asked();
  for (const creditUsd of ['0.003', '0.000001']) {
    const { status, body } = await chat({ model: 'acme/dear', models: ['acme/cheap'] }, creditUsd);
    expect([status, (body.error as Json).code]).toEqual([402, 'insufficient_credits']);
  }
  const wishes = { order: ['alpha'], allow_fallbacks: false };
  expect((await chat({ model: 'acme/mixed', provider: wishes })).status).toBe(402);
  expect(providers.asked()).toBe(asked);
});
