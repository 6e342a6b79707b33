// Limits that several processes count together: exact while Redis is there, at most doubled when it is not, and right
// again when it is back, empty or not.

import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createRedisLimits } from '../../src/modules/edu/redis-limits.ts';
import type { FreeTake } from '../../src/modules/free-tier/free-quota.ts';
import { createRedisQuota } from '../../src/modules/free-tier/redis-quota.ts';
import type { RateDecision, RateLimiter } from '../../src/modules/limits/rate-limit.ts';
import { createRedisRateLimiter } from '../../src/modules/limits/redis-rate-limit.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openRedisParts, type RedisParts } from '../../src/wiring/redis.ts';
import { SetClock } from '../caps/set-clock.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { isRedisMissing, RedisServer } from './redis-server.ts';

const START = '2026-03-10T12:00:00Z';

let server: RedisServer;
let fresh: FreshDatabase;
let database: Database;
const opened: RedisParts[] = [];

const clock = new SetClock(START);

/**
 * On a busy machine a healthy Redis may be late; a process that decides alone for that reason cannot show anything
 * here.
 */
const PATIENT_MS = 10_000;

/** As far as Redis can tell, another process. */
async function openProcess(patience: { scriptDeadlineMs?: number }): Promise<RedisParts> {
  const input = { url: server.url, databaseUrl: 'postgres://host/test', secret: 'secret', clock, logger: silentLogger };
  const parts = await openRedisParts({ ...input, ...patience });
  opened.push(parts);
  return parts;
}

async function openTwo(
  patience: { scriptDeadlineMs?: number } = { scriptDeadlineMs: PATIENT_MS },
): Promise<[RedisParts, RedisParts]> {
  const two: [RedisParts, RedisParts] = [await openProcess(patience), await openProcess(patience)];
  await expect.poll(() => two.map(({ bus }) => bus.processCount())).toEqual([2, 2]);
  return two;
}

const untilReady = (all: readonly RedisParts[]) =>
  expect.poll(() => all.map(({ redis }) => redis.state())).toEqual(all.map(() => 'ready'));
const untilAway = (all: readonly RedisParts[]) =>
  expect.poll(() => all.map(({ redis }) => redis.state())).toEqual(all.map(() => 'away'));

const limiterOf = (parts: RedisParts): RateLimiter =>
  createRedisRateLimiter({ name: 'calls', ...parts, clock, hasPenalty: true });

async function takeMany(limiters: readonly RateLimiter[], count: number, subject: string, limit: number) {
  const decisions: RateDecision[] = [];
  for (let index = 0; index < count; index += 1) {
    decisions.push(await limiters[index % limiters.length]!.take(subject, limit));
  }
  return decisions;
}

const allowed = (decisions: readonly RateDecision[]) => decisions.filter(({ outcome }) => outcome === 'allowed').length;

