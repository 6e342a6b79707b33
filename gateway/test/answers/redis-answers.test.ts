// How much of Redis the cache of answers takes: for one account, for accounts that never had credit, and for all.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRedisAnswers } from '../../src/modules/answers/redis-answers.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openRedisParts, type RedisParts } from '../../src/wiring/redis.ts';
import { isRedisMissing, RedisServer } from '../scale/redis-server.ts';

const KIB = 1024;
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
/** An account has an eighth of it, or a sixty-fourth before its first credit. */
const BYTES_MAX = 64 * 64 * KIB;

let server: RedisServer;
let parts: RedisParts;
let nowMs: number;
let answers = 0;

beforeAll(async () => {
  if (!isRedisMissing) server = await RedisServer.start();
});
beforeEach(async () => {
  await server.command('flushall');
  nowMs = systemClock.nowMs();
  const given = { url: server.url, databaseUrl: 'postgres://x/test', secret: 'secret' };
  parts = await openRedisParts({ ...given, clock: systemClock, logger: silentLogger });
});
afterEach(() => parts.close());
afterAll(() => server?.kill());

/** One process of several, whose clocks agree. */
const process = () =>
  createRedisAnswers({
    redis: parts.redis,
    clock: { ...systemClock, nowMs: () => nowMs },
    bytesMax: BYTES_MAX,
    hasHadCredit: async (accountId) => !accountId.startsWith('new'),
  });

/** Sealed bytes become a third more as text; with what an answer takes beside them each of these is 16 KiB. */
const SEALED = Buffer.alloc(((16 * KIB - 256) / 4) * 3);

async function keep(accountId: string, count: number, ttlSeconds = DAY_SECONDS): Promise<void> {
  const processes = [process(), process()];
  for (let index = 0; index < count; index += 1) {
    answers += 1;
    const answer = { accountId, digest: `digest-${answers}`, sealed: SEALED, ttlSeconds };
    await processes[index % 2]?.keep(answer);
  }
}

const kept = async (): Promise<number> => ((await server.command('keys', '*:answer:*')) as unknown[]).length;

describe.skipIf(isRedisMissing)('answers in Redis', () => {
  test('DOS-1 an account has its share, through however many processes and hours', async () => {
    await keep('account', 40);
    expect(await kept()).toBe(32);
    nowMs += 2 * HOUR_MS;
    await keep('account', 4);
    expect(await kept()).toBe(32);
    await keep('other', 1);
    expect(await kept()).toBe(33);
  });

  test('what has expired makes room', async () => {
    await keep('account', 32, 60);
    nowMs += HOUR_MS + 60_000;
    await keep('account', 1);
    expect(await kept()).toBe(33);
  });

  test('DOS-1 before its first credit an account has an eighth of that, and all such accounts half of the whole', async () => {
    await keep('new', 10);
    expect(await kept()).toBe(4);
    for (let account = 1; account < 40; account += 1) await keep(`new-${account}`, 4);
    expect(await kept()).toBe(128);
    for (let account = 0; account < 10; account += 1) await keep(`account-${account}`, 32);
    expect(await kept()).toBe(256);
  });
});
