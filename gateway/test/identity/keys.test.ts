// Keys managed by their owner through the front door: what can be set, which fields are refused by name, and that a
// change counts from the next call on.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { rawExchange } from './raw-exchange.ts';
import { rows } from './rows.ts';

let harness: Harness;
let aheadMs = 0;

beforeAll(async () => {
  harness = await startHarness({
    start: { clock: { ...systemClock, nowMs: () => Date.now() + aheadMs } },
    models: {
      'openai/penny': {
        commands: 'tokens-10-10',
        entry: { pricing: { prompt: '0', completion: '0', request: '0.01' } },
      },
      'openai/slow': { commands: 'tokens-10-10+wait-400' },
    },
    env: { TOLLGATE_CLIENT_IP_HEADER: 'X-Client-Address', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
  });
});

afterAll(() => harness.close());

type Owner = Readonly<{ userId: string; manage: string; key: string; keyId: string }>;

async function owner(creditUsd = 20): Promise<Owner> {
  const { userId, key, keyId } = await harness.account(creditUsd);
  const created = await harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'm', keyType: 'management' });
  return { userId, manage: String(created.key), key, keyId };
}

const create = (manage: string, body: Json): Promise<Answer> =>
  harness.request('POST', '/v1/keys', { key: manage, body });
const change = (manage: string, id: string, body: unknown): Promise<Answer> =>
  harness.request('PATCH', `/v1/keys/${id}`, { key: manage, body });
const remove = (manage: string, id: string): Promise<Answer> =>
  harness.request('DELETE', `/v1/keys/${id}`, { key: manage });
const list = async (manage: string): Promise<Json[]> =>
  (await harness.request('GET', '/v1/keys', { key: manage })).body.keys as Json[];
const listed = async (manage: string, id: string): Promise<Json | undefined> =>
  (await list(manage)).find((key) => key.id === id);
const call = async (key: string): Promise<number> => (await harness.chat(key, { model: 'openai/penny' })).status;
const read = async (key: string): Promise<number> => (await harness.request('GET', '/v1/key', { key })).status;

