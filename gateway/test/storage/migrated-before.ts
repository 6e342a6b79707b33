// A database as it was before one migration, to be filled with rows that the migration changes.

import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { migrate, migrationsFolder } from '../../src/platform/db/migrate.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase } from '../database.ts';

type EarlierDatabase = Readonly<{ client: Client; goOn(): Promise<void> }>;

/** `goOn` runs that migration and all later ones. */
export async function migratedBefore(nameEnd: string): Promise<EarlierDatabase> {
  const fresh = await emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  const client = new Client({ connectionString: fresh.url });
  onTestFinished(async () => {
    await client.end();
    await fresh.drop();
    await rm(folder, { recursive: true });
  });
  const names = (await readdir(migrationsFolder)).sort();
  const first = names.findIndex((name) => name.endsWith(nameEnd));
  for (const name of names.slice(0, first)) await copyFile(join(migrationsFolder, name), join(folder, name));
  await migrate(fresh.url, folder, silentLogger);
  await client.connect();
  return {
    client,
    async goOn() {
      await migrate(fresh.url, migrationsFolder, silentLogger);
    },
  };
}
