// Organizations managed by the operator: a shared account, keys for its members, and terms that cannot be broken.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Harness, startHarness } from '../harness.ts';

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/dollar': { commands: 'tokens-10-10', entry: { pricing: { prompt: '0', completion: '0', request: '1' } } },
      'openai/slow': {
        commands: 'tokens-10-10+wait-150',
        entry: { pricing: { prompt: '0', completion: '0', request: '1' } },
      },
    },
  });
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
});

const operate = (method: string, path: string, body?: unknown): Promise<Answer> =>
  harness.request(method, path, { key: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) });

async function organization(terms: Record<string, unknown>): Promise<{ id: string; userId: string; key: string }> {
  const { userId } = await harness.account(0);
  const created = await operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId, ...terms });
  const id = String(created.body.id);
  const key = await operate('POST', `/admin/v1/orgs/${id}/keys`, { name: 'ci', keyType: 'standard', userId });
  return { id, userId, key: String(key.body.key) };
}

const call = async (key: string): Promise<number> => (await harness.chat(key, { model: 'openai/dollar' })).status;

describe('an organization', () => {
  test('BILL-13 is created with an account, and its owner as the administrator', async () => {
    const { userId } = await harness.account(0);
    const created = await operate('POST', '/admin/v1/orgs', {
      name: 'Acme',
      ownerUserId: userId,
      billingPlan: 'monthly',
      creditLineUsd: '250.5',
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({ id: expect.stringMatching(/^org-[0-9a-f]{24}$/), name: 'Acme' });
    expect((await operate('GET', `/admin/v1/orgs/${created.body.id}`)).body).toEqual({
      id: created.body.id,
      name: 'Acme',
      billingPlan: 'monthly',
      creditLineUsd: 250.5,
      balanceUsd: 0,
      seats: 1000,
      suspended: false,
      vouched: true,
      memberDomains: [],
    });
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    const members = await client.query('select user_id, role from org_members where org_id = $1', [created.body.id]);
    await client.end();
    expect(members.rows).toEqual([{ user_id: userId, role: 'org_admin' }]);
  });

  test('ERR-04 ERR-07 ERR-30 ERR-31 a wrong body is refused by the field’s name, and creates nothing', async () => {
    const { userId } = await harness.account(0);
    const before = (await harness.ledgerCheck()).accounts;
    const cases: [Record<string, unknown>, number, string][] = [
      [{ ownerUserId: userId }, 400, 'name'],
      [{ name: 'A' }, 400, 'ownerUserId'],
      [{ name: '', ownerUserId: userId }, 400, 'name'],
      [{ name: 'A', ownerUserId: 'usr-none' }, 404, 'user'],
      [{ name: 'A', ownerUserId: userId, billingPlan: 'yearly' }, 400, 'billingPlan'],
      [{ name: 'A', ownerUserId: userId, creditLineUsd: 5 }, 400, 'creditLineUsd'],
      [{ name: 'A', ownerUserId: userId, billingPlan: 'prepaid', creditLineUsd: 5 }, 400, 'creditLineUsd'],
      [{ name: 'A', ownerUserId: userId, billingPlan: 'monthly', creditLineUsd: -1 }, 400, 'creditLineUsd'],
      [{ name: 'A', ownerUserId: userId, billingPlan: 'monthly', creditLineUsd: 1e12 }, 400, 'creditLineUsd'],
      [{ name: 'A', ownerUserId: userId, billingPlan: 'monthly', creditLineUsd: 'much' }, 400, 'creditLineUsd'],
    ];
    for (const [body, status, field] of cases) {
      const answer = await operate('POST', '/admin/v1/orgs', body);
      expect(answer.status, JSON.stringify(body)).toBe(status);
      expect(answer.body).toMatchObject({ error: { message: expect.stringContaining(field) } });
    }
    expect((await harness.ledgerCheck()).accounts).toBe(before);
  });

  test('AUTH-01 nobody but the operator gets near it', async () => {
    const { id, key } = await organization({});
    const calls: [string, string][] = [
      ['POST', '/admin/v1/orgs'],
      ['GET', `/admin/v1/orgs/${id}`],
      ['PATCH', `/admin/v1/orgs/${id}`],
      ['POST', `/admin/v1/orgs/${id}/credits`],
      ['POST', `/admin/v1/orgs/${id}/keys`],
      ['GET', `/admin/v1/orgs/${id}/statements?year=2026&month=1`],
      ['POST', `/admin/v1/orgs/${id}/statements/2026-01/paid`],
      ['GET', '/admin/v1/orders'],
    ];
    for (const [method, path] of calls) {
      for (const options of [{}, { key }]) expect((await harness.request(method, path, options)).status).toBe(401);
      if (method !== 'GET') continue;
      expect((await operate(method, path.replace(id, 'org-none'))).status).toBe(path.includes('orders') ? 200 : 404);
    }
    for (const path of ['credits', 'keys', 'statements/2026-01/paid']) {
      const body = { amountUsd: 1, name: 'x', userId: 'usr-1', reference: 'r' };
      const { status } = await operate('POST', `/admin/v1/orgs/org-none/${path}`, pick(body, path));
      expect(status, path).toBe(404);
    }
    expect((await operate('PATCH', '/admin/v1/orgs/org-none', { suspended: true })).status).toBe(404);
  });

  function pick(body: Record<string, unknown>, path: string): Record<string, unknown> {
    const fields: Record<string, string[]> = { credits: ['amountUsd'], keys: ['name', 'userId'] };
    return Object.fromEntries((fields[path] ?? ['reference']).map((field) => [field, body[field]]));
  }
});

describe('its keys', () => {
  test('BILL-14 draw on its balance and not on the member’s', async () => {
    const { id, userId, key } = await organization({});
    await operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 50 });
    const personal = await operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'own' });
    expect(await call(key)).toBe(402);
    expect((await operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 3, note: 'x' })).body).toEqual({
      balanceUsd: 3,
    });
    expect(await call(key)).toBe(200);
    const credits = await harness.request('GET', '/v1/credits', { key });
    expect(credits.body.data).toEqual({ total_credits: 3, total_usage: 1 });
    const own = await harness.request('GET', '/v1/credits', { key: String(personal.body.key) });
    expect(own.body.data).toEqual({ total_credits: 50, total_usage: 0 });
    const info = await harness.request('GET', '/v1/key', { key });
    expect(info.body.data).toMatchObject({ organization_id: id, creator_user_id: userId });
  });

  test('BILL-14 credit is given once for one idempotency key', async () => {
    const { id } = await organization({});
    const headers = { 'Idempotency-Key': 'invoice-7' };
    for (let time = 0; time < 3; time += 1) {
      const body = { amountUsd: 9 };
      const answer = await harness.request('POST', `/admin/v1/orgs/${id}/credits`, { key: ADMIN_TOKEN, headers, body });
      expect(answer.body).toEqual({ balanceUsd: 9 });
    }
    expect((await operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 0 })).status).toBe(400);
  });

  test('are for members only', async () => {
    const { id, userId } = await organization({});
    const stranger = await harness.account(0);
    const path = `/admin/v1/orgs/${id}/keys`;
    expect((await operate('POST', path, { name: 'x', userId: stranger.userId })).status).toBe(404);
    expect((await operate('POST', path, { name: 'x', userId: 'usr-none' })).status).toBe(404);
    expect((await operate('POST', path, { name: 'x' })).body).toMatchObject({
      error: { code: 'missing_required_field' },
    });
    const created = await operate('POST', path, { name: 'x', userId, keyType: 'management' });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ name: 'x', keyType: 'management', key: expect.stringMatching(/^sk-tg-/) });
  });

  test('AUTH-06 are refused with 403 while it is suspended, and the member’s own keys are not', async () => {
    const { id, userId, key } = await organization({});
    await operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 3 });
    const personal = String((await operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'own' })).body.key);
    expect(await call(key)).toBe(200);
    const suspended = await operate('PATCH', `/admin/v1/orgs/${id}`, { suspended: true });
    expect(suspended.body).toMatchObject({ suspended: true, billingPlan: 'prepaid', creditLineUsd: null });
    expect(await call(key)).toBe(403);
    expect((await harness.request('GET', '/v1/credits', { key })).status).toBe(403);
    expect((await harness.request('GET', '/v1/credits', { key: personal })).status).toBe(200);
    await operate('PATCH', `/admin/v1/orgs/${id}`, { suspended: false });
    expect(await call(key)).toBe(200);
    await operate('PATCH', `/admin/v1/users/${userId}`, { suspended: true });
    expect(await call(key)).toBe(403);
  });

  test('BILL-12 buy no top-up for an organization that is billed monthly', async () => {
    const monthly = await organization({ billingPlan: 'monthly', creditLineUsd: 5 });
    const body = { amountUsd: 5 };
    const refused = await harness.request('POST', '/v1/credits/topups', { key: monthly.key, body });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: { message: expect.stringContaining('billed monthly') } });
    const prepaid = await organization({});
    const answer = await harness.request('POST', '/v1/credits/topups', { key: prepaid.key, body });
    expect(answer.status).toBe(503);
  });
});

