// Attempts: which route is asked after a failure, how often, and that a call is charged once in every case.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

const DEAD = 'http://127.0.0.1:9/v1';
const crowd = Array.from({ length: 15 }, (_, index) => `crowd${index}`);

let providers: Providers;

beforeAll(async () => {
  const names = ['refuses', 'errors', 'resets', 'babbles', 'moved', 'fine', 'spare', 'slow'];
  providers = await startProviders({
    providers: {
      ...Object.fromEntries([...names, ...crowd].map((name) => [name, {}])),
      refuses: { base_url: DEAD },
    },
    models: {
      'acme/six': {
        routes: routesTo({ refuses: '1', errors: '1', resets: '1', babbles: '1', moved: '1', fine: '3' }),
      },
      'acme/pair': { routes: routesTo({ errors: '1', spare: '2' }, 'pair') },
      'acme/single': { routes: routesTo({ fine: '1' }, 'single') },
      'acme/other': { routes: routesTo({ spare: '1' }, 'other') },
      'acme/crowd': { routes: routesTo(Object.fromEntries(crowd.map((name) => [name, '1'])), 'crowd') },
      'acme/stalls': { routes: routesTo(Object.fromEntries(crowd.map((name) => [name, '1'])), 'stalls') },
    },
    start: {
      random: () => 0.5,
      timeouts: { wholeFirstByteMs: 1_500, streamFirstByteMs: 1_500, idleMs: 2_000, totalMs: 20_000 },
    },
  });
});

// Each test leaves its routes isolated; an hour later they are free again.
afterEach(async () => {
  providers.heal();
  await providers.pass(3_600_000);
});