describe('creation', () => {
  test('KEY-01 KEY-02 KEY-03 KEY-05 KEY-06 KEY-07 AMB-05 the answer is the key object with the secret, once', async () => {
    const { manage } = await owner();
    const answer = await create(manage, {
      name: 'build server',
      limit: 12.5,
      limit_reset: 'weekly',
      expires_at: '2031-05-06T07:08:09+02:00',
      allowedCidrs: ['10.0.0.0/8', '2001:db8::1'],
      freeFallback: false,
    });
    expect(answer.status).toBe(201);
    const secret = String(answer.body.key);
    expect(secret).toMatch(/^sk-tg-/);
    const object = {
      id: expect.stringMatching(/^key-[0-9a-f]{24}$/),
      name: 'build server',
      keyType: 'standard',
      keyPrefix: secret.slice(0, 10),
      keySuffix: secret.slice(-4),
      enabled: true,
      spendLimitUsd: 12.5,
      spendLimitPeriod: 'weekly',
      spendLimitUsedUsd: 0,
      expiresAt: '2031-05-06T05:08:09.000Z',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lastUsed: null,
      requestCount: 0,
      totalTokens: 0,
      spentUsd: 0,
      allowedCidrs: ['10.0.0.0/8', '2001:db8::1'],
      freeFallback: false,
      cacheTtlSeconds: null,
      disableWhenLeaked: false,
      leakedAt: null,
      leakPlace: null,
    };
    expect(answer.body).toEqual({ ...object, key: secret });
    expect(await listed(manage, String(answer.body.id))).toEqual(object);
    const text = (await harness.request('GET', '/v1/keys', { key: manage })).text;
    expect(text).not.toContain(secret);
    expect(text).not.toContain(manage);
  });

  test('KEY-04 KEY-07 the list has all keys of the account, the management key too, and nobody else’s', async () => {
    const { manage, keyId } = await owner();
    await owner();
    const second = await create(manage, { name: 'second', keyType: 'management' });
    const keys = await list(manage);
    expect(keys.map(({ name, keyType }) => [name, keyType])).toEqual([
      ['test', 'standard'],
      ['m', 'management'],
      ['second', 'management'],
    ]);
    expect(keys[0]?.id).toBe(keyId);
    expect((await list(String(second.body.key))).length).toBe(3);
  });

  test.each([
    ['2031-01-02', '2031-01-02T00:00:00.000Z'],
    ['2031-01-02T03:04Z', '2031-01-02T03:04:00.000Z'],
    ['2031-01-02T03:04:05.123456', '2031-01-02T03:04:05.123Z'],
    [null, null],
  ])('KEY-05 expires_at %j is %j', async (given, expiresAt) => {
    const { manage } = await owner(0);
    const answer = await create(manage, { name: 'a', expires_at: given, limit: null, limit_reset: null });
    expect(answer.body).toMatchObject({ expiresAt, spendLimitUsd: null, spendLimitPeriod: null });
  });

  test.each([
    [{}, 'missing_required_field', 'name'],
    [{ name: '' }, 400, 'name'],
    [{ name: 7 }, 400, 'name'],
    [{ name: 'a\u0000b' }, 400, 'name'],
    [{ name: 'a\nb' }, 400, 'name'],
    [{ name: 'x'.repeat(201) }, 400, 'name'],
    [{ name: 'a', spendLimitUsd: 5 }, 'unsupported_param', 'spendLimitUsd: is called limit here'],
    [{ name: 'a', expiresAt: null }, 'unsupported_param', 'expiresAt: is called expires_at here'],
    [{ name: 'a', limit: -1 }, 400, 'limit'],
    [{ name: 'a', limit: '5' }, 400, 'limit'],
    [{ name: 'a', limit: 1e12 }, 400, 'limit'],
    [{ name: 'a', limit: 0.0000000001 }, 400, 'limit'],
    [{ name: 'a', limit_reset: 'hourly' }, 400, 'limit_reset'],
    [{ name: 'a', limit_reset: 'Daily' }, 400, 'limit_reset'],
    [{ name: 'a', expires_at: 'tomorrow' }, 400, 'expires_at'],
    [{ name: 'a', expires_at: '2031-02-30' }, 400, 'expires_at'],
    [{ name: 'a', expires_at: '2031-01-01T24:00:00Z' }, 400, 'expires_at'],
    [{ name: 'a', expires_at: 1_900_000_000 }, 400, 'expires_at'],
    [{ name: 'a', keyType: 'root' }, 400, 'keyType'],
    [{ name: 'a', freeFallback: 'no' }, 400, 'freeFallback'],
    [{ name: 'a', allowedCidrs: '10.0.0.1' }, 400, 'allowedCidrs'],
    [{ name: 'a', expires_at: '2020-01-01' }, 400, 'expires_at: must be in the future'],
  ])('KEY-05 ERR-04 ERR-30 %j is refused by name and makes nothing', async (body, code, field) => {
    const { manage } = await owner(0);
    const answer = await create(manage, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code, message: expect.stringContaining(field) } });
    expect((await list(manage)).length).toBe(2);
  });
});

