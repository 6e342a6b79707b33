// Caps through the front door, on two gateways at once: what a key, a member, a team or a breaker may spend is spent and
// not one call more, and every refusal has its code.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, Harness, Json } from '../harness.ts';
import { SetClock } from './set-clock.ts';
import { type Gateways, startTwoGateways } from './two-gateways.ts';

let gateways: Gateways;
const clock = new SetClock('2026-03-10T12:00:00Z');

const flat = (request: string) => ({ pricing: { prompt: '0', completion: '0', request } });

beforeAll(async () => {
  gateways = await startTwoGateways({
    start: { clock },
    models: {
      'openai/dime': { commands: 'tokens-10-10+wait-50', entry: flat('0.1') },
      'openai/quick': { commands: 'tokens-10-10', entry: flat('0.1') },
      'openai/penny': { commands: 'tokens-10-10', entry: flat('0.01') },
      'openai/gratis': { commands: 'tokens-10-10', entry: { pricing: { prompt: '0', completion: '0' } } },
      'openai/unpriced': { entry: { pricing: undefined } },
      'openai/exact': { commands: 'tokens-1000-50' },
      'openai/long': { commands: 'tokens-10-9000+chunks-9000' },
      'openai/two-pennies': { commands: 'tokens-10-10', entry: flat('0.02') },
    },
  });
});

beforeEach(() => clock.set('2026-03-10T12:00:00Z'));

afterEach(async () => {
  expect(await gateways.first.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(async () => {
  await gateways.close();
});

const limitKey = (keyId: string, limitUsd: string | null, period: string | null = null) =>
  gateways.rows(
    'update api_keys set spend_limit_nano_usd = ($2::numeric * 1000000000)::bigint, spend_limit_period = $3 where id = $1',
    [keyId, limitUsd, period],
  );

const codeOf = (answer: Answer): unknown => (answer.body.error as Json | undefined)?.code ?? null;

/** 200 calls at once, spread over so many gateways; how many were served, and the codes of the rest. */
async function burst(
  doors: readonly Harness[],
  key: string,
  model: string,
): Promise<{ served: number; codes: Set<unknown> }> {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => doors[index % doors.length]!.chat(key, { model, max_tokens: 1 })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  return { served: answers.length - refused.length, codes: new Set(refused.map(codeOf)) };
}

const doors = (count: number): Harness[] => [gateways.first, gateways.second].slice(0, count);

async function orgKey(budgets: { member?: string; team?: string }): Promise<{ key: string; orgId: string }> {
  const { first, rows } = gateways;
  const { userId } = await first.account(0);
  const org = await first.operate('POST', '/admin/v1/orgs', { name: crypto.randomUUID(), ownerUserId: userId });
  const orgId = String(org.id);
  await first.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 100, note: 'test' });
  const key = await first.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'test', userId });
  const nano = (usd: string | undefined) => (usd === undefined ? null : `${Number(usd) * 1e9}`);
  const teamId = `tea-${orgId}`;
  await rows('insert into teams (id, org_id, name, monthly_budget_nano_usd) values ($1, $2, $3, $4)', [
    teamId,
    orgId,
    'one',
    nano(budgets.team),
  ]);
  await rows('update org_members set team_id = $2, monthly_budget_nano_usd = $3 where org_id = $1', [
    orgId,
    teamId,
    nano(budgets.member),
  ]);
  return { key: String(key.key), orgId };
}

