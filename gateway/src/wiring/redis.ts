// Redis, where it is configured: what processes count together, how they exchange messages, and what each may do alone
// while Redis is away.

import { createHmac } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { Logger } from '../platform/logger.ts';
import { type Bus, openBus } from '../platform/redis/bus.ts';
import { openRedis } from '../platform/redis/open-redis.ts';
import { ownShareOf, type ShareOf } from '../platform/redis/own-share.ts';
import type { Redis } from '../platform/redis/redis.ts';

export type RedisParts = Readonly<{ redis: Redis; bus: Bus; shareOf: ShareOf; close(): Promise<void> }>;

type RedisPartsInput = Readonly<{
  url: string;
  databaseUrl: string;
  secret: string;
  clock: Clock;
  logger: Logger;
  scriptDeadlineMs?: number;
}>;

const NAMESPACE_DIGITS = 12;

/** The same for all processes of one database, and different for those of another. */
function namespaceOf({ databaseUrl, secret }: RedisPartsInput): string {
  const [, databaseName = ''] = /^[a-z]+:\/\/[^/]*\/([^?]*)/.exec(databaseUrl) ?? [];
  const digest = createHmac('sha256', deriveKey(secret, 'redis')).update(databaseName).digest('hex');
  return `tollgate:${digest.slice(0, NAMESPACE_DIGITS)}`;
}

export async function openRedisParts(input: RedisPartsInput): Promise<RedisParts> {
  const redis = await openRedis({ ...input, namespace: namespaceOf(input) });
  const bus = await openBus(redis, input.clock, input.logger);
  return {
    redis,
    bus,
    shareOf: ownShareOf(redis, bus),
    async close() {
      await bus.close();
      await redis.close();
    },
  };
}
