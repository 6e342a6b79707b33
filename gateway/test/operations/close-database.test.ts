// Closing the database ends every connection, so that an embedded server can be stopped without errors.

import { Client } from 'pg';
import { expect, test } from 'vitest';
import { sql } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { freshDatabase } from '../database.ts';

test('every connection is gone when the database is closed', async () => {
  const fresh = await freshDatabase();
  const watcher = new Client({ connectionString: fresh.url });
  await watcher.connect();
  const others = async (): Promise<number> => {
    const { rows } = await watcher.query(
      'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    return rows.length;
  };
  try {
    for (let round = 0; round < 5; round += 1) {
      const database = openDatabase(fresh.url, silentLogger);
      const wait = sql('test_wait', 'select pg_sleep(0.1)');
      await Promise.all(Array.from({ length: 10 }, () => database.query(wait)));
      expect(await others()).toBe(10);
      await database.close();
      expect(await others()).toBe(0);
    }
  } finally {
    await watcher.end();
    await fresh.drop();
  }
});