afterAll(async () => {
  expect(await providers.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await providers.close();
});

const code = (body: Json): unknown => (body.error as Json | undefined)?.code;

test('ROUTE-09 ROUTE-13 five dead providers and one healthy: one answer, one charge, at the price of who served', async () => {
  providers.set('errors', 'status-500');
  providers.set('resets', 'reset');
  providers.set('babbles', 'html');
  providers.set('moved', 'redirect');
  const order = ['refuses', 'errors', 'resets', 'babbles', 'moved', 'fine'];
  const first = await providers.chat({ model: 'acme/six', provider: { order } });
  expect((await providers.generation(first.body.id)).attempts).toMatchObject([
    { provider: 'refuses', outcome: 'unreachable', status: 0 },
    { provider: 'errors', outcome: 'unavailable', status: 500 },
    { provider: 'resets', outcome: 'unreachable', status: 0 },
    { provider: 'babbles', outcome: 'malformed', status: 200 },
    { provider: 'moved', outcome: 'malformed', status: 302 },
    { provider: 'fine', outcome: 'answered', status: 200, duration_ms: expect.any(Number) },
  ]);
  for (const wishes of [{ provider: { order } }, {}]) {
    const before = await providers.harness.spent(providers.key);
    const answer = await providers.chat({ model: 'acme/six', ...wishes });
    expect(answer.status).toBe(200);
    expect((answer.body.usage as Json).cost).toBe(0.00036);
    expect((await providers.harness.spent(providers.key)) - before).toBeCloseTo(0.00036, 9);
    expect(await providers.generation(answer.body.id)).toMatchObject({ provider: 'fine', is_failover: true });
  }
  const stream = await providers.stream({ model: 'acme/six', provider: { order } });
  expect(stream.isDone).toBe(true);
  expect(stream.frames.at(-1)).toMatchObject({ usage: { cost: 0.00036 } });
});

describe('retries', () => {
  test('ROUTE-11 a hiccup of the only provider is retried after a pause, and charged once', async () => {
    // A close before a byte of an answer is part of the attempt (edge/upstream-connections.test.ts).
    for (const hiccup of ['status-503', 'reset-in-headers']) {
      providers.set('fine', 'tokens-100-20');
      providers.setOnce('fine', hiccup);
      const before = providers.asked('fine');
      const answer = await providers.chat({ model: 'acme/single' });
      expect(answer.status).toBe(200);
      expect(providers.asked('fine')).toBe(before + 2);
      const [failed, retried] = providers.harness.simulator.requests.slice(-2);
      expect(Number(retried?.at) - Number(failed?.at)).toBeGreaterThan(100);
      expect((answer.body.usage as Json).cost).toBe(0.00012);
      const { attempts, is_failover } = await providers.generation(answer.body.id);
      expect([(attempts as Json[]).length, is_failover]).toEqual([2, false]);
    }
  });

  test('ROUTE-11 with somebody else to ask, nobody is asked twice', async () => {
    providers.set('errors', 'status-503');
    const before = [providers.asked('errors'), providers.asked('spare')];
    const answer = await providers.chat({ model: 'acme/pair' });
    expect(answer.status).toBe(200);
    expect([providers.asked('errors'), providers.asked('spare')]).toEqual(before.map((count) => Number(count) + 1));
  });

  test.each([
    ['ERR-57 a limit', 'status-429', 429],
    ['ERR-56 a refused key', 'status-401', 502],
    ['ERR-58 nonsense', 'html', 502],
    ['ERR-58 an error that says when to come back', 'status-503-retry-after-9', 502],
    ['ERR-12 silence', 'stall', 504],
    ['ERR-41 a refused request', 'status-418', 400],
  ])('ROUTE-11 never retried at the same provider: %s', async (_, commands, status) => {
    providers.set('fine', commands);
    const before = providers.asked('fine');
    expect((await providers.chat({ model: 'acme/single' })).status).toBe(status);
    expect(providers.asked('fine')).toBe(before + 1);
  });

  test('ERR-10 ERR-58 a provider that stays down is asked twice, and the caller gets 502', async () => {
    providers.set('fine', 'status-500');
    const before = providers.asked('fine');
    const answer = await providers.chat({ model: 'acme/single' });
    expect([answer.status, code(answer.body)]).toEqual([502, 'upstream_unavailable']);
    expect(providers.asked('fine')).toBe(before + 2);
    expect(answer.text).not.toMatch(/fine|key-|127\.0/);
  });

  test('STRM-07 nothing is tried again once a stream has begun', async () => {
    providers.set('errors', 'reset-after-2');
    const before = providers.asked();
    const stream = await providers.stream({ model: 'acme/pair', provider: { order: ['errors'] } });
    expect(stream.status).toBe(200);
    expect(stream.frames.at(-1)).toMatchObject({ error: { code: 'upstream_unreachable' } });
    expect(providers.asked()).toBe(before + 1);
  });
});

test('ROUTE-13 an ordinary call has one attempt and no more to say of it', async () => {
  const answer = await providers.chat({ model: 'acme/single' });
  const { attempts } = await providers.generation(answer.body.id);
  expect(attempts).toEqual([{ provider: 'fine', outcome: 'answered', status: 200, duration_ms: expect.any(Number) }]);
});

describe('bounds', () => {
  test('ERR-10 twelve attempts are the most that one call makes', async () => {
    for (const name of crowd) providers.set(name, 'status-500');
    const before = providers.asked();
    expect((await providers.chat({ model: 'acme/crowd' })).status).toBe(502);
    expect(providers.asked() - before).toBe(12);
  });

  test('ERR-12 the whole call has a deadline, however many providers could still be asked', async () => {
    for (const name of crowd) providers.set(name, 'stall');
    const before = providers.asked();
    expect((await providers.chat({ model: 'acme/stalls' })).status).toBe(504);
    expect(providers.asked() - before).toBeLessThan(12);
  });
});

describe('models', () => {
  test.each(['status-418', 'policy', 'context-length', 'status-404', 'status-500', 'reset', 'status-429', 'html'])(
    'ROUTE-09 ROUTE-13 %s of the first model: the next one answers, under its own name',
    async (commands) => {
      providers.set('fine', commands);
      const answer = await providers.chat({ model: 'acme/single', models: ['acme/other'] });
      expect(answer.status).toBe(200);
      expect(answer.body.model).toBe('acme/other');
      expect(await providers.generation(answer.body.id)).toMatchObject({ is_failover: true, model: 'acme/other' });
    },
  );

  test('ROUTE-09 a request that one provider of a model refuses is not shown to its others', async () => {
    providers.set('errors', 'policy');
    const before = providers.asked('spare');
    const wishes = { order: ['errors'] };
    const answer = await providers.chat({ model: 'acme/pair', models: ['acme/single'], provider: wishes });
    expect(answer.body.model).toBe('acme/single');
    expect(providers.asked('spare')).toBe(before);
  });

  test('ERR-57 a limit is reported only when everyone has one, with the shortest wait', async () => {
    providers.set('errors', 'status-429-retry-after-30');
    providers.set('spare', 'status-429-retry-after-8');
    const limited = await providers.chat({ model: 'acme/pair', provider: { order: ['errors', 'spare'] } });
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '8']);
    await providers.pass(60_000);
    providers.set('errors', 'status-500');
    const mixed = await providers.chat({ model: 'acme/pair', provider: { order: ['errors', 'spare'] } });
    expect([mixed.status, code(mixed.body)]).toEqual([502, 'upstream_unavailable']);
  });
});
