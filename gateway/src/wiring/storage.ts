// The database, embedded or given, brought up to date before anything reads it, and Redis where it is given.

import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts';
import { migrate, migrationsFolder } from '../platform/db/migrate.ts';
import { openNotices } from '../platform/db/notices.ts';
import { openDatabase } from '../platform/db/postgres.ts';
import type { Logger } from '../platform/logger.ts';
import { openRedisNotices, standBesideRedis } from '../platform/redis/redis-notices.ts';
import type { Storage } from './parts.ts';
import { openRedisParts } from './redis.ts';

export type StorageInput = Readonly<{ config: Config; secret: string; clock: Clock; logger: Logger }>;

export async function openStorage({ config, secret, clock, logger }: StorageInput): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataDir, logger }) : null;
  const url = embedded?.url ?? config.databaseUrl ?? '';
  try {
    await migrate(url, migrationsFolder, logger);
    let statements = 0;
    const database = openDatabase(url, logger, () => {
      statements += 1;
    });
    const databaseNotices = await openNotices(url, logger);
    const { redisUrl } = config;
    const redis =
      redisUrl === null ? null : await openRedisParts({ url: redisUrl, databaseUrl: url, secret, clock, logger });
    const notices =
      redis === null ? databaseNotices : await openRedisNotices(redis.bus, databaseNotices, clock, logger);
    if (redis === null) await standBesideRedis(databaseNotices, logger);
    return {
      url,
      database,
      notices,
      redis,
      statementCount: () => statements,
      async close() {
        await notices.close();
        await redis?.close();
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