describe('change', () => {
  test('KEY-08 AMB-04 every field changes by itself, and null or an empty list takes it away', async () => {
    const { manage, keyId } = await owner();
    const steps: [Json, Json][] = [
      [{ spendLimitUsd: 3 }, { spendLimitUsd: 3, spendLimitPeriod: null }],
      ...['day', 'daily', 'week', 'weekly', 'month', 'monthly'].map((period): [Json, Json] => [
        { spendLimitPeriod: period },
        { spendLimitUsd: 3, spendLimitPeriod: period },
      ]),
      [{ allowedCidrs: ['127.0.0.1'] }, { allowedCidrs: ['127.0.0.1'], spendLimitUsd: 3 }],
      [
        { allowedCidrs: [], freeFallback: false },
        { allowedCidrs: [], freeFallback: false },
      ],
      [{ expiresAt: '2031-01-01T00:00:00Z' }, { expiresAt: '2031-01-01T00:00:00.000Z', freeFallback: false }],
      [
        { expiresAt: null, freeFallback: true },
        { expiresAt: null, freeFallback: true },
      ],
      [{ spendLimitUsd: null }, { spendLimitUsd: null, spendLimitPeriod: 'monthly', enabled: true }],
      [{}, { spendLimitPeriod: 'monthly' }],
    ];
    for (const [body, expected] of steps) {
      const answer = await change(manage, keyId, body);
      expect([answer.status, answer.body], JSON.stringify(body)).toEqual([200, { updated: true }]);
      expect(await listed(manage, keyId)).toMatchObject(expected);
    }
  });

  test.each([
    [{ name: 'new' }, 'unsupported_param', 'name'],
    [{ key: 'sk-tg-mine' }, 'unsupported_param', 'key'],
    [{ enabled: false, name: 'new' }, 'unsupported_param', 'name'],
    [{ expiresAt: '2020-01-01' }, 400, 'expiresAt: must be in the future'],
    [{ keyType: 'management' }, 'unsupported_param', 'keyType'],
    [{ enabled: 'false' }, 400, 'enabled'],
    [{ enabled: true, limit: 5 }, 'unsupported_param', 'limit: is called spendLimitUsd here'],
    [{ expires_at: null }, 'unsupported_param', 'expires_at: is called expiresAt here'],
    [{ disabled: true }, 'unsupported_param', 'disabled: is called enabled here'],
    [{ spendLimitUsd: -1 }, 400, 'spendLimitUsd'],
    [{ spendLimitPeriod: 'year' }, 400, 'spendLimitPeriod'],
    [{ allowedCidrs: null }, 400, 'allowedCidrs'],
    [{ allowedCidrs: [7] }, 400, 'allowedCidrs'],
  ])('KEY-09 KEY-10 AMB-05 ERR-31 %j is refused by name and changes nothing', async (body, code, field) => {
    const { manage, keyId, key } = await owner(1);
    const answer = await change(manage, keyId, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: { code, message: expect.stringContaining(field) } });
    expect(await listed(manage, keyId)).toMatchObject({ name: 'test', enabled: true, keyType: 'standard' });
    expect(await read(key)).toBe(200);
  });

  test('VER-06 AMB-10 fields that nobody knows are left out, and named', async () => {
    const { manage, keyId } = await owner(0);
    const wish = { name: 'a', balance: 5, userId: 'usr-1', accountId: 'usr-1', key: 'sk-tg-mine' };
    const made = await create(manage, wish);
    expect(made.status, made.text).toBe(201);
    expect(made.headers.get('x-tollgate-ignored-fields')).toBe('balance, userId, accountId, key');
    expect(made.body).toMatchObject({ name: 'a', spendLimitUsd: null });
    expect(made.body.key).not.toBe('sk-tg-mine');
    const changed = await change(manage, keyId, { enabled: true, balance: 5, allowedcidrs: [] });
    expect([changed.status, changed.headers.get('x-tollgate-ignored-fields')]).toEqual([200, 'balance, allowedcidrs']);
    expect(await listed(manage, keyId)).toMatchObject({ spendLimitUsd: null, enabled: true });
  });

  test('KEY-13 a key that is switched off is refused at once, and lives again at once', async () => {
    const { manage, keyId, key } = await owner();
    expect(await call(key)).toBe(200);
    await change(manage, keyId, { enabled: false });
    expect([await call(key), await read(key)]).toEqual([401, 401]);
    expect(await listed(manage, keyId)).toMatchObject({ enabled: false });
    await change(manage, keyId, { enabled: true });
    expect(await call(key)).toBe(200);
  });

  test('KEY-14 a key is refused from its moment on, and again good when the moment is taken away', async () => {
    const { manage, keyId, key } = await owner();
    expect(await read(key)).toBe(200);
    await change(manage, keyId, { expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await read(key)).toBe(200);
    aheadMs = 3_600_000;
    expect(await read(key)).toBe(401);
    aheadMs = 0;
    await change(manage, keyId, { expiresAt: null });
    expect(await read(key)).toBe(200);
  });

  test('KEY-08 KEY-16 ERR-19 a limit counts from the next call on, and so does its end', async () => {
    const { manage, keyId, key } = await owner();
    await change(manage, keyId, { spendLimitUsd: 0.01, spendLimitPeriod: 'month' });
    expect(await call(key)).toBe(200);
    const refused = await harness.chat(key, { model: 'openai/penny' });
    expect([refused.status, (refused.body.error as Json).code]).toEqual([402, 'spend_limit_exceeded']);
    await change(manage, keyId, { spendLimitUsd: 0.02 });
    expect(await call(key)).toBe(200);
    expect(await call(key)).toBe(402);
    await change(manage, keyId, { spendLimitUsd: null });
    expect(await call(key)).toBe(200);
  });

  test('KEY-03 KEY-04 what a key has done is in the list: calls, tokens, and when it was last used', async () => {
    const { manage, keyId, key } = await owner();
    const beforeMs = Date.now();
    expect([await call(key), await call(key)]).toEqual([200, 200]);
    const object = await listed(manage, keyId);
    expect(object).toMatchObject({ requestCount: 2, totalTokens: 40 });
    const lastUsedMs = Date.parse(String(object?.lastUsed));
    expect(lastUsedMs).toBeGreaterThanOrEqual(beforeMs - 1000);
    expect(lastUsedMs).toBeLessThanOrEqual(Date.now());
  });
});

