// Redis is killed under load and comes back empty: no call fails for it, and a limit that two gateways count together
// is at most doubled while each counts by itself.

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownShare } from '../../src/platform/redis/own-share.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import type { Json } from '../harness.ts';
import { countStatuses, Gateways, type Seen } from './gateways.ts';
import { isRedisMissing, RedisServer } from './redis-server.ts';

const LIMIT = 60;
const AT_ONCE = 8;
const MINUTE_MS = 60_000;

test('CRASH-4 what processes grant alone is at most twice the limit for a minute, and then no more than the limit', () => {
  for (const processCount of [1, 2, 3, 4, 8]) {
    for (const limit of [20, 60, 200]) {
      for (const counted of [0, 7, limit]) {
        // The process that counted last knows what was granted in Redis; the others may not.
        const early = { processCount, awayMs: 59_999 };
        const alone = ownShare(limit - counted, early) + (processCount - 1) * ownShare(limit, early);
        expect(counted + alone).toBeLessThanOrEqual(2 * limit + processCount);
      }
      const late = ownShare(limit, { processCount, awayMs: 60_000 });
      expect(processCount * late).toBeLessThanOrEqual(limit + processCount);
    }
  }
  // A client of one of two processes notices nothing at first.
  expect(ownShare(20, { processCount: 2, awayMs: 0 })).toBe(20);
  expect(ownShare(-3, { processCount: 2, awayMs: 0 })).toBe(0);
});

let redis: RedisServer;
let database: FreshDatabase;
let gateways: Gateways;

/** Not so close to the end of a minute that a test would meet two of them. */
async function awaitYoungMinute(): Promise<void> {
  const leftMs = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (leftMs < 20_000) await sleep(leftMs);
}

describe.skipIf(isRedisMissing)('two gateways', () => {
  beforeAll(async () => {
    redis = await RedisServer.start();
    database = await freshDatabase();
    gateways = await Gateways.start({
      databaseUrl: database.url,
      redisUrl: redis.url,
      count: 2,
      models: { 'openai/quick': { commands: 'tokens-10-10' }, 'openai/stream': { commands: 'chunks-5+delay-50' } },
      document: { limits: { free_requests_per_minute: LIMIT, paid_requests_per_minute: 100_000 } },
    });
  });

  afterAll(async () => {
    await gateways.close();
    await database.drop();
    await redis.kill();
  });

  const insist = (index: number, key: string, body: Json) => gateways.callUntilDecided(index, key, body);
  const quick = (index: number, key: string) => insist(index, key, { model: 'openai/quick' });
  /** A few at a time: a call that is repeated because the database is busy is counted again. */
  const burst = async (key: string, count: number, place: (index: number) => number = (index) => index) => {
    let next = 0;
    const answers: Seen[] = [];
    const client = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++) answers.push(await quick(place(index), key));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    return answers;
  };

  test('LIM-05 CRASH-4 Redis killed and started under load: nobody fails, and a limit is passed twofold at most', async () => {
    // Below $10 of balance the lower limit holds; the load has more.
    const [{ key: loadKey }, { key }] = [await gateways.account(100), await gateways.account(5)];
    const seen: Seen[] = [];
    let isOver = false;
    const client = async (place: number): Promise<void> => {
      for (let index = place; !isOver; index += 1) {
        const model = place % 2 === 0 ? 'openai/quick' : 'openai/stream';
        seen.push(await insist(index, loadKey, { model, stream: place % 2 === 1 }));
        await sleep(10);
      }
    };
    const load = Array.from({ length: 8 }, (_, place) => client(place));
    await awaitYoungMinute();
    const before = await burst(key, 20);
    expect(countStatuses(before)).toEqual({ 200: 20 });
    await redis.kill();
    const minute = Math.floor(Date.now() / MINUTE_MS);
    const alone = await burst(key, 3 * LIMIT);
    const granted = countStatuses([...before, ...alone])[200] ?? 0;
    expect(granted).toBeGreaterThanOrEqual(LIMIT);
    expect(granted).toBeLessThanOrEqual(2 * LIMIT);
    expect(Math.floor(Date.now() / MINUTE_MS), 'the test stayed within a minute').toBe(minute);
    await redis.start();
    const isReady = async (place: number): Promise<boolean> => {
      const page = await (await fetch(`${gateways.url(place)}/metrics`)).text();
      return /^tollgate_redis_ready 1$/m.test(page);
    };
    await expect.poll(() => Promise.all([isReady(0), isReady(1)])).toEqual([true, true]);
    const served = seen.length;
    await expect.poll(() => seen.length).toBeGreaterThan(served + 50);
    isOver = true;
    await Promise.all(load);
    expect(countStatuses(seen)).toEqual({ 200: seen.length });
    expect(seen.length).toBeGreaterThan(50);
    // Both count in Redis again.
    const { key: freshKey } = await gateways.account(5);
    await awaitYoungMinute();
    expect(countStatuses(await burst(freshKey, 2 * LIMIT))).toEqual({ 200: LIMIT, 429: LIMIT });
    expect(await gateways.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
      ok: true,
      heldReservations: 0,
    });
  });

  test('CRASH-4 with Redis hanging, a client of one gateway has its whole limit and waits for nothing', async () => {
    const { key } = await gateways.account(5);
    await awaitYoungMinute();
    redis.hang();
    const seen = await burst(key, LIMIT + 5, () => 0);
    redis.goOn();
    expect(countStatuses(seen)).toEqual({ 200: LIMIT, 429: 5 });
  });
});
