// A backup is only good if it can be restored. The commands are read from docs/operations.md and run: the copy of a
// stopped data folder, and a dump of a database that is in use.

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, inject, onTestFinished, test } from 'vitest';
import { type RunningApp, startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { emptyDatabase } from '../database.ts';
import { ADMIN_TOKEN, configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { textOf } from './deployment-files.ts';

/** The line of the documentation that begins with these words, run as it is. */
function runDocumented(beginning: string, folder: string, environment: Record<string, string> = {}): void {
  const lines = textOf('docs/operations.md').split('\n');
  const command = lines.find((line) => line.startsWith(`${beginning} `));
  if (command === undefined) throw new Error(`docs/operations.md has no line that begins with ${beginning}`);
  const run = spawnSync('sh', ['-c', command], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...environment },
  });
  expect(run.status, `${command}\n${run.stderr}`).toBe(0);
}

const chatBody = { model: 'openai/test', messages: [{ role: 'user', content: 'hi' }] };

test('a copy of the stopped data folder brings back every balance, key and secret', async () => {
  const gateway = await GatewayProcess.prepare();
  onTestFinished(() => gateway.close());
  await gateway.start();
  const key = await gateway.account();
  for (let calls = 0; calls < 3; calls += 1) await gateway.call('POST', '/v1/chat/completions', key, chatBody);
  const before = await gateway.call('GET', '/v1/credits', key);
  expect(Number((before.data as Json).total_usage)).toBeGreaterThan(0);
  await gateway.signal('SIGTERM');

  runDocumented('cp -a', gateway.folder);
  await rm(join(gateway.folder, 'data'), { recursive: true });
  const [, copy = ''] = /^cp -a \S+ (\S+)$/m.exec(textOf('docs/operations.md')) ?? [];
  expect(spawnSync('mv', [copy, 'data'], { cwd: gateway.folder }).status).toBe(0);

  await gateway.start();
  expect(await gateway.call('GET', '/v1/credits', key)).toEqual(before);
  expect(await gateway.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    discrepancies: [],
  });
  expect(await gateway.call('POST', '/v1/chat/completions', key, chatBody)).toHaveProperty('choices');
});

async function serverMajor(): Promise<number> {
  const client = new Client({ connectionString: inject('databaseServer') });
  await client.connect();
  const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
  await client.end();
  return Math.floor(Number(rows[0]?.server_version_num) / 10_000);
}

/** A dump program refuses servers that are newer than itself, and the embedded server has none. */
async function isDumpPossible(): Promise<boolean> {
  const { stdout } = spawnSync('pg_dump', ['--version'], { encoding: 'utf8' });
  return Number(/(\d+)\./.exec(stdout ?? '')?.[1] ?? 0) >= (await serverMajor());
}

/** A second gateway, on a database that was restored and an empty data folder. */
async function startRestored(url: string, simulatorUrl: string): Promise<RunningApp> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-restored-'));
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify(configDocument(simulatorUrl, {})));
  const app = await startApp(
    readConfig({
      PORT: '0',
      DATABASE_URL: url,
      TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
      TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_CONFIG: file,
      TOLLGATE_LOG_LEVEL: 'silent',
    }),
  );
  onTestFinished(async () => {
    await app.close(2_000);
    await rm(folder, { recursive: true, force: true });
  });
  return app;
}

async function ask(app: RunningApp, path: string, key: string, body?: unknown): Promise<Json> {
  const response = await fetch(app.url + path, {
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

async function useAccounts(harness: Harness): Promise<readonly string[]> {
  const accounts = await Promise.all([harness.account(5), harness.account(7)]);
  for (const { key } of accounts) expect((await harness.chat(key, { model: 'openai/test' })).status).toBe(200);
  return accounts.map(({ key }) => key);
}

test('a dump taken while calls are served restores into an empty database with the same balances', async (context) => {
  const isWanted = process.env.CI !== undefined && process.env.DATABASE_URL !== undefined;
  if (!(await isDumpPossible()) && !isWanted) {
    console.error('!! NOT RUN: the backup of a server: there is no pg_dump as new as the server of this run.');
    context.skip();
  }
  const harness = await startHarness();
  onTestFinished(() => harness.close());
  const keys = await useAccounts(harness);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-backup-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The gateway runs and holds slices of both accounts while it is dumped.
  runDocumented('pg_dump', folder, { DATABASE_URL: harness.databaseUrl });
  const restored = await emptyDatabase();
  onTestFinished(() => restored.drop());
  runDocumented('pg_restore', folder, { DATABASE_URL: restored.url });

  const app = await startRestored(restored.url, harness.simulator.url);
  for (const key of keys) {
    const { body } = await harness.request('GET', '/v1/credits', { key });
    expect(await ask(app, '/v1/credits', key)).toEqual(body);
  }
  const check = await ask(app, '/admin/v1/ledger/check?full=true', ADMIN_TOKEN);
  expect(check).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  expect(check.entries).toBe((await harness.ledgerCheck()).entries);
  expect(await ask(app, '/v1/chat/completions', String(keys[0]), chatBody)).toHaveProperty('choices');
});