describe('deletion', () => {
  test('KEY-11 KEY-12 a deleted key is refused at once, its running call ends, its history stays', async () => {
    const { manage, keyId, key } = await owner();
    const running = harness.chat(key, { model: 'openai/slow' });
    await harness.simulator.waitFor(({ json }) => (json as Json | undefined)?.model === 'sim-tokens-10-10+wait-400');
    const answer = await remove(manage, keyId);
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([204, '', null]);
    expect(await call(key)).toBe(401);
    expect((await running).status).toBe(200);
    expect(await listed(manage, keyId)).toBeUndefined();
    const usage = await harness.request('GET', '/v1/usage?period=day', { key: manage });
    expect(usage.body).toMatchObject({ totals: { requests: 1 }, byKey: [{ keyName: 'test', requests: 1 }] });
    expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
  });

  test('a management key may delete itself, and is refused from then on', async () => {
    const { manage } = await owner(0);
    const own = (await list(manage)).find(({ name }) => name === 'm');
    expect((await remove(manage, String(own?.id))).status).toBe(204);
    expect((await harness.request('GET', '/v1/keys', { key: manage })).status).toBe(401);
  });

  test('KEY-15 ERR-07 a key of somebody else, one that is gone and one that never was are the same 404', async () => {
    const { manage, keyId } = await owner();
    const stranger = await owner();
    const gone = await create(manage, { name: 'gone' });
    await remove(manage, String(gone.body.id));
    const ids = [stranger.keyId, String(gone.body.id), 'key-000000000000000000000000', 'x', '%27', 'key-%F0%9F%98%80'];
    const answers = new Set<string>();
    for (const id of ids) {
      for (const answer of [await change(manage, id, { enabled: false }), await remove(manage, id)]) {
        expect(answer.status).toBe(404);
        const kept = [...answer.headers].filter(([name]) => !/request-id|^date$|ratelimit/i.test(name));
        answers.add(JSON.stringify([kept, answer.text]));
      }
    }
    expect(answers.size).toBe(1);
    expect([await read(stranger.key), await listed(manage, keyId)]).toMatchObject([200, { enabled: true }]);
  });
});

test('AUTH-04 a standard key manages no keys, whoever’s', async () => {
  const { key, keyId, manage } = await owner();
  for (const answer of [
    await harness.request('GET', '/v1/keys', { key }),
    await create(key, { name: 'a', keyType: 'management' }),
    await change(key, keyId, { spendLimitUsd: null }),
    await remove(key, keyId),
  ]) {
    expect([answer.status, (answer.body.error as Json).code]).toEqual([403, 403]);
  }
  expect((await list(manage)).length).toBe(2);
});

test('more keys than anyone needs are refused, and room is made by deleting', async () => {
  const { manage, keyId, userId } = await owner(0);
  await rows(
    harness.databaseUrl,
    `insert into api_keys (id, hash, name, key_type, user_id, account_id, prefix, suffix)
     select 'key-full-' || n || $1, sha256(convert_to(n || $1, 'UTF8')), 'n', 'standard', $1, $1, 'p', 's'
     from generate_series(1, 998) n`,
    [userId],
  );
  expect((await create(manage, { name: 'one more' })).status).toBe(409);
  await remove(manage, keyId);
  expect((await create(manage, { name: 'one more' })).status).toBe(201);
});

