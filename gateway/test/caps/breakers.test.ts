// The personal breaker and the emergency brake through the front door: their settings, their trips, their recovery, and
// that every gateway follows.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Harness, Json } from '../harness.ts';
import { breakerPath, codeOf, FrontDoors, START } from './front-doors.ts';

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

describe('the personal breaker', () => {
  test('BRK-02 BRK-04 BRK-10 by default it is off, at $5 a minute and $20 an hour', async () => {
    const { key } = await doors.first.account(5);
    await doors.first.chat(key, { model: 'openai/quick' });
    const { status, body } = await doors.first.request('GET', breakerPath, { key });
    expect(status).toBe(200);
    expect(body).toEqual({
      settings: { cbEnabled: null, cbMinuteUsd: null, cbHourlyUsd: null },
      resolvedSettings: { cbEnabled: false, cbMinuteUsd: 5, cbHourlyUsd: 20 },
      liveSpend: { minuteSpend: 0.1, hourSpend: 0.1 },
    });
  });

  test('BRK-10 any subset is changed, null takes the default again, and a management key may do it', async () => {
    const { userId, key } = await doors.first.account(5);
    expect((await doors.setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.015 })).body).toMatchObject({
      settings: { cbEnabled: true, cbMinuteUsd: 0.015, cbHourlyUsd: null },
      resolvedSettings: { cbEnabled: true, cbMinuteUsd: 0.015, cbHourlyUsd: 20 },
    });
    const made = await doors.first.operate('POST', `/admin/v1/users/${userId}/keys`, {
      name: 'm',
      keyType: 'management',
    });
    const changed = await doors.setBreaker(String(made.key), { cbMinuteUsd: null, cbHourlyUsd: 0.01 }, doors.second);
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      settings: { cbEnabled: true, cbMinuteUsd: null, cbHourlyUsd: 0.01 },
      resolvedSettings: { cbEnabled: true, cbMinuteUsd: 5, cbHourlyUsd: 0.01 },
    });
    expect((await doors.setBreaker(key, {})).body).toEqual(changed.body);
  });

  test.each([
    [{ cbMinuteUsd: 0.009 }, 400],
    [{ cbHourlyUsd: -1 }, 400],
    [{ cbMinuteUsd: '5' }, 400],
    [{ cbMinuteUsd: 1e300 }, 400],
    [{ cbEnabled: 'yes' }, 400],
    [{ cbEnabled: 1 }, 400],
    [[], 400],
  ])('BRK-09 %j is refused and changes nothing', async (body, code) => {
    const { key } = await doors.first.account(0);
    const answer = await doors.first.request('PATCH', breakerPath, { key, body });
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe(code);
    const { body: after } = await doors.first.request('GET', breakerPath, { key });
    expect(after.settings).toEqual({ cbEnabled: null, cbMinuteUsd: null, cbHourlyUsd: null });
  });

  test('BRK-10 without a key there is nothing to see', async () => {
    expect((await doors.first.request('GET', breakerPath)).status).toBe(401);
    expect((await doors.first.request('PATCH', breakerPath, { body: {} })).status).toBe(401);
  });

  test('BRK-05 BRK-06 BRK-07 BRK-11 AMB-15 tripped for every key of the user until the minute turns', async () => {
    doors.clock.set('2026-03-10T12:34:20.500Z');
    const { userId, key } = await doors.first.account(5);
    const other = await doors.first.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'other' });
    await doors.setBreaker(key, { cbEnabled: true, cbMinuteUsd: 0.2 });
    const call = (with_: string, door = doors.first) => door.chat(with_, { model: 'openai/quick' });
    expect([(await call(key)).status, (await call(String(other.key))).status]).toEqual([200, 200]);
    const refused = await call(String(other.key), doors.second);
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
    // A call that costs nothing is stopped by whatever stops every call.
    expect((await doors.first.chat(key, { model: 'openai/gratis' })).status).toBe(429);
    const { body } = await doors.first.request('GET', breakerPath, { key });
    expect(body.liveSpend).toEqual({ minuteSpend: 0.2, hourSpend: 0.2 });
    doors.clock.set('2026-03-10T12:34:59.999Z');
    expect((await call(key)).headers.get('retry-after')).toBe('1');
    doors.clock.set('2026-03-10T12:35:00.000Z');
    expect((await call(key)).status).toBe(200);
  });

  test('BRK-05 BRK-06 BRK-07 the hour has a threshold of its own, and asks not to retry by itself', async () => {
    doors.clock.set('2026-03-10T12:20:00Z');
    const { key } = await doors.first.account(5);
    await doors.setBreaker(key, { cbEnabled: true, cbHourlyUsd: 0.1 });
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    doors.clock.set('2026-03-10T12:30:00Z');
    const refused = await doors.first.chat(key, { model: 'openai/quick' });
    expect((refused.body.error as Json).message).toBe('Spend circuit breaker tripped (scope: user, window: hour)');
    expect(refused.headers.get('retry-after')).toBe('1800');
    expect(refused.headers.get('x-should-retry')).toBe('false');
    doors.clock.set('2026-03-10T13:00:00Z');
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
  });

  test('BRK-08 a change counts on the other gateway within seconds, what was spent before it included', async () => {
    const { key } = await doors.first.account(5);
    for (const door of doors.take(2)) expect((await door.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await doors.setBreaker(key, { cbEnabled: true, cbHourlyUsd: 0.2 });
    const status = async () => (await doors.second.chat(key, { model: 'openai/gratis' })).status;
    await expect.poll(status).toBe(429);
    await doors.setBreaker(key, { cbHourlyUsd: 1 });
    await expect.poll(status).toBe(200);
    await doors.setBreaker(key, { cbHourlyUsd: 0.1 });
    await expect.poll(status).toBe(429);
    await doors.setBreaker(key, { cbEnabled: false });
    await expect.poll(status).toBe(200);
  });
});

