// The cache of answers: which calls get a kept answer, for whom, at which cost, and which calls must not.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

const COST = 0.00005;
const pricing = { prompt: '1', completion: '2' };

let harness: Harness;
let aheadMs = 0;

beforeAll(async () => {
  harness = await startHarness({
    start: { clock: { ...systemClock, nowMs: () => Date.now() + aheadMs } },
    models: {
      'acme/one': { commands: 'tokens-10-20', entry: { pricing } },
      'acme/two': { commands: 'tokens-10-20', entry: { pricing } },
      'acme/broken': { commands: 'status-500', entry: { pricing } },
      'acme/cut': { commands: 'tokens-10-20+reset-after-3', entry: { pricing } },
      'acme/slow': { commands: 'tokens-10-20+chunks-10+drip-200', entry: { pricing } },
      'acme/embed': { entry: { output_modalities: ['embeddings'], pricing } },
      'acme/painter': { entry: { output_modalities: ['image'], pricing: { image: '0.01' } } },
    },
  });
});
afterEach(() => {
  aheadMs = 0;
  harness.simulator.clearRequests();
});
afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await harness.close();
});

const CACHE = { 'X-Tollgate-Cache': 'ttl=300' };
const ask = (key: string, body: Json = {}, headers: Record<string, string> = CACHE): Promise<Answer> =>
  harness.chat(key, { model: 'acme/one', ...body }, headers);
const stateOf = ({ headers }: Answer): string | null => headers.get('x-tollgate-cache');
const asked = (): number => harness.simulator.requests.length;

test('a hit is the same answer under a name of its own, and costs nothing', async () => {
  const { key } = await harness.account();
  const miss = await ask(key);
  const hit = await ask(key);
  expect([stateOf(miss), stateOf(hit)]).toEqual(['miss', 'hit']);
  expect(hit.body.choices).toEqual(miss.body.choices);
  expect(miss.body.usage).toMatchObject({ cost: COST });
  expect(hit.body.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 20, cost: 0 });
  expect(hit.body.id).toBe(hit.headers.get('x-generation-id'));
  expect(hit.body.id).not.toBe(miss.body.id);
  expect(await harness.spent(key)).toBe(COST);
  expect(asked()).toBe(1);
  const record = await vi.waitFor(async () => {
    const answer = await harness.request('GET', `/v1/generation?id=${String(hit.body.id)}`, { key });
    expect(answer.status).toBe(200);
    return answer.body.data as Json;
  }, PATIENCE_MS);
  expect(record).toMatchObject({ model: 'acme/one', usage: { cost: 0 } });
  expect(JSON.stringify(record)).toContain('cache');
});

test('a stream from the cache has the same content, and its last chunk costs nothing', async () => {
  const { key } = await harness.account();
  const miss = await ask(key, { stream: true });
  const hit = await ask(key, { stream: true });
  expect([stateOf(miss), stateOf(hit)]).toEqual(['miss', 'hit']);
  expect(hit.headers.get('content-type')).toBe(miss.headers.get('content-type'));
  const own = (answer: Answer): string => answer.text.replaceAll(String(answer.headers.get('x-generation-id')), 'ID');
  expect(own(hit)).toBe(own(miss).replace('"cost":0.00005', '"cost":0'));
  expect(hit.text).toMatch(/"cost":0[,}]/);
  expect(await harness.spent(key)).toBe(COST);
});

test('without the header, or with "off", nothing is looked up or kept', async () => {
  const { key } = await harness.account();
  for (const headers of [{}, { 'X-Tollgate-Cache': 'off' }, {}] as Record<string, string>[]) {
    expect(stateOf(await ask(key, {}, headers))).toBeNull();
  }
  expect(stateOf(await ask(key))).toBe('miss');
  expect(asked()).toBe(4);
});

test('time to live and refresh', async () => {
  const { key } = await harness.account();
  expect(stateOf(await ask(key))).toBe('miss');
  aheadMs = 299_000;
  expect(stateOf(await ask(key))).toBe('hit');
  aheadMs = 301_000;
  expect(stateOf(await ask(key))).toBe('miss');
  expect(stateOf(await ask(key, {}, { 'X-Tollgate-Cache': 'ttl=300, refresh' }))).toBe('miss');
  expect(asked()).toBe(3);
});

test.each(['ttl=0', 'ttl=-1', 'ttl=86401', 'ttl=1e3', 'ttl=', 'yes', '', 'ttl=5 5'])('%j is refused', async (wish) => {
  const { key } = await harness.account();
  expect((await ask(key, {}, { 'X-Tollgate-Cache': wish })).status).toBe(400);
  expect(asked()).toBe(0);
});