describe('a credit line', () => {
  test('BILL-13 ERR-17 is hard: 40 calls at once on a line of ten, exactly ten are served', async () => {
    const { id, key } = await organization({ billingPlan: 'monthly', creditLineUsd: 10 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => harness.chat(key, { model: 'openai/slow' })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 402);
    expect(refused).toHaveLength(30);
    for (const { body } of refused) {
      expect(body).toMatchObject({ error: { code: 'credit_limit_exceeded', type: 'billing_error' } });
    }
    expect((await operate('GET', `/admin/v1/orgs/${id}`)).body).toMatchObject({ balanceUsd: -10, creditLineUsd: 10 });
  });

  test('BILL-13 that is raised can be used at once', async () => {
    const { id, key } = await organization({ billingPlan: 'monthly', creditLineUsd: 1 });
    expect([await call(key), await call(key)]).toEqual([200, 402]);
    expect((await operate('PATCH', `/admin/v1/orgs/${id}`, { creditLineUsd: 2 })).body).toMatchObject({
      creditLineUsd: 2,
    });
    expect([await call(key), await call(key)]).toEqual([200, 402]);
  });

  test('BILL-13 cannot be lowered below what is owed, and can to exactly that although slices were leased', async () => {
    const { id, key } = await organization({ billingPlan: 'monthly', creditLineUsd: 100 });
    expect([await call(key), await call(key), await call(key)]).toEqual([200, 200, 200]);
    const path = `/admin/v1/orgs/${id}`;
    expect((await operate('PATCH', path, { creditLineUsd: 2, suspended: true })).status).toBe(409);
    expect((await operate('GET', path)).body).toMatchObject({ creditLineUsd: 100, suspended: false });
    expect((await operate('PATCH', path, { creditLineUsd: 3 })).status).toBe(200);
    expect(await call(key)).toBe(402);
    expect((await operate('PATCH', path, { billingPlan: 'prepaid' })).status).toBe(409);
    const misspelt = await operate('PATCH', path, { creditLine: 3 });
    expect(misspelt.headers.get('x-tollgate-ignored-fields')).toBe('creditLine');
  });

  test('BILL-13 plans change when nothing is owed, and the kind of refusal with them', async () => {
    const { id, key } = await organization({});
    const refusal = async (): Promise<unknown> =>
      ((await harness.chat(key, { model: 'openai/dollar' })).body.error as { code: string }).code;
    expect(await refusal()).toBe('insufficient_credits');
    const path = `/admin/v1/orgs/${id}`;
    expect((await operate('PATCH', path, { creditLineUsd: 1 })).status).toBe(400);
    await operate('PATCH', path, { billingPlan: 'monthly', creditLineUsd: 1 });
    expect(await call(key)).toBe(200);
    expect(await refusal()).toBe('credit_limit_exceeded');
    await operate('POST', `${path}/credits`, { amountUsd: 1 });
    expect((await operate('PATCH', path, { billingPlan: 'prepaid' })).body).toMatchObject({
      billingPlan: 'prepaid',
      creditLineUsd: null,
      balanceUsd: 0,
    });
    expect(await refusal()).toBe('insufficient_credits');
  });
});
