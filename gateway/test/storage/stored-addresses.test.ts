// Addresses that were stored with blanks around them, because a directory had stated them so, lose them.

import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migrate, migrationsFolder } from '../../src/platform/db/migrate.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase } from '../database.ts';

const THIS = '-addresses-without-blanks.sql';

test('addresses that a directory stated with blanks around them are kept without them, and no others change', async () => {
  const fresh = await emptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  const client = new Client({ connectionString: fresh.url });
  onTestFinished(async () => {
    await client.end();
    await fresh.drop();
    await rm(folder, { recursive: true });
  });
  const names = (await readdir(migrationsFolder)).sort();
  const first = names.findIndex((name) => name.endsWith(THIS));
  for (const name of names.slice(0, first)) await copyFile(join(migrationsFolder, name), join(folder, name));
  await migrate(fresh.url, folder, silentLogger);
  await client.connect();
  const stored: readonly (readonly [before: string, after: string])[] = [
    [' \tAnn@acme.example\r\n', 'Ann@acme.example'],
    ['Bo@acme.example', 'Bo@acme.example'],
    ['Cy@acme.example ', 'Cy@acme.example'],
  ];
  for (const [before, after] of stored) {
    const user = [after, before, after.toLowerCase()];
    await client.query("insert into users (id, email, email_normalized, name) values ($1, $2, $3, 'x')", user);
  }
  await migrate(fresh.url, migrationsFolder, silentLogger);
  const { rows } = await client.query('select email from users order by id');
  expect(rows.map(({ email }) => email)).toEqual(stored.map(([, after]) => after));
});
