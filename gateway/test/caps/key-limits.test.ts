// Limits of keys and budgets through the front door: what is refused, with which code, and until when.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { codeOf, FrontDoors, START } from './front-doors.ts';

let doors: FrontDoors;

beforeAll(async () => {
  doors = await FrontDoors.open();
});

beforeEach(() => doors.clock.set(START));

afterEach(async () => {
  expect(await doors.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(async () => {
  await doors.close();
});

describe('a key with a limit', () => {
  test('ERR-19 KEY-16 BILL-17 the first call is served although it costs more than the limit, the second gets 402', async () => {
    const { key, keyId } = await doors.first.account(5);
    await doors.limitKey(keyId, '0.01', 'daily');
    const first = await doors.first.chat(key, { model: 'openai/two-pennies' });
    expect(first.status).toBe(200);
    expect((first.body.usage as Json).cost).toBe(0.02);
    const second = await doors.first.chat(key, { model: 'openai/two-pennies' });
    expect(second.status).toBe(402);
    expect(second.body).toMatchObject({ error: { code: 'spend_limit_exceeded', type: 'billing_error' } });
    expect(second.headers.get('x-ratelimit-limit')).toBeNull();
    expect(second.headers.get('x-should-retry')).toBe('false');
    expect((await doors.second.chat(key, { model: 'openai/penny' })).status).toBe(402);
    expect(await doors.first.spent(key)).toBe(0.02);
  });

  test.each([
    ['daily', '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z'],
    ['weekly', '2026-03-15T23:59:59.999Z', '2026-03-16T00:00:00Z'],
    ['monthly', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00Z'],
  ])('KEY-16 AMB-04 a %s limit holds until %s and is whole again at %s', async (period, last, next) => {
    doors.clock.set(last);
    const { key, keyId } = await doors.first.account(5);
    await doors.limitKey(keyId, '0.2', period);
    const call = async () => codeOf(await doors.first.chat(key, { model: 'openai/quick' }));
    expect([await call(), await call(), await call()]).toEqual([null, null, 'spend_limit_exceeded']);
    doors.clock.set(next);
    expect([await call(), await call(), await call()]).toEqual([null, null, 'spend_limit_exceeded']);
  });

  test.each([
    [0.1 + 0.2, 0.3],
    [100 / 3, 33.333333333],
    [0.0000000006, 0.000000001],
  ])('KEY-05 KEY-08 a limit that was computed (%j) is %j, on creation and on change', async (computed, limitUsd) => {
    const { userId } = await doors.first.account(0);
    const keys = `/admin/v1/users/${userId}/keys`;
    const manager = await doors.first.operate('POST', keys, { name: 'm', keyType: 'management' });
    const manage = async (method: string, path: string, body: Json): Promise<Json> =>
      (await doors.first.request(method, path, { key: String(manager.key), body })).body;
    const { id, spendLimitUsd } = await manage('POST', '/v1/keys', { name: 'a', limit: computed });
    expect(spendLimitUsd).toBe(limitUsd);
    const key = `/v1/keys/${id}`;
    expect(await manage('PATCH', key, { spendLimitUsd: 1 })).toEqual({ updated: true });
    expect(await manage('PATCH', key, { spendLimitUsd: computed })).toEqual({ updated: true });
    const listed = await doors.first.request('GET', '/v1/keys', { key: String(manager.key) });
    expect(listed.body.keys).toContainEqual(expect.objectContaining({ id, spendLimitUsd: limitUsd }));
  });

  test('AMB-04 a limit without a period never turns', async () => {
    const { key, keyId } = await doors.first.account(5);
    await doors.limitKey(keyId, '0.1');
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    doors.clock.set('2031-01-01T00:00:00Z');
    expect(codeOf(await doors.first.chat(key, { model: 'openai/quick' }))).toBe('spend_limit_exceeded');
  });

  test('KEY-16 what was spent before the limit was set counts, and so does a limit that is set again', async () => {
    const { userId, key, keyId } = await doors.first.account(5);
    for (const _ of [1, 2, 3]) await doors.first.chat(key, { model: 'openai/quick' });
    const set = async (limitUsd: string | null) => {
      await doors.limitKey(keyId, limitUsd, 'month');
      // A change through the API is announced in this way.
      await doors.first.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: false });
    };
    await set('0.4');
    const call = async () => codeOf(await doors.first.chat(key, { model: 'openai/quick' }));
    expect([await call(), await call()]).toEqual([null, 'spend_limit_exceeded']);
    await set(null);
    expect([await call(), await call()]).toEqual([null, null]);
    await set('0.7');
    expect([await call(), await call()]).toEqual([null, 'spend_limit_exceeded']);
  });

  test('BILL-02 STRM-10 a limit that is used up mid-stream ends the stream with its own code, unbilled', async () => {
    const { key, keyId } = await doors.first.account(5);
    await doors.limitKey(keyId, '0.009', 'daily');
    const { status, frames, isDone } = await doors.first.stream(key, { model: 'openai/long' });
    expect(status).toBe(200);
    expect(isDone).toBe(true);
    expect(frames.at(-1)).toMatchObject({ error: { code: 'spend_limit_exceeded', type: 'billing_error' } });
    expect(await doors.first.spent(key)).toBe(0);
    // All of it is free again.
    expect((await doors.first.chat(key, { model: 'openai/exact', max_tokens: 3000 })).status).toBe(200);
  });

  test('BILL-02 free models need no money and unpriced ones are refused, whatever is left', async () => {
    const { key, keyId } = await doors.first.account(0);
    await doors.limitKey(keyId, '0');
    expect((await doors.first.chat(key, { model: 'openai/gratis' })).status).toBe(200);
    expect(codeOf(await doors.first.chat(key, { model: 'openai/unpriced' }))).toBe('model_not_priced');
    expect(codeOf(await doors.first.chat(key, { model: 'openai/penny' }))).toBe('spend_limit_exceeded');
  });
});

describe('which refusal is heard', () => {
  test('AMB-17 AMB-46 BRK-13 breakers before money, then key, member, team and balance', async () => {
    const { key, orgId } = await doors.orgKey({});
    const limit = async (columns: Readonly<Record<'key' | 'member' | 'team', number | null>>): Promise<void> => {
      await doors.rows('update api_keys set spend_limit_nano_usd = $2 where account_id = $1', [orgId, columns.key]);
      await doors.rows('update org_members set monthly_budget_nano_usd = $2 where org_id = $1', [
        orgId,
        columns.member,
      ]);
      await doors.rows('update teams set monthly_budget_nano_usd = $2 where org_id = $1', [orgId, columns.team]);
      // After any change through the API the caller is loaded again.
      await doors.setBreaker(key, {});
    };
    const heard = async () => {
      const { body } = await doors.first.chat(key, { model: 'openai/quick' });
      return (body.error as Json | undefined)?.message ?? null;
    };
    await doors.setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.02 });
    expect(await heard()).toBeNull();
    await limit({ key: 0, member: 0, team: 0 });
    expect(await heard()).toBe('Spend circuit breaker tripped (scope: user, window: minute)');
    await doors.setBreaker(key, { cbEnabled: false });
    expect(await heard()).toMatch(/this key's total spend limit/);
    await limit({ key: null, member: 0, team: 0 });
    expect(await heard()).toMatch(/your monthly budget/);
    await limit({ key: null, member: 9e9, team: 0 });
    expect(await heard()).toMatch(/your team's monthly budget/);
    await limit({ key: null, member: 9e9, team: 9e9 });
    expect(await heard()).toBeNull();
  });

  test('BILL-15 a budget that comes in the middle of a month finds what was spent before it', async () => {
    const { key, orgId } = await doors.orgKey({});
    const call = async (door = doors.first) => codeOf(await door.chat(key, { model: 'openai/quick' }));
    expect([await call(), await call(doors.second)]).toEqual([null, null]);
    await doors.rows('update org_members set monthly_budget_nano_usd = 300000000 where org_id = $1', [orgId]);
    await doors.setBreaker(key, {});
    expect([await call(), await call(), await call(doors.second)]).toEqual([
      null,
      'budget_cap_reached',
      'budget_cap_reached',
    ]);
    doors.clock.set('2026-04-01T00:00:00Z');
    expect(await call()).toBeNull();
  });

  test('ERR-17 BILL-13 ERR-18 with room under every cap it is the credit line or the balance', async () => {
    const { first } = doors;
    const { userId, key, keyId } = await first.account(0);
    await doors.limitKey(keyId, '1');
    expect(codeOf(await first.chat(key, { model: 'openai/quick' }))).toBe('insufficient_credits');
    const org = await first.operate('POST', '/admin/v1/orgs', {
      name: crypto.randomUUID(),
      ownerUserId: userId,
      billingPlan: 'monthly',
      creditLineUsd: 0.25,
    });
    const made = await first.operate('POST', `/admin/v1/orgs/${org.id}/keys`, { name: 'test', userId });
    const call = async () => codeOf(await first.chat(String(made.key), { model: 'openai/quick' }));
    expect([await call(), await call(), await call()]).toEqual([null, null, 'credit_limit_exceeded']);
    expect(await doors.rows('select leased_nano_usd from spend_counters where scope_id = $1', [keyId])).toHaveLength(1);
  });
});
