// The database, embedded or given, brought up to date before anything reads it.

import type { Config } from '../config.ts';
import { startEmbedded } from '../platform/db/embedded/start-embedded.ts';
import { migrate, migrationsFolder } from '../platform/db/migrate.ts';
import { openNotices } from '../platform/db/notices.ts';
import { openDatabase } from '../platform/db/postgres.ts';
import type { Logger } from '../platform/logger.ts';
import type { Storage } from './parts.ts';

export async function openStorage(config: Config, logger: Logger): Promise<Storage> {
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataFolder: config.dataDir, logger }) : null;
  const url = embedded?.url ?? config.databaseUrl ?? '';
  try {
    await migrate(url, migrationsFolder, logger);
    const database = openDatabase(url, logger);
    const notices = await openNotices(url, logger);
    return {
      url,
      database,
      notices,
      async close() {
        await notices.close();
        await database.close();
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}
