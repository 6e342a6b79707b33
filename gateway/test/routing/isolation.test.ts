// What a failing route does to later calls: it is not asked, others serve, and it comes back by itself.

import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, beta: {} },
    models: {
      'acme/one': { routes: routesTo({ alpha: '1' }, 'one') },
      'acme/two': { routes: routesTo({ alpha: '1' }, 'two') },
      'acme/both': { routes: routesTo({ alpha: '1', beta: '1' }, 'both') },
    },
    start: {
      random: () => 0.5,
      timeouts: { wholeFirstByteMs: 2_000, streamFirstByteMs: 2_000, idleMs: 2_000, totalMs: 20_000 },
    },
  });
});

afterEach(async () => {
  providers.heal();
  providers.alerts.length = 0;
  await providers.pass(3_600_000);
});

afterAll(async () => {
  expect(await providers.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await providers.close();
});

const code = (body: Json): unknown => (body.error as Json | undefined)?.code;

test('ROUTE-12 ERR-58 AMB-12 after five failed calls a route is not asked; 30 s later one probe brings it back', async () => {
  providers.set('alpha', 'html', 'one');
  for (let call = 0; call < 5; call += 1) expect((await providers.chat({ model: 'acme/one' })).status).toBe(502);
  const asked = providers.asked('alpha');
  const refused = await providers.chat({ model: 'acme/one' });
  expect([refused.status, code(refused.body)]).toEqual([503, 'upstream_unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(20);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(30);
  expect(providers.asked('alpha')).toBe(asked);
  expect((await providers.chat({ model: 'acme/two' })).status).toBe(200);

  await providers.pass(30_000);
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(502);
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(503);
  providers.heal();
  await providers.pass(60_000);
  // The one call that is let through is answered after the others have been refused.
  let goOn = (_commands: string): void => {};
  const told = new Promise<string>((resolve) => {
    goOn = resolve;
  });
  providers.set('alpha', told, 'one');
  let refusals = 0;
  const chat = async () => {
    const seen = await providers.chat({ model: 'acme/one' });
    if (seen.status === 503) refusals += 1;
    if (refusals === 3) goOn('tokens-100-20');
    return seen;
  };
  const burst = await Promise.all([1, 2, 3, 4].map(chat));
  expect(burst.map(({ status }) => status).sort()).toEqual([200, 503, 503, 503]);
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
});

test('ROUTE-12 what fails for one customer alone is kept from that one; another is served, until it fails there too', async () => {
  const { harness } = providers;
  const { key: other } = await harness.account();
  const chatAsOther = () => harness.chat(other, { model: 'acme/one' });
  const breakFor = async (commands: string, times: number) => {
    providers.set('alpha', commands, 'one');
    for (let call = 0; call < times; call += 1) await providers.chat({ model: 'acme/one' });
    expect((await providers.chat({ model: 'acme/one' })).status).toBeGreaterThan(500);
    providers.heal();
  };
  await breakFor('html', 5);
  const asked = providers.asked('alpha');
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(503);
  expect(providers.asked('alpha')).toBe(asked);
  expect((await chatAsOther()).status).toBe(200);
  // The route works for somebody, so it is tried for everybody.
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
  await breakFor('html', 5);
  providers.set('alpha', 'html', 'one');
  expect((await chatAsOther()).status).toBe(502);
  expect((await chatAsOther()).status).toBe(503);
  providers.heal();
  await providers.pass(60_000);
  expect((await chatAsOther()).status).toBe(200);
});

test('ROUTE-12 DOS-1 four customers who provoke failures cannot close a route to others; a route that fails for five is dead', async () => {
  const { harness } = providers;
  const accounts = await Promise.all(Array.from({ length: 7 }, () => harness.account()));
  const keys = accounts.map(({ key }) => key);
  const statuses = async (of: readonly string[]): Promise<number[]> => {
    const seen: number[] = [];
    for (const key of of) seen.push((await harness.chat(key, { model: 'acme/one' })).status);
    return seen;
  };
  const [one = '', two = ''] = keys;
  providers.set('alpha', 'html', 'one');
  expect(await statuses([one, two, one, two, one])).toEqual([502, 502, 502, 502, 502]);
  expect(await statuses(keys.slice(0, 4))).toEqual([503, 503, 502, 502]);
  providers.heal();
  expect(await statuses(keys.slice(0, 6))).toEqual([503, 503, 503, 503, 200, 200]);
  expect(await statuses(keys.slice(0, 4))).toEqual([200, 200, 200, 200]);
  providers.set('alpha', 'html', 'one');
  expect(await statuses(keys.slice(0, 5))).toEqual([502, 502, 502, 502, 502]);
  const asked = providers.asked('alpha');
  expect(await statuses(keys)).toEqual([503, 503, 503, 503, 503, 503, 503]);
  expect(providers.asked('alpha')).toBe(asked);
  providers.heal();
  await providers.pass(30_000);
  expect(await statuses(keys)).toEqual([200, 200, 200, 200, 200, 200, 200]);
});

test('ERR-56 a refusal that some customers provoke does not take the key from others, until many are refused', async () => {
  const { harness } = providers;
  const { key: other } = await harness.account();
  const chatAsOther = () => harness.chat(other, { model: 'acme/one' });
  providers.set('alpha', 'status-403', 'one');
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(502);
  providers.heal();
  const asked = providers.asked('alpha');
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(502);
  expect(providers.asked('alpha')).toBe(asked);
  expect((await chatAsOther()).status).toBe(200);
  await providers.pass(3_600_000);
  providers.set('alpha', 'status-403', 'one');
  await providers.chat({ model: 'acme/one' });
  const others = await Promise.all(Array.from({ length: 5 }, () => harness.account()));
  const refuse = async (of: typeof others): Promise<void> => {
    for (const { key } of of) expect((await harness.chat(key, { model: 'acme/one' })).status).toBe(502);
  };
  await refuse(others.slice(0, 3));
  providers.heal();
  await refuse(others.slice(0, 3));
  expect((await chatAsOther()).status).toBe(200);
  await providers.pass(3_600_000);
  providers.set('alpha', 'status-403', 'one');
  await refuse(others);
  providers.heal();
  const askedByFive = providers.asked('alpha');
  expect((await chatAsOther()).status).toBe(502);
  expect(providers.asked('alpha')).toBe(askedByFive);
});

test('ERR-57 a call that waits for its reservation while its only route is told to pause hears of the pause', async () => {
  const { harness } = providers;
  const { key, userId } = await harness.account();
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  await client.query('begin');
  const { rows } = await client.query('select 1 from accounts where id = $1 for update', [userId]);
  expect(rows).toHaveLength(1);
  const waiting = harness.chat(key, { model: 'acme/one' });
  const locks = () => client.query("select 1 from pg_locks where locktype = 'transactionid' and not granted");
  await expect.poll(async () => (await locks()).rows.length).toBe(1);
  providers.set('alpha', 'status-429-retry-after-9', 'one');
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(429);
  const asked = providers.asked('alpha');
  await client.query('commit');
  await client.end();
  const answer = await waiting;
  expect([answer.status, code(answer.body)]).toEqual([429, 'upstream_rate_limited']);
  expect(answer.headers.get('retry-after')).toBe('9');
  expect(providers.asked('alpha')).toBe(asked);
});

test('ROUTE-12 ROUTE-13 with another provider the isolated one costs nothing and nobody notices', async () => {
  providers.set('alpha', 'status-500');
  for (let call = 0; call < 5; call += 1) {
    const answer = await providers.chat({ model: 'acme/both' });
    expect(await providers.generation(answer.body.id)).toMatchObject({ provider: 'beta', is_failover: true });
  }
  const asked = providers.asked('alpha');
  const answer = await providers.chat({ model: 'acme/both', provider: { order: ['alpha', 'beta'] } });
  expect(answer.status).toBe(200);
  expect(await providers.generation(answer.body.id)).toMatchObject({ provider: 'beta', is_failover: true });
  expect(providers.asked('alpha')).toBe(asked);
});

test('ERR-57 ROUTE-12 a provider that says when to come back is asked no sooner, and callers are told', async () => {
  providers.set('alpha', 'status-429-retry-after-20', 'one');
  const limited = await providers.chat({ model: 'acme/one' });
  expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '20']);
  const asked = providers.asked('alpha');
  await providers.pass(12_500);
  const waiting = await providers.chat({ model: 'acme/one' });
  expect([waiting.status, code(waiting.body)]).toEqual([429, 'upstream_rate_limited']);
  expect(Number(waiting.headers.get('retry-after'))).toBeLessThanOrEqual(8);
  expect(providers.asked('alpha')).toBe(asked);
  providers.heal();
  await providers.pass(8_000);
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
});

describe('a refused key', () => {
  test('ERR-56 alerts once, is not shown again, and its other routes stand behind other providers', async () => {
    providers.set('alpha', 'status-401');
    const refused = await providers.chat({ model: 'acme/one' });
    expect([refused.status, code(refused.body)]).toEqual([502, 'upstream_auth_failed']);
    const asked = providers.asked('alpha');
    const again = await providers.chat({ model: 'acme/one' });
    expect([again.status, code(again.body)]).toEqual([502, 'upstream_auth_failed']);
    expect((await providers.chat({ model: 'acme/both' })).status).toBe(200);
    expect(providers.asked('alpha')).toBe(asked);
    expect(providers.alerts).toHaveLength(1);
    expect(providers.alerts[0]?.fields).toMatchObject({ provider: 'alpha', reason: 'auth_failed' });
    expect(JSON.stringify(providers.alerts)).not.toContain('key-alpha');
    const metrics = await providers.harness.request('GET', '/metrics');
    expect(metrics.text).toMatch(/tollgate_route_isolations_total\{provider="alpha",reason="auth_failed"\} \d/);
    providers.heal();
    await providers.pass(600_000);
    expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
  });

  test('ERR-56 one refusal does not take a key away that answers elsewhere', async () => {
    expect((await providers.chat({ model: 'acme/two' })).status).toBe(200);
    providers.set('alpha', 'status-403', 'one');
    expect((await providers.chat({ model: 'acme/one' })).status).toBe(502);
    providers.heal();
    expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
    expect(providers.alerts).toEqual([]);
  });
});

test('ROUTE-12 streams that break off count, whatever they began with', async () => {
  providers.set('alpha', 'reset-after-2', 'one');
  for (let call = 0; call < 5; call += 1) expect((await providers.stream({ model: 'acme/one' })).status).toBe(200);
  expect((await providers.stream({ model: 'acme/one' })).status).toBe(503);
});

test('ROUTE-12 what callers do wrong, and clients that leave, isolate nobody', async () => {
  providers.set('alpha', 'context-length', 'one');
  for (let call = 0; call < 7; call += 1) expect((await providers.chat({ model: 'acme/one' })).status).toBe(400);
  providers.set('alpha', 'stall', 'one');
  const body = JSON.stringify({ model: 'acme/one', messages: [{ role: 'user', content: 'x' }] });
  const headers = { authorization: `Bearer ${providers.key}`, 'content-type': 'application/json' };
  for (let call = 0; call < 7; call += 1) {
    const leaving = AbortSignal.timeout(60);
    const url = `${providers.harness.url}/v1/chat/completions`;
    await expect(fetch(url, { method: 'POST', body, headers, signal: leaving })).rejects.toThrow();
  }
  providers.heal();
  expect((await providers.chat({ model: 'acme/one' })).status).toBe(200);
});