describe('200 calls at once', () => {
  test.each([1, 2])('KEY-16 RACE-2 a key limit for ten calls is spent by ten: %i gateways', async (count) => {
    const { key, keyId } = await gateways.first.account(100);
    await limitKey(keyId, '1', 'daily');
    expect(await burst(doors(count), key, 'openai/dime')).toEqual({
      served: 10,
      codes: new Set(['spend_limit_exceeded']),
    });
    expect(await gateways.first.spent(key)).toBe(1);
  });

  test.each([1, 2])(
    'BILL-15 ERR-16 RACE-2 a member budget for ten calls is spent by ten: %i gateways',
    async (count) => {
      const { key } = await orgKey({ member: '1' });
      expect(await burst(doors(count), key, 'openai/dime')).toEqual({
        served: 10,
        codes: new Set(['budget_cap_reached']),
      });
      expect(await gateways.first.spent(key)).toBe(1);
    },
  );

  test.each([1, 2])('BILL-15 RACE-2 a team budget for ten calls is spent by ten: %i gateways', async (count) => {
    const { key } = await orgKey({ team: '1' });
    expect(await burst(doors(count), key, 'openai/dime')).toEqual({
      served: 10,
      codes: new Set(['budget_cap_reached']),
    });
    expect(await gateways.first.spent(key)).toBe(1);
  });

  test.each([1, 2])('BRK-11 RACE-2 a personal breaker lets ten calls through: %i gateways', async (count) => {
    const { key } = await gateways.first.account(100);
    await gateways.first.request('PATCH', '/v1/account/circuit-breaker', {
      key,
      body: { cbEnabled: true, cbHourlyUsd: 1 },
    });
    expect(await burst(doors(count), key, 'openai/dime')).toEqual({ served: 10, codes: new Set([429]) });
    expect(await gateways.first.spent(key)).toBe(1);
  });
});

const breakerPath = '/v1/account/circuit-breaker';

const setBreaker = (key: string, body: Json, door = gateways.first) =>
  door.request('PATCH', breakerPath, { key, body });

