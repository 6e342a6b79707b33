// An alarm over a metric that does not exist never rings. Every name that the alarms and the dashboard ask for is looked
// for on the page of a gateway that has served calls, and every alarm has its paragraph for whoever is woken by it.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ADMIN_TOKEN, type Harness, startHarness } from '../harness.ts';
import { isRedisMissing, RedisServer } from '../scale/redis-server.ts';
import { manifest, metricNames, type Tree, textOf, yamlOf } from './deployment-files.ts';

const WITH_REDIS_ONLY = ['tollgate_redis_ready', 'tollgate_processes'];

let redis: RedisServer | null = null;
let harness: Harness;
let page: string;

beforeAll(async () => {
  redis = isRedisMissing ? null : await RedisServer.start();
  harness = await startHarness({
    models: { 'openai/poor': { commands: 'tokens-10-1000000' }, 'openai/locked': { commands: 'status-401' } },
    ...(redis === null ? {} : { env: { REDIS_URL: redis.url } }),
  });
  const { key } = await harness.account();
  // First, because the key of a provider that has answered is trusted for longer.
  const refused = await harness.chat(key, { model: 'openai/locked' });
  const served = await harness.chat(key, { model: 'openai/test' });
  // The upstream makes far more than the account can pay, so a part of the cost is absorbed.
  const poor = await harness.account('0.5');
  const exhausted = await harness.chat(poor.key, { model: 'openai/poor' });
  expect([refused.status, served.status, exhausted.status]).toEqual([502, 200, 200]);
  page = (await harness.request('GET', '/metrics', { key: ADMIN_TOKEN })).text;
});

afterAll(async () => {
  await harness.close();
  await redis?.kill();
});

const figure = (name: string): number => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page)?.[1]);
const exists = (name: string): boolean =>
  name === 'up' || (isRedisMissing && WITH_REDIS_ONLY.includes(name)) || new RegExp(`^${name}[{ ]`, 'm').test(page);

const rules = (): readonly Tree[] =>
  [...(yamlOf('deploy/prometheus/alerts.yaml').groups as unknown as Tree[])][0]!.rules as unknown as Tree[];

test('every metric that an alarm watches exists', () => {
  expect(rules().length).toBeGreaterThan(10);
  for (const rule of rules()) {
    const names = metricNames(String(rule.expr));
    expect(names.length, String(rule.alert)).toBeGreaterThan(0);
    expect(
      names.filter((name) => !exists(name)),
      String(rule.alert),
    ).toEqual([]);
  }
});

test('every metric that the dashboard shows exists', () => {
  const dashboard = JSON.parse(textOf('deploy/grafana/tollgate.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const shown = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  expect(shown.length).toBeGreaterThan(15);
  for (const { title, expr } of shown) {
    const names = metricNames(expr);
    expect(names.length, title).toBeGreaterThan(0);
    expect(
      names.filter((name) => !exists(name)),
      title,
    ).toEqual([]);
  }
});

test('the figures of the ledger and the routes say what has happened', () => {
  expect(figure('tollgate_ledger_serving')).toBe(1);
  expect(figure('tollgate_database_reachable')).toBe(1);
  expect(figure('tollgate_settlements_journaled')).toBe(0);
  expect(figure('tollgate_settlements_buried_total')).toBe(0);
  expect(figure('tollgate_reservations_open')).toBe(0);
  expect(figure('tollgate_slices')).toBeGreaterThanOrEqual(2);
  expect(figure('tollgate_absorbed_nano_usd_total')).toBeGreaterThan(1_000_000_000);
  expect(figure('tollgate_routes')).toBe(3);
  expect(figure('tollgate_routes_isolated')).toBe(1);
});

test('every alarm is explained to whoever it wakes, and nothing else is', () => {
  const explained = [...textOf('docs/operations.md').matchAll(/^\| `(Tollgate\w+)`/gm)].map(([, name]) => name);
  expect(explained).toEqual(rules().map((rule) => String(rule.alert)));
});

test('Prometheus reads a path that exists from the ports of the gateways', () => {
  const [job] = yamlOf('deploy/prometheus/prometheus.yml').scrape_configs as unknown as Tree[];
  expect(String(job!.metrics_path)).toBe('/metrics');
  const [targets] = job!.static_configs as unknown as Tree[];
  expect(targets!.targets).toEqual(['gateway-1:4100', 'gateway-2:4100']);
});

test('the catalog of the Kubernetes example is one that the gateway takes', async () => {
  const text = String(manifest('ConfigMap', 'tollgate-catalog').data!['tollgate.yaml']);
  const catalog = parse(text.replace(/\$\{\w+\}/, 'sk-example')) as object;
  const answer = await harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body: catalog });
  expect(answer.status, answer.text).toBe(200);
});
