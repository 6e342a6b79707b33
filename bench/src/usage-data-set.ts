// How long the reads of usage take on an account with ten million calls. A gateway is started on a database of its own,
// the sums of a year are put into it, and each read is timed through HTTP: `npx tsx bench/src/usage-data-set.ts`.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../gateway/src/app.ts';
import { readConfig } from '../../gateway/src/config.ts';
import { startEmbedded } from '../../gateway/src/platform/db/embedded/start-embedded.ts';
import { openDatabase } from '../../gateway/src/platform/db/postgres.ts';
import { silentLogger } from '../../gateway/src/platform/logger.ts';
import { DAYS, fillUsage, KEYS, SERIES } from './usage-data-set-fill.ts';

const GOAL_MS = 100;
const ROUNDS = 9;
const OPERATOR_TOKEN = 'bench-operator-token';

type Ask = (method: string, path: string, token: string, body?: unknown) => Promise<Record<string, unknown>>;

const asker =
  (origin: string): Ask =>
  async (method, path, token, body) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const response = await fetch(origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };

type Account = Readonly<{ userId: string; secret: string; keyIds: readonly string[] }>;

async function createAccount(ask: Ask): Promise<Account> {
  const user = await ask('POST', '/admin/v1/users', OPERATOR_TOKEN, { email: 'bench@example.com', name: 'Bench' });
  const userId = String(user.id);
  await ask('POST', `/admin/v1/users/${userId}/credits`, OPERATOR_TOKEN, { amountUsd: 1_000, note: 'Benchmark' });
  const keyIds: string[] = [];
  let secret = '';
  for (let index = 0; index < KEYS; index += 1) {
    const key = await ask('POST', `/admin/v1/users/${userId}/keys`, OPERATOR_TOKEN, { name: `Key ${index}` });
    keyIds.push(String(key.id));
    secret = String(key.key);
  }
  return { userId, secret, keyIds };
}

const dayAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Insights are cached, so each path is asked for once in a round, and every round has a metric of its own. */
function pathsToTime(keyId: string): readonly string[] {
  const filters = ['', '&model=maker-3/model', `&api_key_id=${keyId}`, '&app=Application%202'];
  return [
    '/v1/usage?period=day',
    '/v1/usage?period=month',
    `/v1/usage?period=custom&from=${dayAgo(365)}&to=${dayAgo(0)}`,
    ...['7d', '30d', 'ytd', 'all'].map((period) => `/v1/insights?period=${period}`),
    ...filters.slice(1).map((filter) => `/v1/insights?period=all${filter}`),
    `/v1/insights?period=all&model=maker-3/model&app=Application%202`,
    '/v1/key',
  ];
}

type Timing = Readonly<{ path: string; medianMs: number; worstMs: number; characters: number }>;

async function timePath(origin: string, secret: string, path: string): Promise<Timing> {
  const isCached = path.startsWith('/v1/insights');
  const variants = isCached
    ? ['spend', 'tokens', 'requests'].map((metric) => `${path}&heatmap_metric=${metric}`)
    : Array<string>(ROUNDS).fill(path);
  const times: number[] = [];
  let characters = 0;
  for (const variant of variants) {
    const startedMs = performance.now();
    const response = await fetch(origin + variant, { headers: { Authorization: `Bearer ${secret}` } });
    const text = await response.text();
    times.push(performance.now() - startedMs);
    if (response.status !== 200) throw new Error(`${variant} gave ${response.status}: ${text}`);
    characters = text.length;
  }
  times.sort((left, right) => left - right);
  return { path, medianMs: times[times.length >> 1] ?? 0, worstMs: times.at(-1) ?? 0, characters };
}

function report(timings: readonly Timing[]): string {
  const rows = timings.map(
    ({ path, medianMs, worstMs, characters }) =>
      `| \`${path}\` | ${medianMs.toFixed(1)} | ${worstMs.toFixed(1)} | ${(characters / 1_000).toFixed(1)} |`,
  );
  const slow = timings.filter(({ medianMs }) => medianMs >= GOAL_MS).length;
  const verdict = slow === 0 ? `All are below ${GOAL_MS} ms.` : `${slow} are not below ${GOAL_MS} ms.`;
  return ['| read, uncached | median ms | worst ms | KB |', '|---|---|---|---|', ...rows, '', verdict].join('\n');
}

async function run(folder: string): Promise<void> {
  const server = await startEmbedded({ dataFolder: join(folder, 'database'), logger: silentLogger });
  const app = await startApp(
    readConfig({
      PORT: '0',
      DATABASE_URL: server.url,
      TOLLGATE_SECRET: 'bench-secret-bench-secret-bench-secret',
      TOLLGATE_ADMIN_TOKEN: OPERATOR_TOKEN,
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_LOG_LEVEL: 'silent',
    }),
    { variables: { SIMULATOR_URL: 'http://127.0.0.1:9' } },
  );
  const database = openDatabase(server.url, silentLogger);
  try {
    const account = await createAccount(asker(app.url));
    const filled = await fillUsage(database, account.userId, account.keyIds);
    console.log(`${filled?.calls} calls in ${DAYS} days, ${SERIES} series of key, model and application;`);
    console.log(
      `${filled?.dailyRows} daily rows in all, ${filled?.dailySize} daily and ${filled?.hourlySize} hourly.\n`,
    );
    const timings: Timing[] = [];
    for (const path of pathsToTime(account.keyIds[3] ?? '')) {
      timings.push(await timePath(app.url, account.secret, path));
    }
    console.log(report(timings));
  } finally {
    await database.close();
    await app.close(1_000);
    await server.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tollgate-usage-bench-'));
try {
  await run(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
