// The last day of routes: counted by calls, written once a minute, kept over restarts, and removed after a day. People
// who choose a model see how well it worked, and not how much it was used.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;
const MODEL = 'acme/watched';
const HISTORY = '/admin/v1/health/history?provider=alpha&upstream_model=m';
const HOUR_MS = 3_600_000;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, beta: {} },
    models: { [MODEL]: { routes: routesTo({ alpha: '1' }) } },
  });
});

afterAll(() => providers.close());

const points = async (): Promise<Json[]> => (await providers.harness.operate('GET', HISTORY)).points as Json[];
const until = async <Value>(read: () => Promise<Value>, isWanted: (value: Value) => boolean): Promise<Value> => {
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const sum = (all: readonly Json[], member: string): number => all.reduce((total, it) => total + Number(it[member]), 0);
const modelRoute = async (): Promise<Json> => {
  const answer = await providers.harness.request('GET', '/api/site/models/acme-watched/routes');
  expect(answer.status).toBe(200);
  return (answer.body.routes as Json[])[0] as Json;
};

test('a route that was never asked has no history, and strangers see it where the operator says so', async () => {
  const { harness } = providers;
  expect((await harness.request('GET', '/api/site/models/acme-watched/routes')).status).toBe(404);
  const live = await harness.operate('GET', '/admin/v1/config');
  await harness.operate('PUT', '/admin/v1/config', { ...live, accounts: { public_models: true } });
  expect(await points()).toEqual([]);
  expect(await modelRoute()).toMatchObject({ uptime: null, history: [] });
});

test('calls, failures and speed of each quarter of an hour, of all that was counted', async () => {
  for (let call = 0; call < 3; call += 1) expect((await providers.chat({ model: MODEL })).status).toBe(200);
  providers.set('alpha', 'status-400');
  expect((await providers.chat({ model: MODEL })).status).toBe(400);
  providers.set('alpha', 'status-503-retry-after-30');
  await providers.chat({ model: MODEL });
  providers.heal();
  await providers.pass(61_000);
  // A caller's mistake does not count as a failure.
  const counted = await until(points, (all) => sum(all, 'calls') === 4);
  expect(sum(counted, 'failures')).toBe(1);
  expect(counted.some(({ latencyMs }) => Number(latencyMs) > 0)).toBe(true);
  await providers.chat({ model: MODEL });
  await providers.pass(61_000);
  await until(points, (all) => sum(all, 'calls') === 5);
});

test('people who choose a model see shares and speeds, and no counts', async () => {
  const route = await until(modelRoute, ({ uptime }) => uptime === 0.8);
  const hours = route.history as Json[];
  expect(hours.length).toBeGreaterThan(0);
  for (const hour of hours) {
    expect(Object.keys(hour).sort()).toEqual(['at', 'latencyMs', 'tokensPerSecond', 'uptime']);
    expect(String(hour.at)).toMatch(/:00:00\.000Z$/);
  }
});

test('a day later nothing of it is left, in the database neither', async () => {
  await providers.pass(25 * HOUR_MS);
  await providers.pass(61_000);
  expect(await points()).toEqual([]);
  const { databaseUrl } = providers.harness;
  const left = () => rows(databaseUrl, 'SELECT 1 FROM route_history WHERE provider_name = $1', ['alpha']);
  await until(left, (found) => found.length === 0);
});

test('what does not name a route is refused', async () => {
  const { status } = await providers.harness.request('GET', '/admin/v1/health/history?provider=alpha', {
    key: ADMIN_TOKEN,
  });
  expect(status).toBe(400);
});
