// When a config file cannot be used, the program says which file, which places and what is expected there, and shows no
// stack trace.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { ConfigError, readConfig } from '../../src/config.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';

let database: FreshDatabase;
let folder: string;

beforeAll(async () => {
  database = await freshDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-start-'));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function startWith(file: string, databaseUrl = database.url): Promise<unknown> {
  const config = readConfig({
    ...{ PORT: '0', DATABASE_URL: databaseUrl, TOLLGATE_SECRET: 'test-secret-test-secret-test-secret' },
    ...{ TOLLGATE_ADMIN_TOKEN: 'test-operator-token', TOLLGATE_DATA_DIR: folder, TOLLGATE_CONFIG: file },
    TOLLGATE_LOG_LEVEL: 'silent',
  });
  return startApp(config).then(
    () => 'started',
    (error: unknown) => error,
  );
}

test('its name and its places are told, and nothing else', async () => {
  const file = join(folder, 'broken.yaml');
  await writeFile(file, 'modles: {}\nmodels: { a/b: { pricing: { prompt: cheap } } }\n');
  const error = await startWith(file);
  expect(error).toBeInstanceOf(ConfigError);
  const { message } = error as Error;
  expect(message).toContain(`${file} is not usable`);
  expect(message).toContain('modles: unknown key, did you mean "models"?');
  expect(message).toContain('models.a/b.pricing.prompt: expected a price in USD');
});

test('a file that is not there is named too', async () => {
  const error = await startWith(join(folder, 'nowhere.yaml'));
  expect(error).toBeInstanceOf(ConfigError);
  expect((error as Error).message).toMatch(/nowhere\.yaml is not usable:\s+TOLLGATE_CONFIG: the file cannot be read/);
});

test('both are told before the database is touched, which a new build would bring to its own schema', async () => {
  const nobody = 'postgres://nobody@127.0.0.1:9/none';
  const file = join(folder, 'misspelt.yaml');
  await writeFile(file, 'modles: {}\n');
  for (const path of [file, join(folder, 'nowhere.yaml')])
    expect(await startWith(path, nobody)).toBeInstanceOf(ConfigError);
});