describe.skipIf(isRedisMissing)('with a Redis server', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    fresh = await freshDatabase();
    database = openDatabase(fresh.url, silentLogger);
  });

  afterEach(async () => {
    clock.set(START);
    server.goOn();
    await Promise.all(opened.splice(0).map((parts) => parts.close()));
  });

  afterAll(async () => {
    await database.close();
    await fresh.drop();
    await server.kill();
  });

  test('LIM-05 RACE-2 two processes grant a minute exactly once, however many ask at once', async () => {
    const limiters = (await openTwo()).map(limiterOf);
    const user = crypto.randomUUID();
    const decisions = await Promise.all(Array.from({ length: 200 }, (_, index) => limiters[index % 2]!.take(user, 20)));
    expect(allowed(decisions)).toBe(20);
    expect(decisions[0]).toMatchObject({ outcome: 'allowed', limit: 20, remaining: 19, retryAfterSeconds: 0 });
    clock.set('2026-03-10T12:01:00Z');
    const [next] = await takeMany(limiters, 1, crypto.randomUUID(), 20);
    expect(next).toMatchObject({
      outcome: 'allowed',
      remaining: 19,
      resetAtSeconds: Date.parse('2026-03-10T12:02:00Z') / 1000,
    });
  });

  test('LIM-06 refusals by two processes add up to one block, which both know', async () => {
    const limiters = (await openTwo()).map(limiterOf);
    const user = crypto.randomUUID();
    const decisions = await takeMany(limiters, 8, user, 1);
    expect(decisions.map(({ outcome }) => outcome)).toEqual([
      'allowed',
      ...Array.from({ length: 5 }, () => 'exceeded'),
      'penalized',
      'penalized',
    ]);
    expect(decisions[1]).toMatchObject({ retryAfterSeconds: 60, remaining: 0 });
    expect(decisions[7]).toMatchObject({ retryAfterSeconds: 300 });
    clock.set('2026-03-10T12:05:00Z');
    expect((await takeMany(limiters, 2, user, 1)).map(({ outcome }) => outcome)).toEqual(['allowed', 'exceeded']);
  });

  test('CRASH-4 FLUSHALL forgets no count and no block of those who were told', async () => {
    const limiters = (await openTwo()).map(limiterOf);
    const [user, offender] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(allowed(await takeMany(limiters, 16, user, 20))).toBe(16);
    await takeMany(limiters, 8, offender, 1);
    await server.command('flushall');
    // The process that was told last knows best; the other may lack the calls in between.
    expect([4, 5]).toContain(allowed(await takeMany(limiters, 20, user, 20)));
    expect((await takeMany(limiters, 1, offender, 1))[0]).toMatchObject({ outcome: 'penalized' });
  });

  test('CRASH-4 with Redis killed, calls are granted at once, at most twofold, and are counted when it is back', async () => {
    const two = await openTwo();
    const limiters = two.map(limiterOf);
    const [user, spread] = [crypto.randomUUID(), crypto.randomUUID()];
    expect(allowed(await takeMany([limiters[0]!], 12, user, 20))).toBe(12);
    await server.kill();
    await untilAway(two);
    // A client that stays with the process that counted notices nothing.
    expect(allowed(await takeMany([limiters[0]!], 20, user, 20))).toBe(8);
    const elsewhere = allowed(await takeMany([limiters[1]!], 60, user, 20));
    expect(elsewhere).toBe(20);
    // A new minute, and the whole limit for a client that is with one process only.
    clock.set('2026-03-10T12:01:00Z');
    const [first, second] = [
      allowed(await takeMany([limiters[0]!], 40, spread, 20)),
      allowed(await takeMany([limiters[1]!], 40, spread, 20)),
    ];
    expect(first).toBe(20);
    expect(first + second).toBeLessThanOrEqual(40);
    const late = crypto.randomUUID();
    expect(allowed(await takeMany(limiters, 10, late, 20))).toBe(10);
    await server.start();
    await untilReady(two);
    expect(allowed(await takeMany(limiters, 30, late, 20))).toBe(10);
  });

  test('CRASH-4 an outage that lasts leaves each process its even share', async () => {
    const two = await openTwo();
    const outage = { awayMs: () => 60_000, state: () => 'away' as const };
    const shareOf = (room: number) => Math.ceil(room / two[0].bus.processCount());
    const limiter = createRedisRateLimiter({
      name: 'calls',
      redis: { ...two[0].redis, ...outage },
      shareOf,
      clock,
      hasPenalty: false,
    });
    expect(allowed(await takeMany([limiter], 40, crypto.randomUUID(), 21))).toBe(11);
  });

  test('CRASH-4 a Redis that hangs delays a few calls by its deadline and then nobody', async () => {
    const [one] = await openTwo({});
    const limiter = limiterOf(one);
    const user = crypto.randomUUID();
    await limiter.take(user, 1_000);
    server.hang();
    let asked = 0;
    const run = one.redis.run.bind(one.redis);
    vi.spyOn(one.redis, 'run').mockImplementation((call) => {
      if (one.redis.state() === 'ready') asked += 1;
      return run(call);
    });
    expect(allowed(await takeMany([limiter], 300, user, 1_000))).toBe(300);
    expect(asked).toBeLessThan(10);
    expect(one.redis.state()).toBe('away');
    server.goOn();
    await untilReady([one]);
    // Late answers have told what was counted there: nothing counts twice.
    await expect.poll(async () => (await limiter.take(user, 1_000)).remaining).toBeGreaterThan(600);
    const { remaining } = await limiter.take(user, 1_000);
    expect(remaining).toBeLessThanOrEqual(1_000 - 302);
  });

  test('EDU-04 CRASH-4 limits over a sliding span are one for two processes, and at most two when Redis is away', async () => {
    const two = await openTwo();
    const limits = two.map((parts) => createRedisLimits({ ...parts, clock }));
    const source = crypto.randomUUID();
    const takeAll = async (count: number) => {
      const waits: number[] = [];
      for (let index = 0; index < count; index += 1)
        waits.push(await limits[index % 2]!.take('request-source', source));
      return waits;
    };
    expect(await takeAll(6)).toEqual(Array(6).fill(0));
    clock.set('2026-03-10T12:05:00Z');
    expect(await takeAll(6)).toEqual([0, 0, 0, 0, 600, 600]);
    clock.set('2026-03-10T12:15:00Z');
    expect((await takeAll(8)).filter((wait) => wait === 0)).toHaveLength(6);
    await server.kill();
    await untilAway(two);
    clock.set('2026-03-10T13:00:00Z');
    const alone = (await takeAll(60)).filter((wait) => wait === 0).length;
    expect(alone).toBeGreaterThanOrEqual(10);
    expect(alone).toBeLessThanOrEqual(20);
    await server.start();
  });

  const LIMIT = { requestsPerMinute: 10, unitsPerDay: 12 };
  const takeOf = (subject: string, changes: Partial<FreeTake> = {}): FreeTake => ({
    subject,
    units: 1,
    models: [{ modelId: 'm', ...LIMIT }],
    address: null,
    ...changes,
  });
  const quotaOf = (parts: RedisParts) => createRedisQuota({ ...parts, database, clock, logger: silentLogger });
  /** The record of a call that took this much of the quota. */
  const insertUsage = (subject: string, units: number) =>
    database.query(
      {
        name: 'test_scale_usage',
        text: `insert into generations (id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model,
                 upstream_status, is_stream, is_failover, created_at, duration_ms, prompt_tokens, completion_tokens,
                 cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens,
                 subtotal_nano_usd, cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, attempts, free_units)
               values ('gen-' || gen_random_uuid(), $1, $2, 'key', 'chat', 'm', 'p', 'm', 200, false, false,
                 '2026-03-10T11:00:00Z', 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, $3)`,
      },
      [...subject.split(' '), units],
    );
  const newSubject = (): string => `${crypto.randomUUID()} ${crypto.randomUUID()}`;

  /** On a busy machine there may be no connection to the database in time; nothing was decided then. */
  const decided = async <Decision>(take: () => Decision | Promise<Decision>): Promise<Decision> => {
    try {
      return await take();
    } catch (error) {
      if ((error as { code?: string }).code !== 'http_503') throw error;
      return decided(take);
    }
  };

  test('FREE-02 RACE-2 two processes give a free quota away exactly once, and what was used before counts', async () => {
    const quotas = (await openTwo()).map(quotaOf);
    const subject = newSubject();
    await insertUsage(subject, 7);
    const decisions = await Promise.all(
      Array.from({ length: 100 }, (_, index) => decided(() => quotas[index % 2]!.take(takeOf(subject)))),
    );
    const granted = decisions.filter(({ outcome }) => outcome === 'granted');
    expect(granted).toHaveLength(5);
    expect(decisions.at(-1)).toMatchObject({ outcome: 'refused', by: 'model', window: 'daily', passedOver: ['daily'] });
  });

  test('FREE-04 FREE-10 AUTO-09 minute, day, address and returns are decided as one process decides them', async () => {
    const quotas = (await openTwo()).map(quotaOf);
    const subject = newSubject();
    const address = { name: `192.0.2.${Math.floor(Math.random() * 1e9)}`, requestsPerMinute: 5, unitsPerDay: 8 };
    const models = [
      { modelId: 'm', requestsPerMinute: 2, unitsPerDay: 12 },
      { modelId: 'n', ...LIMIT },
    ];
    const take = (index: number, changes: Partial<FreeTake> = {}) =>
      quotas[index % 2]!.take(takeOf(subject, { models, address, ...changes }));
    const decisions = [];
    for (let index = 0; index < 4; index += 1) decisions.push(await take(index));
    expect(decisions.map((decision) => decision.outcome === 'granted' && decision.grant.modelId)).toEqual([
      'm',
      'm',
      'n',
      'n',
    ]);
    expect(decisions[2]).toMatchObject({ passedOver: ['rpm'], grant: { addressName: address.name, units: 1 } });
    // Four units and four requests of the address are gone: five units are too many, and a sixth request too.
    expect(await take(0, { units: 5 })).toMatchObject({
      outcome: 'refused',
      by: 'address',
      window: 'daily',
      passedOver: [],
    });
    const last = await take(1);
    expect(last.outcome).toBe('granted');
    expect(await take(0)).toMatchObject({ outcome: 'refused', by: 'address', window: 'rpm', retryAfterSeconds: 60 });
    if (last.outcome === 'granted') quotas[0]!.giveBack(last.grant);
    await expect.poll(async () => (await take(0)).outcome).toBe('granted');
  });

  test('CRASH-4 FLUSHALL gives no day of free calls away again', async () => {
    const quotas = (await openTwo()).map(quotaOf);
    const subject = newSubject();
    for (let index = 0; index < 6; index += 1) await quotas[index % 2]!.take(takeOf(subject));
    // The records of four of them have been written.
    await insertUsage(subject, 4);
    await server.command('flushall');
    clock.set('2026-03-10T12:01:00Z');
    const decisions = [];
    for (let index = 0; index < 14; index += 1) decisions.push(await quotas[index % 2]!.take(takeOf(subject)));
    expect(decisions.filter(({ outcome }) => outcome === 'granted')).toHaveLength(8);
  });

  test('CRASH-4 with Redis away free quotas are granted from the books, and Redis learns of it', async () => {
    const two = await openTwo();
    const quotas = two.map(quotaOf);
    const subject = newSubject();
    for (let index = 0; index < 6; index += 1) await quotas[0]!.take(takeOf(subject));
    await insertUsage(subject, 6);
    await server.kill();
    await untilAway(two);
    clock.set('2026-03-10T12:01:00Z');
    const alone = [];
    for (let index = 0; index < 8; index += 1) alone.push(await quotas[1]!.take(takeOf(subject)));
    expect(alone.map(({ outcome }) => outcome)).toEqual([...Array(6).fill('granted'), 'refused', 'refused']);
    await insertUsage(subject, 6);
    await server.start();
    await untilReady(two);
    for (const quota of quotas) expect(await quota.take(takeOf(subject))).toMatchObject({ outcome: 'refused' });
  });
});
