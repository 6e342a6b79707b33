// The health of routes, for people: the operator's route and the table of the command line.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import type { RouteHealthEntry } from '../../src/contract/health.ts';
import { ADMIN_TOKEN } from '../harness.ts';
import { Browser } from '../signin/browser.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;

beforeAll(async () => {
  providers = await startProviders({
    providers: { alpha: {}, beta: {}, gamma: {} },
    models: {
      'acme/down': { routes: routesTo({ alpha: '1' }, 'down') },
      'acme/limited': { routes: routesTo({ beta: '1' }, 'limited') },
      'acme/refused': { routes: routesTo({ gamma: '1' }, 'refused') },
      'acme/fine': { routes: routesTo({ alpha: '1' }, 'fine') },
      'acme/alias': { routes: routesTo({ alpha: '2' }, 'fine') },
      'acme/idle': { routes: routesTo({ gamma: '1' }, 'idle') },
    },
  });
  providers.set('alpha', 'html', 'down');
  providers.set('alpha', 'tokens-10-200+wait-30', 'fine');
  providers.set('beta', 'status-429-retry-after-60');
  providers.set('gamma', 'status-401');
  for (let call = 0; call < 5; call += 1) await providers.chat({ model: 'acme/down' });
  await providers.chat({ model: 'acme/limited' });
  await providers.chat({ model: 'acme/refused' });
  for (let call = 0; call < 3; call += 1) await providers.chat({ model: 'acme/fine' });
  await providers.stream({ model: 'acme/alias' });
});

afterAll(async () => {
  await providers.close();
});

async function readRoutes(): Promise<Record<string, RouteHealthEntry>> {
  const { routes } = await providers.harness.operate('GET', '/admin/v1/health/routes');
  return Object.fromEntries((routes as RouteHealthEntry[]).map((entry) => [entry.upstreamModel, entry]));
}

test('ROUTE-12 the operator sees every route: state, errors, speed and the last error', async () => {
  const routes = await readRoutes();
  expect(routes.down).toMatchObject({
    provider: 'alpha',
    models: ['acme/down'],
    state: 'isolated',
    breaker: 'open',
    calls: 5,
    errorRate: 1,
    lastError: { kind: 'malformed' },
  });
  expect(routes.down?.retryInSeconds).toBeGreaterThan(0);
  expect(routes.limited).toMatchObject({ state: 'rate_limited', breaker: 'closed', calls: 1 });
  expect(routes.refused).toMatchObject({ state: 'auth_failed', lastError: { kind: 'auth_failed' } });
  expect(routes.idle).toMatchObject({ state: 'suspect', calls: 0, errorRate: null, lastError: null });
  expect(routes.fine).toMatchObject({ models: ['acme/fine', 'acme/alias'], state: 'healthy', calls: 4, errorRate: 0 });
  expect(routes.fine?.latencyMs.p50).toBeGreaterThan(25);
  expect(routes.fine?.latencyMs.p95).toBeGreaterThanOrEqual(routes.fine?.latencyMs.p50 ?? 0);
  expect(routes.fine?.tokensPerSecond).toBeGreaterThan(100);
  expect(JSON.stringify(routes)).not.toContain('key-alpha');
});

test('a person who is signed in sees how the routes of a model do, but neither upstream names nor errors', async () => {
  const person = { email: 'choosing@example.test', password: 'a long enough password' };
  await providers.harness.operate('POST', '/admin/v1/users', { ...person, name: 'Ann' });
  const browser = new Browser(providers.harness);
  await browser.post('/api/auth/login', person);
  const states = new Map<string, unknown>();
  for (const model of ['fine', 'down', 'limited', 'refused']) {
    const { body, text } = await browser.get(`/api/models/acme-${model}/routes`);
    const [route] = body.routes as [Record<string, unknown>];
    states.set(model, route.state);
    expect(Object.keys(route).sort()).toEqual([
      ...['errorRate', 'history', 'latencyMs', 'provider', 'state', 'tokensPerSecond', 'uptime'],
    ]);
    expect(text).not.toMatch(/malformed|auth_failed/);
  }
  expect(Object.fromEntries(states)).toEqual({
    fine: 'healthy',
    down: 'unavailable',
    limited: 'degraded',
    refused: 'unavailable',
  });
  expect((await browser.get('/api/models/acme-none/routes')).status).toBe(404);
});

test('ROUTE-12 those in trouble come first, and half-open shows as probing', async () => {
  const { routes } = await providers.harness.operate('GET', '/admin/v1/health/routes');
  const states = (routes as RouteHealthEntry[]).map(({ state }) => state);
  for (const well of ['healthy', 'untried']) expect(states.slice(0, 4)).not.toContain(well);
  expect(['healthy', 'untried']).toContain(states.at(-1));
  await providers.pass(30_000);
  expect((await readRoutes()).down).toMatchObject({ state: 'probing', breaker: 'half_open', retryInSeconds: null });
});

test('only the operator may see it', async () => {
  expect((await providers.harness.request('GET', '/admin/v1/health/routes')).status).toBe(401);
  expect((await providers.harness.request('GET', '/admin/v1/health/routes', { key: providers.key })).status).toBe(401);
});

test('the command line shows the same as a table', async () => {
  const lines: string[] = [];
  const code = await runCli({
    commands: allCommands,
    parameters: ['health', 'routes'],
    environment: { TOLLGATE_URL: providers.harness.url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN },
    terminal: { print: (text) => lines.push(text), printError: (text) => lines.push(text) },
  });
  expect(code).toBe(0);
  const [head = '', ...rows] = lines.join('\n').split('\n');
  expect(head).toMatch(/^STATE +PROVIDER +UPSTREAM MODEL +CALLS +ERRORS +P50 +P95 +TOKENS\/S +LAST ERROR$/);
  expect(rows).toHaveLength(6);
  expect(rows.find((row) => row.includes(' fine '))).toMatch(
    /^healthy +alpha +fine +4 +0\.0% +\d+ ms +\d+ ms +[\d.]+ +-$/,
  );
  expect(rows.find((row) => row.includes(' refused '))).toMatch(/^auth_failed \d+s +gamma/);
});
