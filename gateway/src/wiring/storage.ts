// The database, embedded or given, and Redis where it is given.

import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedisNotices, standBesideRedis } from '../platform/redis/redis-notices.ts';
import { openDatabaseParts } from './database.ts';
import type { Storage } from './parts.ts';
import { openRedisParts } from './redis.ts';

type StorageInput = Readonly<{ config: Config; secret: string; clock: Clock; logger: Logger }>;

export async function openStorage({ config, secret, clock, logger }: StorageInput): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataDir, logger }) : null;
  try {
    const parts = await openDatabaseParts({ embeddedUrl: embedded?.url ?? null, config, clock, logger });
    const { redisUrl } = config;
    const databaseUrl = embedded?.url ?? config.databaseUrl ?? '';
    const redis =
      redisUrl === null ? null : await openRedisParts({ url: redisUrl, databaseUrl, secret, clock, logger });
    const notices = redis === null ? parts.notices : await openRedisNotices(redis.bus, parts.notices, clock, logger);
    if (redis === null) await standBesideRedis(parts.notices, logger);
    return {
      ...parts,
      notices,
      redis,
      async close() {
        await notices.close();
        await redis?.close();
        await parts.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