describe('a key with a limit', () => {
  test('ERR-19 KEY-16 BILL-17 the first call is served although it costs more than the limit, the second gets 402', async () => {
    const { key, keyId } = await gateways.first.account(5);
    await limitKey(keyId, '0.01', 'daily');
    const first = await gateways.first.chat(key, { model: 'openai/two-pennies' });
    expect(first.status).toBe(200);
    expect((first.body.usage as Json).cost).toBe(0.02);
    const second = await gateways.first.chat(key, { model: 'openai/two-pennies' });
    expect(second.status).toBe(402);
    expect(second.body).toMatchObject({ error: { code: 'spend_limit_exceeded', type: 'billing_error' } });
    expect(second.headers.get('x-ratelimit-limit')).toBeNull();
    expect(second.headers.get('x-should-retry')).toBe('false');
    expect((await gateways.second.chat(key, { model: 'openai/penny' })).status).toBe(402);
    expect(await gateways.first.spent(key)).toBe(0.02);
  });

  test.each([
    ['daily', '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00Z'],
    ['weekly', '2026-03-15T23:59:59.999Z', '2026-03-16T00:00:00Z'],
    ['monthly', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00Z'],
  ])('KEY-16 AMB-04 a %s limit holds until %s and is whole again at %s', async (period, last, next) => {
    clock.set(last);
    const { key, keyId } = await gateways.first.account(5);
    await limitKey(keyId, '0.2', period);
    const call = async () => codeOf(await gateways.first.chat(key, { model: 'openai/quick' }));
    expect([await call(), await call(), await call()]).toEqual([null, null, 'spend_limit_exceeded']);
    clock.set(next);
    expect([await call(), await call(), await call()]).toEqual([null, null, 'spend_limit_exceeded']);
  });

  test('AMB-04 a limit without a period never turns', async () => {
    const { key, keyId } = await gateways.first.account(5);
    await limitKey(keyId, '0.1');
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    clock.set('2031-01-01T00:00:00Z');
    expect(codeOf(await gateways.first.chat(key, { model: 'openai/quick' }))).toBe('spend_limit_exceeded');
  });

  test('KEY-16 what was spent before the limit was set counts, and so does a limit that is set again', async () => {
    const { userId, key, keyId } = await gateways.first.account(5);
    for (const _ of [1, 2, 3]) await gateways.first.chat(key, { model: 'openai/quick' });
    const set = async (limitUsd: string | null) => {
      await limitKey(keyId, limitUsd, 'month');
      // A change through the API is announced so.
      await gateways.first.operate('PATCH', `/admin/v1/users/${userId}`, { suspended: false });
    };
    await set('0.4');
    const call = async () => codeOf(await gateways.first.chat(key, { model: 'openai/quick' }));
    expect([await call(), await call()]).toEqual([null, 'spend_limit_exceeded']);
    await set(null);
    expect([await call(), await call()]).toEqual([null, null]);
    await set('0.7');
    expect([await call(), await call()]).toEqual([null, 'spend_limit_exceeded']);
  });

  test('BILL-02 STRM-10 a limit that is used up mid-stream ends the stream with its own code, unbilled', async () => {
    const { key, keyId } = await gateways.first.account(5);
    await limitKey(keyId, '0.009', 'daily');
    const { status, frames, isDone } = await gateways.first.stream(key, { model: 'openai/long' });
    expect(status).toBe(200);
    expect(isDone).toBe(true);
    expect(frames.at(-1)).toMatchObject({ error: { code: 'spend_limit_exceeded', type: 'billing_error' } });
    expect(await gateways.first.spent(key)).toBe(0);
    // All of it is free again.
    expect((await gateways.first.chat(key, { model: 'openai/exact', max_tokens: 3000 })).status).toBe(200);
  });

  test('BILL-02 free models need no money and unpriced ones are refused, whatever is left', async () => {
    const { key, keyId } = await gateways.first.account(0);
    await limitKey(keyId, '0');
    expect((await gateways.first.chat(key, { model: 'openai/gratis' })).status).toBe(200);
    expect(codeOf(await gateways.first.chat(key, { model: 'openai/unpriced' }))).toBe('model_not_priced');
    expect(codeOf(await gateways.first.chat(key, { model: 'openai/penny' }))).toBe('spend_limit_exceeded');
  });
});

describe('which refusal is heard', () => {
  test('AMB-17 AMB-46 BRK-13 breakers before money, then key, member, team and balance', async () => {
    const { key, orgId } = await orgKey({ member: '0', team: '0' });
    const { rows, first } = gateways;
    const nano = (column: string, table: string) =>
      rows(`update ${table} set ${column} = 9000000000 where ${table === 'api_keys' ? 'account_id' : 'org_id'} = $1`, [
        orgId,
      ]);
    await rows('update api_keys set spend_limit_nano_usd = 0 where account_id = $1', [orgId]);
    await setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.01 });
    const forget = () => setBreaker(key, { cbEnabled: false });
    const heard = async () => {
      const { body } = await first.chat(key, { model: 'openai/quick' });
      return (body.error as Json | undefined)?.message ?? null;
    };
    // The breaker is tripped by a call that costs nothing to the others yet.
    await rows('update api_keys set spend_limit_nano_usd = null where account_id = $1', [orgId]);
    await rows('update org_members set monthly_budget_nano_usd = null where org_id = $1', [orgId]);
    await rows('update teams set monthly_budget_nano_usd = null where org_id = $1', [orgId]);
    await setBreaker(key, { cbMinuteUsd: 0.02 });
    expect(await heard()).toBeNull();
    await rows('update api_keys set spend_limit_nano_usd = 0 where account_id = $1', [orgId]);
    await rows('update org_members set monthly_budget_nano_usd = 0 where org_id = $1', [orgId]);
    await rows('update teams set monthly_budget_nano_usd = 0 where org_id = $1', [orgId]);
    await setBreaker(key, { cbMinuteUsd: 0.03 });
    expect(await heard()).toBe('Spend circuit breaker tripped (scope: user, window: minute)');
    await forget();
    expect(await heard()).toMatch(/this key's total spend limit/);
    await nano('spend_limit_nano_usd', 'api_keys');
    await forget();
    expect(await heard()).toMatch(/your monthly budget/);
    await nano('monthly_budget_nano_usd', 'org_members');
    await forget();
    expect(await heard()).toMatch(/your team's monthly budget/);
    await nano('monthly_budget_nano_usd', 'teams');
    await forget();
    expect(await heard()).toBeNull();
  });

  test('ERR-17 BILL-13 ERR-18 with room under every cap it is the credit line or the balance', async () => {
    const { first, rows } = gateways;
    const { userId, key, keyId } = await first.account(0);
    await limitKey(keyId, '1');
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
    expect(await rows('select leased_nano_usd from spend_counters where scope_id = $1', [keyId])).toHaveLength(1);
  });
});

describe('the personal breaker', () => {
  test('BRK-02 BRK-04 BRK-10 by default it is off, at $5 a minute and $20 an hour', async () => {
    const { key } = await gateways.first.account(5);
    await gateways.first.chat(key, { model: 'openai/quick' });
    const { status, body } = await gateways.first.request('GET', breakerPath, { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      settings: { cbEnabled: null, cbMinuteUsd: null, cbHourlyUsd: null },
      resolvedSettings: { cbEnabled: false, cbMinuteUsd: 5, cbHourlyUsd: 20 },
      liveSpend: { minuteSpend: 0.1, hourSpend: 0.1 },
    });
  });

  test('BRK-10 any subset is changed, null takes the default again, and a management key may do it', async () => {
    const { userId, key } = await gateways.first.account(5);
    expect((await setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.015 })).body).toMatchObject({
      settings: { cbEnabled: true, cbMinuteUsd: 0.015, cbHourlyUsd: null },
      resolvedSettings: { cbEnabled: true, cbMinuteUsd: 0.015, cbHourlyUsd: 20 },
    });
    const made = await gateways.first.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'm',
      keyType: 'management',
    });
    const changed = await setBreaker(String(made.key), { cbMinuteUsd: null, cbHourlyUsd: 0.01 }, gateways.second);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      settings: { cbEnabled: true, cbMinuteUsd: null, cbHourlyUsd: 0.01 },
      resolvedSettings: { cbEnabled: true, cbMinuteUsd: 5, cbHourlyUsd: 0.01 },
    });
    expect((await setBreaker(key, {})).body).toEqual(changed.body);
  });

  test.each([
    [{ cbMinuteUsd: 0.009 }, 400],
    [{ cbHourlyUsd: -1 }, 400],
    [{ cbMinuteUsd: '5' }, 400],
    [{ cbMinuteUsd: 1e300 }, 400],
    [{ cbMinuteUsd: 0.0123456789 }, 400],
    [{ cbEnabled: 'yes' }, 400],
    [{ cbEnabled: 1 }, 400],
    [{ enabled: true }, 'unsupported_param'],
    [[], 400],
  ])('BRK-09 %j is refused and changes nothing', async (body, code) => {
    const { key } = await gateways.first.account(0);
    const answer = await gateways.first.request('PATCH', breakerPath, { key, body });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe(code);
    const { body: after } = await gateways.first.request('GET', breakerPath, { key });
    expect(after.settings).toEqual({ cbEnabled: null, cbMinuteUsd: null, cbHourlyUsd: null });
  });

  test('BRK-10 without a key there is nothing to see', async () => {
    expect((await gateways.first.request('GET', breakerPath)).status).toBe(401);
    expect((await gateways.first.request('PATCH', breakerPath, { body: {} })).status).toBe(401);
  });

  test('BRK-05 BRK-06 BRK-07 BRK-11 AMB-15 tripped for every key of the user until the minute turns', async () => {
    clock.set('2026-03-10T12:34:20.500Z');
    const { userId, key } = await gateways.first.account(5);
    const other = await gateways.first.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'other' });
    await setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.2 });
    const call = (with_: string, door = gateways.first) => door.chat(with_, { model: 'openai/quick' });
    expect([(await call(key)).status, (await call(String(other.key))).status]).toEqual([200, 200]);
    const refused = await call(String(other.key), gateways.second);
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: {
        message: 'Spend circuit breaker tripped (scope: user, window: minute)',
        type: 'rate_limit_error',
        code: 429,
      },
    });
    expect(refused.headers.get('retry-after')).toBe('40');
    expect(refused.headers.get('x-should-retry')).toBeNull();
    // One that costs nothing is stopped by what stops every call.
    expect((await gateways.first.chat(key, { model: 'openai/gratis' })).status).toBe(429);
    const { body } = await gateways.first.request('GET', breakerPath, { key });
    expect(body.liveSpend).toEqual({ minuteSpend: 0.2, hourSpend: 0.2 });
    clock.set('2026-03-10T12:34:59.999Z');
    expect((await call(key)).headers.get('retry-after')).toBe('1');
    clock.set('2026-03-10T12:35:00.000Z');
    expect((await call(key)).status).toBe(200);
  });

  test('BRK-05 BRK-06 BRK-07 the hour has a threshold of its own, and asks not to retry by itself', async () => {
    clock.set('2026-03-10T12:20:00Z');
    const { key } = await gateways.first.account(5);
    await setBreaker(key, { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    clock.set('2026-03-10T12:30:00Z');
    const refused = await gateways.first.chat(key, { model: 'openai/quick' });
    expect((refused.body.error as Json).message).toBe('Spend circuit breaker tripped (scope: user, window: hour)');
    expect(refused.headers.get('retry-after')).toBe('1800');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    clock.set('2026-03-10T13:00:00Z');
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
  });

  test('BRK-08 a change counts on the other gateway within seconds, what was spent before it included', async () => {
    const { key } = await gateways.first.account(5);
    for (const door of doors(2)) expect((await door.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await setBreaker(key, { cbEnabled: true, cbHourlyUsd: 0.2 });
    const status = async () => (await gateways.second.chat(key, { model: 'openai/gratis' })).status;
    await expect.poll(status, { timeout: 5_000 }).toBe(429);
    await setBreaker(key, { cbHourlyUsd: 1 });
    await expect.poll(status, { timeout: 5_000 }).toBe(200);
    await setBreaker(key, { cbHourlyUsd: 0.1 });
    await expect.poll(status, { timeout: 5_000 }).toBe(429);
    await setBreaker(key, { cbEnabled: false });
    await expect.poll(status, { timeout: 5_000 }).toBe(200);
  });
});

describe('the emergency brake', () => {
  const brake = (body: Json) => gateways.first.operate('PATCH', '/admin/v1/brake', body);

  afterEach(() => brake({ enabled: false, minuteUsd: null, hourUsd: null }));

  test('BRK-12 it is off until an operator sets it, and needs something to watch', async () => {
    expect(await gateways.first.operate('GET', '/admin/v1/brake')).toEqual({
      enabled: false,
      minuteUsd: null,
      hourUsd: null,
    });
    await expect(brake({ enabled: true })).rejects.toThrow('400');
    await expect(brake({ minuteUsd: -1 })).rejects.toThrow('400');
    await expect(brake({ minuteUsd: '5' })).rejects.toThrow('400');
    await expect(brake({ minutes: 5 })).rejects.toThrow('unsupported_param');
    expect((await gateways.first.request('GET', '/admin/v1/brake', { key: 'wrong' })).status).toBe(401);
    expect(await brake({ hourUsd: 12.5 })).toEqual({ enabled: false, minuteUsd: null, hourUsd: 12.5 });
    expect(await gateways.second.operate('GET', '/admin/v1/brake')).toMatchObject({ enabled: false });
  });

  test.each([
    ['minute', '30', '2026-04-01T10:00:59.999Z', '2026-04-01T10:01:00Z'],
    ['hour', '300', '2026-04-01T11:59:59.999Z', '2026-04-01T12:00:00Z'],
  ])(
    'BRK-12 AMB-15 spending of everybody in a %s trips it: 503, Retry-After %s',
    async (window, seconds, last, next) => {
      clock.set(last);
      await brake({ enabled: true, [`${window}Usd`]: 0.3 });
      const keys = await Promise.all([1, 2, 3].map(async () => (await gateways.first.account(5)).key));
      const call = (key: string, door: Harness) => door.chat(key, { model: 'openai/quick' });
      await expect
        .poll(async () => (await gateways.second.operate('GET', '/admin/v1/brake')).enabled, { timeout: 5_000 })
        .toBe(true);
      for (const key of keys) expect((await call(key, gateways.first)).status).toBe(200);
      for (const door of doors(2)) {
        const refused = await call(keys[0]!, door);
        expect(refused.status).toBe(503);
        expect(codeOf(refused)).toBe(503);
        expect(refused.headers.get('retry-after')).toBe(seconds);
        expect(refused.headers.get('x-should-retry')).toBe('false');
      }
      clock.set(next);
      expect((await call(keys[0]!, gateways.second)).status).toBe(200);
    },
  );

  test('BRK-12 what was spent before it was pulled counts, and a value of 0 stops everything', async () => {
    clock.set('2026-04-02T10:00:00Z');
    const { key } = await gateways.first.account(5);
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await brake({ enabled: true, hourUsd: 0.1 });
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(503);
    await brake({ hourUsd: 5 });
    expect((await gateways.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await brake({ minuteUsd: 0 });
    expect((await gateways.first.chat(key, { model: 'openai/gratis' })).status).toBe(503);
    await brake({ enabled: false });
    expect((await gateways.first.chat(key, { model: 'openai/gratis' })).status).toBe(200);
  });
});
