// The operator's calls: each does what it says once, and says what is wrong by the field's name.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Harness, startHarness } from '../harness.ts';

describe('the operator API', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());

  const operate = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> =>
    harness.request(method, path, { key: ADMIN_TOKEN, headers, ...(body === undefined ? {} : { body }) });
  const newUser = async (): Promise<string> => {
    const answer = await operate('POST', '/admin/v1/users', {
      email: `${crypto.randomUUID()}@example.test`,
      name: 'Ann',
    });
    return String(answer.body.id);
  };

  test('a user is created with an account, and an address in another spelling is the same one', async () => {
    const email = `Ann.${crypto.randomUUID()}@Example.TEST`;
    const created = await operate('POST', '/admin/v1/users', { email, name: 'Ann', password: 'long enough' });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.stringMatching(/^usr-[0-9a-f]{24}$/), email, name: 'Ann' });
    const again = await operate('POST', '/admin/v1/users', { email: email.toLowerCase(), name: 'Bob' });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ error: { code: 409 } });
    const key = await operate('POST', `/admin/v1/users/${created.body.id}/keys`, { name: 'first' });
    const credits = await harness.request('GET', '/v1/credits', { key: String(key.body.key) });
    expect(credits.body).toEqual({ data: { total_credits: 0, total_usage: 0 } });
  });

  test('ERR-04 ERR-30 a body is refused by the name of what is missing or wrong', async () => {
    const cases: [object, string | number, string][] = [
      [{ email: 'a@example.test' }, 'missing_required_field', 'name'],
      [{ email: 'nowhere', name: 'A' }, 400, 'email'],
      [{ email: 7, name: 'A' }, 400, 'email'],
      [{ email: 'a@example.test', name: '' }, 400, 'name'],
      [{ email: 'a@example.test', name: 'A', password: 'short' }, 400, 'password'],
    ];
    for (const [body, code, field] of cases) {
      const answer = await operate('POST', '/admin/v1/users', body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: { code, message: expect.stringContaining(field) } });
      expect(answer.text).not.toContain('short');
    }
  });

  test('VER-06 AMB-10 a field that nobody knows changes nothing and is named in a header', async () => {
    const email = `${crypto.randomUUID()}@example.test`;
    const wish = { email, name: 'A', id: 'usr-1', balance: 5, role: 'admin', 'a b\r\nc': 1 };
    const answer = await operate('POST', '/admin/v1/users', wish);
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.get('x-tollgate-ignored-fields')).toBe('id, balance, role');
    expect(answer.body.id).not.toBe('usr-1');
    expect((await operate('POST', '/admin/v1/users', { email, name: 7, role: 'admin' })).status).toBe(400);
  });

  test('credit is exact to the nano-dollar, adds up, and an idempotency key credits once', async () => {
    const id = await newUser();
    const path = `/admin/v1/users/${id}/credits`;
    expect((await operate('POST', path, { amountUsd: 0.1, note: 'a' })).body).toEqual({ balanceUsd: 0.1 });
    expect((await operate('POST', path, { amountUsd: '0.200000001', note: 'b' })).body).toEqual({
      balanceUsd: 0.300000001,
    });
    const repeated = { 'Idempotency-Key': 'order-1' };
    await operate('POST', path, { amountUsd: 5, note: 'c' }, repeated);
    expect((await operate('POST', path, { amountUsd: 5, note: 'c' }, repeated)).body).toEqual({
      balanceUsd: 5.300000001,
    });
    const other = await newUser();
    const elsewhere = await operate('POST', `/admin/v1/users/${other}/credits`, { amountUsd: 5, note: 'c' }, repeated);
    expect(elsewhere.body).toEqual({ balanceUsd: 5 });
  });

  test('an amount that is not one is refused, and nothing is credited', async () => {
    const id = await newUser();
    for (const amountUsd of [
      0,
      -1,
      '0',
      '-5',
      'five',
      '1e3',
      1e300,
      0.0000000001,
      null,
      true,
      [],
      '',
      ' 1',
      '9'.repeat(30),
    ]) {
      const answer = await operate('POST', `/admin/v1/users/${id}/credits`, { amountUsd, note: 'x' });
      expect(answer.status, String(amountUsd)).toBe(400);
    }
    expect((await operate('POST', `/admin/v1/users/${id}/credits`, { amountUsd: 1 })).body).toEqual({ balanceUsd: 1 });
  });

  test('KEY-02 KEY-03 KEY-06 a new key is shown whole, with its secret, once', async () => {
    const id = await newUser();
    const answer = await operate('POST', `/admin/v1/users/${id}/keys`, { name: 'laptop', keyType: 'management' });
    expect(answer.status).toBe(201);
    const secret = String(answer.body.key);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^key-[0-9a-f]{24}$/),
      name: 'laptop',
      keyType: 'management',
      keyPrefix: secret.slice(0, 10),
      keySuffix: secret.slice(-4),
      key: expect.stringMatching(/^sk-tg-/),
      enabled: true,
      spendLimitUsd: null,
      spendLimitPeriod: null,
      spendLimitUsedUsd: null,
      expiresAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      lastUsed: null,
      requestCount: 0,
      totalTokens: 0,
      spentUsd: 0,
      allowedCidrs: [],
      freeFallback: true,
      cacheTtlSeconds: null,
      disableWhenLeaked: false,
      leakedAt: null,
      leakPlace: null,
    });
    expect((await harness.request('GET', '/v1/credits', { key: secret })).status).toBe(200);
    expect((await operate('POST', `/admin/v1/users/${id}/keys`, { name: 'x', keyType: 'root' })).status).toBe(400);
    expect((await operate('POST', `/admin/v1/users/${id}/keys`, { keyType: 'standard' })).body).toMatchObject({
      error: { code: 'missing_required_field' },
    });
  });

  test('AUTH-06 GEN-04 a suspension counts on the next call, GET /v1/credits included', async () => {
    const { userId, key } = await harness.account(5);
    expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(200);
    const changed = await operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
    expect(changed.body).toMatchObject({ id: userId, suspended: true });
    expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(403);
    expect((await harness.chat(key, { model: 'openai/test' })).status).toBe(403);
    await operate('PATCH', `/admin/v1/users/${userId}`, { suspended: false });
    expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(200);
    const misspelt = await operate('PATCH', `/admin/v1/users/${userId}`, { suspnded: true });
    expect([misspelt.status, misspelt.headers.get('x-tollgate-ignored-fields')]).toEqual([200, 'suspnded']);
    expect(misspelt.body).toMatchObject({ id: userId, suspended: false });
  });

  test('ERR-07 a user that does not exist is a 404 on every route below it', async () => {
    expect((await operate('PATCH', '/admin/v1/users/usr-none', { suspended: true })).status).toBe(404);
    expect((await operate('POST', '/admin/v1/users/usr-none/credits', { amountUsd: 1 })).status).toBe(404);
    expect((await operate('POST', '/admin/v1/users/usr-none/keys', { name: 'x' })).status).toBe(404);
  });

  test('every operator route refuses whoever is not the operator, before it reads a body', async () => {
    const { key } = await harness.account(5);
    const calls: [string, string][] = [
      ['POST', '/admin/v1/users'],
      ['PATCH', '/admin/v1/users/usr-1'],
      ['POST', '/admin/v1/users/usr-1/credits'],
      ['POST', '/admin/v1/users/usr-1/keys'],
      ['GET', '/admin/v1/ledger/check'],
      ['GET', '/admin/v1/absorbed'],
    ];
    for (const [method, path] of calls) {
      for (const options of [{}, { key }, { key: `${ADMIN_TOKEN} x` }]) {
        expect((await harness.request(method, path, options)).status, path).toBe(401);
      }
    }
  });

  test('the books and what was absorbed can be read', async () => {
    await harness.account(5);
    expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
    const absorbed = await operate('GET', '/admin/v1/absorbed');
    expect(absorbed.body).toEqual({ totalUsd: expect.any(Number), users: expect.any(Array) });
  });

  test('a month of the books can be read once it is closed', async () => {
    const check = (month: string) => operate('GET', `/admin/v1/ledger/check?month=${month}`);
    for (const month of ['2026-13', 'x', '']) {
      expect(await check(month)).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('must be a month') } },
      });
    }
    const open = await check(new Date().toISOString().slice(0, 7));
    expect(open).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('is not closed') } } });
  });
});
