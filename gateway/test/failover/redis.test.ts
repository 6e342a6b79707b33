// Redis as it is run in practice: behind Sentinel, with replicas, and sometimes at a wrong address. And one clock for
// all processes.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RateLimiter } from '../../src/modules/limits/rate-limit.ts';
import { createRedisRateLimiter } from '../../src/modules/limits/redis-rate-limit.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { followDatabase } from '../../src/platform/db/database-clock.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import type { Logger } from '../../src/platform/logger.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openRedisParts, type RedisParts } from '../../src/wiring/redis.ts';
import { freshDatabase } from '../database.ts';
import { isRedisMissing, RedisServer } from '../scale/redis-server.ts';
import { freePort, programOf, until } from './programs.ts';

describe.skipIf(isRedisMissing)('with Redis', () => {
  let primary: RedisServer;
  let replica: RedisServer;
  let sentinel: ChildProcess;
  let sentinelPort: number;
  let folder: string;
  const opened: RedisParts[] = [];

  beforeAll(async () => {
    primary = await RedisServer.start();
    replica = await RedisServer.start();
    await replica.command('replicaof', '127.0.0.1', new URL(primary.url).port);
    await until('the replica follows', async () =>
      String(await primary.command('info', 'replication')).includes('online'),
    );
    folder = await mkdtemp(join(tmpdir(), 'tollgate-sentinel-'));
    sentinelPort = await freePort();
    const file = join(folder, 'sentinel.conf');
    const settings = `port ${sentinelPort}
bind 127.0.0.1
dir ${folder}
sentinel monitor main 127.0.0.1 ${new URL(primary.url).port} 1
sentinel down-after-milliseconds main 500
sentinel failover-timeout main 5000
`;
    await writeFile(file, settings);
    sentinel = spawn(programOf('redis-server'), [file, '--sentinel'], { stdio: 'ignore', cwd: folder });
    const asked = new RedisServer(sentinelPort);
    await until('Sentinel knows the replica', async () =>
      String(await asked.command('sentinel', 'replicas', 'main')).includes(new URL(replica.url).port),
    );
  });

  afterAll(async () => {
    await Promise.all(opened.map((parts) => parts.close()));
    sentinel?.kill('SIGKILL');
    await primary?.kill();
    await replica?.kill();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function open(url: string, logger: Logger = silentLogger): Promise<RedisParts> {
    const input = { url, databaseUrl: 'postgres://host/test', secret: 'secret', clock: systemClock, logger };
    const parts = await openRedisParts(input);
    opened.push(parts);
    return parts;
  }

  const limiterOf = (parts: RedisParts, clock: Clock = systemClock) =>
    createRedisRateLimiter({ name: crypto.randomUUID(), ...parts, clock, hasPenalty: false });

  test.each(['a replica that takes no writes', "Sentinel's own port"])(
    '%s counts as away, and is logged',
    async (what) => {
      const errors: string[] = [];
      const logger = { ...silentLogger, error: (_: object, message: string) => void errors.push(message) };
      const parts = await open(what.startsWith('a') ? replica.url : `redis://127.0.0.1:${sentinelPort}`, logger);
      expect(parts.redis.state()).toBe('away');
      expect(errors).toEqual(['Redis answers with an error; each process counts by itself']);
      const limiter = limiterOf(parts);
      const decisions = await Promise.all(Array.from({ length: 10 }, () => limiter.take('user', 4)));
      expect(decisions.filter(({ outcome }) => outcome === 'allowed')).toHaveLength(4);
    },
  );

  test('a gateway whose clock is ten minutes ahead grants nothing twice: windows follow the database', async () => {
    const fresh = await freshDatabase();
    const database = openDatabase(fresh.url, silentLogger);
    const ahead: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + 600_000 };
    const name = crypto.randomUUID();
    const limiters: RateLimiter[] = [];
    for (const machine of [systemClock, ahead]) {
      const follower = followDatabase(machine, database, silentLogger);
      await follower.measure();
      follower.stop();
      const parts = await open(primary.url);
      limiters.push(createRedisRateLimiter({ name, ...parts, clock: follower.clock, hasPenalty: false }));
    }
    // Asked again where a minute ended meanwhile, which begins another window, or where Redis was late to answer and
    // each process counted by itself.
    const grantedInOneWindow = async (): Promise<number> => {
      const subject = crypto.randomUUID();
      const asked = Array.from({ length: 60 }, (_, index) => limiters[index % 2]?.take(subject, 20));
      const decisions = await Promise.all(asked);
      const windows = new Set(decisions.map((decision) => decision?.resetAtSeconds));
      return windows.size === 1 ? decisions.filter((decision) => decision?.outcome === 'allowed').length : Infinity;
    };
    await expect.poll(grantedInOneWindow).toBe(20);
    await database.close();
    await fresh.drop();
  });

  test('Sentinel names the primary, and the next one when it is gone', async () => {
    const parts = await open(`redis+sentinel://127.0.0.1:${sentinelPort}/main`);
    expect(parts.redis.state()).toBe('ready');
    const limiter = limiterOf(parts);
    expect((await limiter.take('user', 20)).remaining).toBe(19);
    await primary.kill();
    await expect.poll(() => parts.redis.state()).toBe('away');
    expect((await limiter.take('user', 20)).outcome).toBe('allowed');
    await expect.poll(() => parts.redis.state()).toBe('ready');
    // The new primary knows what was granted before and during the change.
    await expect.poll(async () => (await limiter.take('user', 20)).remaining).toBeLessThan(18);
    expect(String(await replica.command('role'))).toContain('master');
  });
});
