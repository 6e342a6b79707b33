// Notices between processes with Redis beside the database: they arrive when either of the two is there, and a process
// that may have missed one is told not to trust its caches.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Notices } from '../../src/platform/db/database.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openRedisNotices, standBesideRedis } from '../../src/platform/redis/redis-notices.ts';
import { openRedisParts, type RedisParts } from '../../src/wiring/redis.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { type DatabaseDoor, openDoor } from '../ledger/database-door.ts';
import { isRedisMissing, RedisServer } from './redis-server.ts';

const HASTE = 4;

/** Signs of life come more often and are forgotten sooner, so that the test need not wait. */
const hastyClock: Clock = {
  ...systemClock,
  monotonicMs: () => HASTE * systemClock.monotonicMs(),
  every: (intervalMs, run) => systemClock.every(intervalMs / HASTE, run),
};

type Process = Readonly<{ parts: RedisParts; notices: Notices; heard: string[]; gaps: () => number }>;

let server: RedisServer;
let fresh: FreshDatabase;
let door: DatabaseDoor;
const closers: (() => Promise<void>)[] = [];

async function openProcess(redisUrl = server.url): Promise<Process> {
  const parts = await openRedisParts({
    url: redisUrl,
    databaseUrl: fresh.url,
    secret: 'secret',
    clock: hastyClock,
    logger: silentLogger,
  });
  const database = await openNotices(door.url, silentLogger);
  const notices = await openRedisNotices(parts.bus, database, hastyClock, silentLogger);
  const heard: string[] = [];
  let gaps = 0;
  notices.subscribe('keys', (payload) => heard.push(payload));
  notices.onGap(() => {
    gaps += 1;
  });
  closers.push(async () => {
    await notices.close();
    await parts.close();
  });
  return { parts, notices, heard, gaps: () => gaps };
}

async function openTwo(): Promise<[Process, Process]> {
  const two: [Process, Process] = [await openProcess(), await openProcess()];
  await expect.poll(() => two.map(({ parts }) => parts.bus.processCount())).toEqual([2, 2]);
  return two;
}

describe.skipIf(isRedisMissing)('notices', () => {
  beforeAll(async () => {
    server = await RedisServer.start();
    fresh = await freshDatabase();
  });

  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
    await door.close();
  });

  afterAll(async () => {
    await fresh.drop();
    await server.kill();
  });

  test('AUTH-14 pass through Redis while the database is away', async () => {
    door = await openDoor(fresh.url);
    const [one, two] = await openTwo();
    await door.shut();
    const published = one.notices.publish('keys', 'a');
    await expect.poll(() => [one.heard, two.heard]).toEqual([['a'], ['a']]);
    await door.open();
    await published;
  });

  test('AUTH-14 pass through the database while Redis is away, with a gap before and after', async () => {
    door = await openDoor(fresh.url);
    const [one, two] = await openTwo();
    await server.kill();
    await expect.poll(() => two.parts.bus.isListening()).toBe(false);
    await one.notices.publish('keys', 'without Redis');
    await expect.poll(() => two.heard).toContain('without Redis');
    await expect.poll(() => Math.min(one.gaps(), two.gaps())).toBeGreaterThan(0);
    const before = [one.gaps(), two.gaps()];
    await server.start();
    await expect.poll(() => [one, two].every(({ gaps }, index) => gaps() > before[index]!)).toBe(true);
    await expect.poll(() => [one, two].every(({ parts }) => parts.bus.isListening())).toBe(true);
    await one.notices.publish('keys', 'with Redis');
    await expect.poll(() => two.heard).toContain('with Redis');
  });

  test('AUTH-14 reach a process that alone cannot hear Redis', async () => {
    door = await openDoor(fresh.url);
    const one = await openProcess();
    const deaf = await openProcess('redis://127.0.0.1:1');
    expect(deaf.parts.bus.isListening()).toBe(false);
    // Messages from before the others knew of the process are reported as a gap.
    await expect.poll(() => deaf.gaps()).toBeGreaterThan(0);
    await one.notices.publish('keys', 'for the deaf');
    await expect.poll(() => deaf.heard).toContain('for the deaf');
    await deaf.notices.publish('keys', 'by the deaf');
    await expect.poll(() => one.heard).toContain('by the deaf');
  });

  test('AUTH-14 reach a process that has no Redis at all', async () => {
    door = await openDoor(fresh.url);
    const one = await openProcess();
    const plain = await openNotices(door.url, silentLogger);
    closers.push(() => plain.close());
    await standBesideRedis(plain, silentLogger);
    const heard: string[] = [];
    plain.subscribe('keys', (payload) => heard.push(payload));
    // Longer than one sign is remembered: it is asked for again and again.
    for (let second = 0; second < 12; second += 1) {
      await systemClock.sleep(1_000 / HASTE);
      await one.notices.publish('keys', String(second));
    }
    await expect.poll(() => heard).toEqual(Array.from({ length: 12 }, (_, second) => String(second)));
  });

  test('a message that was lost on the way is told as a gap', async () => {
    door = await openDoor(fresh.url);
    const [one, two] = await openTwo();
    // Numbers 1 and 3 of a process that says nothing else.
    const namespace = String((await server.command('pubsub', 'channels')) as string[]);
    for (const message of ['stranger 1 keys:x', 'stranger 3 keys:y'])
      await server.command('publish', namespace, message);
    await expect.poll(() => two.heard).toEqual(['x', 'y']);
    expect([one.gaps(), two.gaps()]).toEqual([1, 1]);
    // A message that may be lost has no number of its own, but shows that an earlier one was lost.
    await server.command('publish', namespace, 'stranger 3 ~here:');
    await server.command('publish', namespace, 'stranger 4 ~here:');
    await expect.poll(() => two.gaps()).toBe(2);
  });

  test('processes know how many they are, also of those that left and those that vanished', async () => {
    door = await openDoor(fresh.url);
    const [one, two] = await openTwo();
    await two.parts.bus.close();
    await expect.poll(() => one.parts.bus.processCount()).toBe(1);
    const [channel = ''] = (await server.command('pubsub', 'channels')) as string[];
    await server.command('publish', channel, 'vanishing 0 ~here:');
    await expect.poll(() => one.parts.bus.processCount()).toBe(2);
    await expect.poll(() => one.parts.bus.processCount()).toBe(1);
  });
});
