// The operator's routes: wrong tokens have to wait, are logged and raise an alarm; what is done with the right token is
// logged, reading included; a provider's key is sent to no other address than its own.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';
import { type LogLine, recordingLogger } from '../payments/payments-harness.ts';

const lines: LogLine[] = [];
let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    start: { logger: recordingLogger(lines) },
    env: { TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterAll(() => harness.close());

const ask = async (token: string, ip: string): Promise<number> =>
  (await harness.request('GET', '/admin/v1/brake', { key: token, headers: { 'X-Real-IP': ip } })).status;

test('a header without proxies, or proxies without a header, are told in the log', async () => {
  const message = 'TOLLGATE_CLIENT_IP_HEADER and TOLLGATE_TRUSTED_PROXIES need each other';
  expect(JSON.stringify(lines)).not.toContain(message);
  for (const [env, effect] of [
    [{ TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip' }, "no client's address is known"],
    [{ TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' }, 'clients seem to have the address of a proxy'],
  ] as const) {
    const own: LogLine[] = [];
    const half = await startHarness({ start: { logger: recordingLogger(own) }, env });
    await half.close();
    expect(own).toContainEqual(expect.objectContaining({ level: 'warn', message: `${message}: ${effect}` }));
  }
});

test('guesses from one source are refused after some, logged each, and never lock the operator out', async () => {
  expect(await ask(ADMIN_TOKEN, '192.0.2.1')).toBe(200);
  const statuses: number[] = [];
  for (let guess = 0; guess < 45; guess += 1) statuses.push(await ask(`guess-${guess}`, '192.0.2.66'));
  // A minute may end in between.
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(statuses.slice(0, 20).every((status) => status === 401)).toBe(true);
  const alarms = lines.filter(({ fields }) => fields.alert === 'operator-token');
  expect(alarms.length).toBeGreaterThanOrEqual(20);
  expect(alarms[0]).toMatchObject({ level: 'error', fields: { source: '192.0.2.66' } });
  expect(JSON.stringify(alarms)).not.toContain('guess-');
  // Where the right token was shown before, wrong ones beside it change nothing.
  for (let guess = 0; guess < 30; guess += 1) expect(await ask('wrong', '192.0.2.1')).toBe(401);
  expect(await ask(ADMIN_TOKEN, '192.0.2.1')).toBe(200);
});

test('ERR-05 who is turned away is told what an operator would send', async () => {
  const { key } = await harness.account(0);
  const wordsFor = async (headers: Record<string, string>): Promise<unknown> => {
    const answer = await harness.request('GET', '/admin/v1/brake', {
      headers: { 'X-Real-IP': '192.0.2.7', ...headers },
    });
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    return (answer.body.error as Json).message;
  };
  expect(await wordsFor({})).toContain('send the operator token as "Authorization: Bearer <token>"');
  expect(await wordsFor({ Authorization: `Bearer ${key}` })).toContain('This is not the operator token');
});

test('every action of the operator is in the log, reading of customers data included', async () => {
  const { userId } = await harness.account(1);
  await harness.request('GET', `/admin/v1/users/${userId}`, {
    key: ADMIN_TOKEN,
    headers: { 'X-Real-IP': '192.0.2.1' },
  });
  const { data } = (await harness.operate('GET', '/admin/v1/audit-log')) as { data: Json[] };
  expect(data[0]).toMatchObject({ method: 'GET', route: '/admin/v1/audit-log' });
  expect(data[1]).toMatchObject({
    method: 'GET',
    route: '/admin/v1/users/:id',
    params: { id: userId },
    ip: '192.0.2.1',
  });
  expect(data.slice(2, 5).map(({ route }) => route)).toEqual([
    '/admin/v1/users/:id/keys',
    '/admin/v1/users/:id/credits',
    '/admin/v1/users',
  ]);
  const page = (await harness.operate('GET', '/admin/v1/audit-log?limit=2')) as { data: Json[]; next: string };
  const older = (await harness.operate('GET', `/admin/v1/audit-log?limit=2&after=${page.next}`)) as { data: Json[] };
  expect(Number(older.data[0]?.id)).toBeLessThan(Number(page.data[1]?.id));
});

test('a provider whose address changes needs its key again', async () => {
  const config = await harness.operate('GET', '/admin/v1/config');
  const providers = config.providers as Record<string, Json>;
  const [name = ''] = Object.keys(providers);
  const moved = {
    ...config,
    providers: { ...providers, [name]: { ...providers[name], base_url: 'http://evil.test/v1' } },
  };
  const put = (body: unknown) => harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body });
  const refused = await put(moved);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('give the key again');
  expect((await put(config)).status).toBe(200);
  const given = { ...moved, providers: { ...moved.providers, [name]: { ...moved.providers[name], api_key: 'new' } } };
  expect((await put(given)).status).toBe(200);
});

test('a key goes to the address that it was given with, by whatever route the address changes', async () => {
  const [first, second] = [await startListener(), await startListener()];
  const config = await harness.operate('GET', '/admin/v1/config');
  const at = (base_url: string, api_key: string): Json => ({
    ...config,
    providers: { ...(config.providers as Json), moving: { protocol: 'openai', base_url, api_key } },
    models: {
      ...(config.models as Json),
      'openai/moved': {
        pricing: { prompt: '1', completion: '1' },
        routes: [{ provider: 'moving', upstream_model: 'm' }],
      },
    },
  });
  const { key } = await harness.account(5);
  const ask = () => harness.chat(key, { model: 'openai/moved' });
  const { data } = (await harness.operate('GET', '/admin/v1/config/revisions')) as { data: Json[] };
  await harness.operate('PUT', '/admin/v1/config', at(`${first.url}/v1`, 'key-of-the-first'));
  await ask();
  const revision = Number(data[0]?.revision) + 1;
  await harness.operate('PUT', '/admin/v1/config', at(`${second.url}/v1`, 'key-of-the-second'));
  await ask();
  const connect = { preset: 'vllm', name: 'moving', baseUrl: `${first.url}/v1`, all: true };
  for (const path of ['/admin/v1/providers/discover', '/admin/v1/providers']) {
    await harness.request('POST', path, { key: ADMIN_TOKEN, body: connect });
    await ask();
  }
  await harness.operate('POST', `/admin/v1/config/revisions/${revision}/restore`, {});
  await ask();
  expect([...first.heard].filter((text) => text.includes('second'))).toEqual([]);
  expect([...second.heard]).toEqual(['Bearer key-of-the-second']);
  expect([...first.heard]).toContain('Bearer key-of-the-first');
  first.close();
  second.close();
});

/** A server that remembers what it was authorized with. */
async function startListener(): Promise<{ url: string; heard: Set<string>; close(): void }> {
  const heard = new Set<string>();
  const server = createServer((request, response) => {
    heard.add(String(request.headers.authorization));
    request.resume();
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    heard,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('private answers are kept by no cache, and public ones may be', async () => {
  const { key } = await harness.account(1);
  const of = async (path: string, token?: string): Promise<string | null> =>
    (await harness.request('GET', path, token === undefined ? {} : { key: token })).headers.get('cache-control');
  expect(await of('/v1/credits', key)).toBe('no-store');
  expect(await of('/v1/keys', key)).toBe('no-store');
  expect(await of('/admin/v1/users', ADMIN_TOKEN)).toBe('no-store');
  expect(await of('/v1/models')).toBeNull();
  const chat = await harness.chat(key, { model: 'openai/test' });
  expect(chat.headers.get('cache-control')).toBe('no-store');
  const stream = await harness.stream(key, { model: 'openai/test' });
  expect(stream.headers.get('cache-control')).toBe('no-store');
});

test.each<[string, Record<string, string>]>([
  ['x-forwarded-host', { 'X-Forwarded-Host': 'gate.example' }],
  ['x-real-ip', { 'X-Real-IP': '192.0.2.9' }],
  ['cf-ray', { 'CF-Ray': 'x' }],
  ['via', { Via: '1.1 proxy' }],
])('the metrics are closed to what comes through a proxy: %s', async (_name, headers) => {
  expect((await harness.request('GET', '/metrics')).status).toBe(200);
  expect((await harness.request('GET', '/metrics', { headers })).status).toBe(401);
});