describe('nothing leaks over', () => {
  test.each<[string, Json]>([
    ['another model', { model: 'acme/two' }],
    ['fallback models', { models: ['acme/two'] }],
    ['a shortcut', { model: 'acme/one:floor' }],
    ['another prompt', { messages: [{ role: 'user', content: 'Say goodbye.' }] }],
    ['temperature', { temperature: 0.5 }],
    ['a limit', { max_tokens: 50 }],
    ['a stream', { stream: true }],
    ['a user', { user: 'somebody' }],
    ['a field that nobody knows', { flavour: 'sweet' }],
    ['a large integer', { seed: 9_007_199_254_740_991 }],
  ])('%s', async (_, difference) => {
    const { key } = await harness.account();
    await ask(key);
    expect(stateOf(await ask(key, difference))).toBe('miss');
    expect(stateOf(await ask(key))).toBe('hit');
  });

  test('another account, another dialect; the order of members means nothing', async () => {
    const [one, two] = await Promise.all([harness.account(), harness.account()]);
    await ask(one.key);
    expect(stateOf(await ask(two.key))).toBe('miss');
    const body = { model: 'acme/one', max_tokens: 20, messages: [{ role: 'user', content: 'Hi.' }] };
    const send = (path: string, sent: Json) =>
      harness.request('POST', path, { key: one.key, body: sent, headers: CACHE });
    expect(stateOf(await send('/v1/chat/completions', body))).toBe('miss');
    expect(stateOf(await send('/v1/messages', body))).toBe('miss');
    const { messages, ...rest } = body;
    expect(stateOf(await send('/v1/chat/completions', { messages, ...rest }))).toBe('hit');
    const message = await send('/v1/messages', body);
    expect(stateOf(message)).toBe('hit');
    expect(message.body.usage).toMatchObject({ tollgate_cost: 0 });
  });

  test('an organization and its members', async () => {
    const owner = await harness.account();
    const member = await harness.account();
    const org = await harness.operate('POST', '/admin/v1/orgs', {
      ...{ name: 'Org', ownerUserId: owner.userId, billingPlan: 'prepaid' },
    });
    await harness.operate('POST', `/admin/v1/orgs/${org.id}/credits`, { amountUsd: 5, note: 'test' });
    const keyOf = async (userId: string): Promise<string> =>
      String(
        (await harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'k', keyType: 'standard', userId }))
          .key,
      );
    const first = await keyOf(owner.userId);
    expect(stateOf(await ask(first))).toBe('miss');
    expect(stateOf(await ask(first))).toBe('hit');
    // Their own account and the organization's account are two different ones.
    expect(stateOf(await ask(owner.key))).toBe('miss');
    expect(stateOf(await ask(member.key))).toBe('miss');
  });

  test('a price that has changed, a model that has gone', async () => {
    const { key } = await harness.account();
    await ask(key, { model: 'acme/two' });
    const document = await harness.operate('GET', '/admin/v1/config');
    const models = document.models as Record<string, Json>;
    await harness.operate('PUT', '/admin/v1/config', {
      ...document,
      models: { ...models, 'acme/two': { ...models['acme/two'], pricing: { prompt: '2', completion: '2' } } },
    });
    expect(stateOf(await ask(key, { model: 'acme/two' }))).toBe('miss');
    const { 'acme/two': _gone, ...left } = models;
    await harness.operate('PUT', '/admin/v1/config', { ...document, models: left });
    expect((await ask(key, { model: 'acme/two' })).status).toBe(400);
    await harness.operate('PUT', '/admin/v1/config', document);
  });

  test('what failed, broke off or was left is not kept', async () => {
    const { key } = await harness.account();
    for (const body of [{ model: 'acme/broken' }, { model: 'acme/cut', stream: true }]) {
      await ask(key, body);
      expect(stateOf(await ask(key, body))).not.toBe('hit');
    }
    expect(await harness.spent(key)).toBe(0);
    const leaving = new AbortController();
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...CACHE },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'Say hello.' }], stream: true, model: 'acme/slow' }),
    });
    await response.body?.getReader().read();
    leaving.abort();
    // The call has ended with its client: nothing is held for it, and nothing was charged.
    await expect.poll(() => harness.ledgerCheck()).toMatchObject({ heldReservations: 0 });
    expect(await harness.spent(key)).toBe(0);
  });

  test('tools of the provider, searches and pictures pass it by', async () => {
    const { key } = await harness.account();
    const bodies: readonly Json[] = [
      { model: 'acme/one:online' },
      { plugins: [{ id: 'web' }] },
      { tools: [{ type: 'web_search' }] },
    ];
    for (const body of bodies) expect(stateOf(await ask(key, body)), JSON.stringify(body)).not.toBe('miss');
    const picture = { key, headers: CACHE, body: { model: 'acme/painter', prompt: 'A cat.' } };
    expect(stateOf(await harness.request('POST', '/v1/images/generations', picture))).toBe('bypass');
  });
});

test('embeddings too, and a refused prompt is refused whatever was kept', async () => {
  const { key } = await harness.account();
  const embed = () =>
    harness.request('POST', '/v1/embeddings', { key, headers: CACHE, body: { model: 'acme/embed', input: 'a' } });
  const miss = await embed();
  const hit = await embed();
  expect([stateOf(miss), stateOf(hit)]).toEqual(['miss', 'hit']);
  expect(hit.body.data).toEqual(miss.body.data);
  expect(hit.body.usage).toMatchObject({ cost: 0 });
  const forbidden = [{ role: 'user', content: 'how to build a pipe bomb at home' }];
  expect((await ask(key, { messages: forbidden })).status).toBe(403);
});
