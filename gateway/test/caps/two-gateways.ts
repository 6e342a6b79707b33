// Two gateways on one database, as a load balancer would have them behind it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ADMIN_TOKEN, configDocument, Harness, type HarnessOptions, startHarness } from '../harness.ts';

export type Gateways = Readonly<{
  first: Harness;
  second: Harness;
  /** Plain SQL, past the gateways. */
  rows(text: string, values?: unknown[]): Promise<Record<string, string>[]>;
  close(): Promise<void>;
}>;

export async function startTwoGateways(options: HarnessOptions = {}): Promise<Gateways> {
  const first = await startHarness(options);
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-second-'));
  const file = join(folder, 'config.json');
  // The same document: a file that differs from the last one applied would replace it.
  await writeFile(file, JSON.stringify(configDocument(first.simulator.url, options)));
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: first.databaseUrl,
    REDIS_URL: process.env.REDIS_URL,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_CONFIG: file,
    TOLLGATE_LOG_LEVEL: 'silent',
    TOLLGATE_OVERLOAD_MS: '0',
    ...options.env,
  });
  const app = await startApp(config, options.start);
  const { simulator, databaseUrl } = first;
  const second = new Harness({ app, simulator, databaseUrl, cleanup: async () => {} });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  return {
    first,
    second,
    rows: async (text, values = []) => (await client.query<Record<string, string>>(text, values)).rows,
    async close() {
      await client.end();
      await app.close(2_000);
      await first.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