const NO_ADDRESSES =
  '10.0.0.0/33|10.0.0.0/-1|10.0.0.0/08|10.0.0/8|010.0.0.1|10.0.0.256|0x0a000001|167772161|2001:db8::/32|::1/128|fe80::1%eth0|localhost| 10.0.0.1|10.0.0.1 ||*'.split(
    '|',
  );

describe('addresses', () => {
  const from = (key: string, address: string | undefined): Promise<Answer> =>
    harness.request('GET', '/v1/key', { key, headers: address === undefined ? {} : { 'X-Client-Address': address } });

  test('AUTH-10 what is no address and no IPv4 range is refused, entry by entry', async () => {
    const { manage, keyId } = await owner(0);
    for (const entry of NO_ADDRESSES) {
      const answer = await change(manage, keyId, { allowedCidrs: ['127.0.0.1', entry] });
      expect(answer.status, entry).toBe(400);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining('allowedCidrs.1') } });
      expect((await create(manage, { name: 'a', allowedCidrs: [entry] })).status, entry).toBe(400);
    }
    expect(await listed(manage, keyId)).toMatchObject({ allowedCidrs: [] });
  });

  test('AUTH-11 AUTH-12 AUTH-14 a list counts from the next call on, fails closed, and an empty one lets all in', async () => {
    const { manage, keyId, key } = await owner();
    expect((await from(key, undefined)).status).toBe(200);
    await change(manage, keyId, { allowedCidrs: ['203.0.113.0/30', '198.51.100.7', '2001:db8::7'] });
    const outcomes: [string | undefined, number][] = [
      ['203.0.113.3', 200],
      ['203.0.113.4', 401],
      ['198.51.100.7', 200],
      ['198.51.100.8', 401],
      ['2001:db8::7', 200],
      ['2001:db8::8', 401],
      ['198.51.100.7, 198.51.100.7', 401],
      ['unknown', 401],
      ['', 401],
      [undefined, 401],
    ];
    for (const [address, status] of outcomes) {
      expect((await from(key, address)).status, String(address)).toBe(status);
    }
    const forged = { 'X-Forwarded-For': '198.51.100.7', 'X-Real-IP': '198.51.100.7', Forwarded: 'for=198.51.100.7' };
    expect((await harness.request('GET', '/v1/key', { key, headers: forged })).status).toBe(401);
    await change(manage, keyId, { allowedCidrs: ['0.0.0.0/0'] });
    expect((await from(key, '8.8.8.8')).status).toBe(200);
    expect((await from(key, '2001:db8::7')).status).toBe(401);
    await change(manage, keyId, { allowedCidrs: [] });
    expect((await from(key, undefined)).status).toBe(200);
  });

  test('AUTH-02 AUTH-13 KEY-12 KEY-13 KEY-14 on the wire a refused address is a wrong key, byte for byte', async () => {
    const { manage } = await owner();
    const made = async (body: Json): Promise<{ id: string; key: string }> => {
      const { id, key } = (await create(manage, { name: 'k', ...body })).body;
      return { id: String(id), key: String(key) };
    };
    const elsewhere = await made({ allowedCidrs: ['203.0.113.7'] });
    const disabled = await made({});
    await change(manage, disabled.id, { enabled: false });
    const revoked = await made({});
    await remove(manage, revoked.id);
    const expired = await made({ expires_at: '2020-01-01' });
    const tokens = ['sk-tg-wrong', elsewhere.key, disabled.key, revoked.key, expired.key];
    for (const path of ['/v1/key', '/v1/keys', '/v1/chat/completions', '/v1/messages', '/v1/orgs']) {
      const method = path.startsWith('/v1/chat') || path === '/v1/messages' ? 'POST' : 'GET';
      const answers = new Set<string>();
      for (const token of tokens) answers.add(await rawExchange(harness.url, { method, path, token }));
      expect(answers.size, path).toBe(1);
      expect([...answers][0], path).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    }
  });
});