describe('the emergency brake', () => {
  const brake = (body: Json) => doors.first.operate('PATCH', '/admin/v1/brake', body);

  afterEach(() => brake({ enabled: false, minuteUsd: null, hourUsd: null }));

  test('BRK-12 it is off until an operator sets it, and needs something to watch', async () => {
    expect(await doors.first.operate('GET', '/admin/v1/brake')).toEqual({
      enabled: false,
      minuteUsd: null,
      hourUsd: null,
    });
    await expect(brake({ enabled: true })).rejects.toThrow('400');
    await expect(brake({ minuteUsd: -1 })).rejects.toThrow('400');
    await expect(brake({ minuteUsd: '5' })).rejects.toThrow('400');
    expect(await brake({ minutes: 5 })).toMatchObject({ enabled: false });
    expect((await doors.first.request('GET', '/admin/v1/brake', { key: 'wrong' })).status).toBe(401);
    expect(await brake({ hourUsd: 12.5 })).toEqual({ enabled: false, minuteUsd: null, hourUsd: 12.5 });
    expect(await doors.second.operate('GET', '/admin/v1/brake')).toMatchObject({ enabled: false });
  });

  test.each([
    ['minute', '30', '2026-04-01T10:00:59.999Z', '2026-04-01T10:01:00Z'],
    ['hour', '300', '2026-04-01T11:59:59.999Z', '2026-04-01T12:00:00Z'],
  ])(
    'BRK-12 AMB-15 spending of everybody in a %s trips it: 503, Retry-After %s',
    async (window, seconds, last, next) => {
      doors.clock.set(last);
      await brake({ enabled: true, [`${window}Usd`]: 0.3 });
      const keys = await Promise.all([1, 2, 3].map(async () => (await doors.first.account(5)).key));
      const call = (key: string, door: Harness) => door.chat(key, { model: 'openai/quick' });
      await expect.poll(async () => (await doors.second.operate('GET', '/admin/v1/brake')).enabled).toBe(true);
      for (const key of keys) expect((await call(key, doors.first)).status).toBe(200);
      for (const door of doors.take(2)) {
        const refused = await call(keys[0]!, door);
        expect(refused.status).toBe(503);
        expect(codeOf(refused)).toBe(503);
        expect(refused.headers.get('retry-after')).toBe(seconds);
        expect(refused.headers.get('x-should-retry')).toBe('false');
      }
      doors.clock.set(next);
      expect((await call(keys[0]!, doors.second)).status).toBe(200);
    },
  );

  test('BRK-12 what was spent before it was pulled counts, and a value of 0 stops everything', async () => {
    doors.clock.set('2026-04-02T10:00:00Z');
    const { key } = await doors.first.account(5);
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await brake({ enabled: true, hourUsd: 0.1 });
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(503);
    await brake({ hourUsd: 5 });
    expect((await doors.first.chat(key, { model: 'openai/quick' })).status).toBe(200);
    await brake({ minuteUsd: 0 });
    expect((await doors.first.chat(key, { model: 'openai/gratis' })).status).toBe(503);
    await brake({ enabled: false });
    expect((await doors.first.chat(key, { model: 'openai/gratis' })).status).toBe(200);
  });
});
