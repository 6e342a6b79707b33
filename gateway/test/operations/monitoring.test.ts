// An alarm over a metric that does not exist never rings. Every name that the alarms and the dashboard ask for is
// looked up on the page of a gateway that has served calls, and the documentation explains every alarm to the person
// who is woken by it.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { watchLag } from '../../src/wiring/watch-lag.ts';
import { freshDatabase } from '../database.ts';
import { ADMIN_TOKEN, type Harness, startHarness } from '../harness.ts';
import { isRedisMissing, RedisServer } from '../scale/redis-server.ts';
import { Collector } from './collector.ts';
import { manifest, metricNames, type Tree, textOf, yamlOf } from './deployment-files.ts';

/** Of a histogram. */
const PART = /_(?:bucket|sum|count)$/;
const WITH_REDIS_ONLY = ['tollgate_redis_ready', 'tollgate_processes'];

let redis: RedisServer | null = null;
let collector: Collector;
let harness: Harness;
let page: string;
let scrapedSeconds: number;

beforeAll(async () => {
  redis = isRedisMissing ? null : await RedisServer.start();
  collector = await Collector.start();
  harness = await startHarness({
    models: { 'openai/poor': { commands: 'tokens-10-1000000' }, 'openai/locked': { commands: 'status-401' } },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      ...(redis === null ? {} : { REDIS_URL: redis.url }),
    },
  });
  const { key } = await harness.account();
  // This comes first, because the key of a provider that has answered is trusted for longer.
  const refused = await harness.chat(key, { model: 'openai/locked' });
  const served = await harness.chat(key, { model: 'openai/test' });
  // The upstream makes far more than the account can pay, so a part of the cost is absorbed.
  const poor = await harness.account('0.5');
  const exhausted = await harness.chat(poor.key, { model: 'openai/poor' });
  expect([refused.status, served.status, exhausted.status]).toEqual([502, 200, 200]);
  page = (await harness.request('GET', '/metrics', { key: ADMIN_TOKEN })).text;
  scrapedSeconds = Date.now() / 1_000;
});

afterAll(async () => {
  await harness.close();
  await collector.leave();
  await redis?.kill();
});

const figure = (name: string): number => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page)?.[1]);
const exists = (name: string): boolean =>
  name === 'up' ||
  fromFeeds().includes(name) ||
  (isRedisMissing && WITH_REDIS_ONLY.includes(name)) ||
  new RegExp(`^${name}[{ ]`, 'm').test(page);

/** The names that a collector gives Prometheus for the histograms that a feed sends. */
function fromFeeds(): readonly string[] {
  const histograms = textOf('gateway/src/modules/feeds/send-batch.ts').matchAll(/name: '(\S+)',\s+unit: '(\S+)'/g);
  return [...histograms].flatMap(([, name = '', unit]) => {
    const base = `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`;
    return ['bucket', 'sum', 'count'].map((part) => `${base}_${part}`);
  });
}

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

test('an alarm that rings at the first step of a counter also rings for a series that begins with it', () => {
  for (const { alert, expr } of rules()) {
    for (const [, name = ''] of String(expr).matchAll(/increase\((\w+)[^)]*\)\)? > 0/g)) {
      // One without labels is on the page with 0 before anything has happened.
      if (new RegExp(`^${name} `, 'm').test(page)) continue;
      expect(String(expr), String(alert)).toMatch(new RegExp(`unless ${name}\\S* offset`));
    }
  }
});

test('an alarm watches the age of every kind of work', () => {
  const watched = rules().flatMap(({ expr }) => [
    ...String(expr).matchAll(/tollgate_job_oldest_due_seconds\{name=~"([^"]+)"\}/g),
  ]);
  const isWatched = (name: string): boolean =>
    watched.some(([, names = '']) => new RegExp(`^(?:${names})$`).test(name));
  const told = [...page.matchAll(/^tollgate_job_oldest_due_seconds\{name="([^"]+)"\}/gm)].map(([, name = '']) => name);
  expect(told.length).toBeGreaterThan(5);
  expect(told.filter((name) => !isWatched(name))).toEqual([]);
});

test('every metric that the dashboard shows exists, and it shows all that the gateway tells', () => {
  const dashboard = JSON.parse(textOf('deploy/grafana/tollgate.json')) as {
    panels: { title: string; targets?: { expr: string }[] }[];
  };
  const shown = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
  const names = new Set(shown.flatMap(({ expr }) => metricNames(expr)).map((name) => name.replace(PART, '')));
  const told = [...page.matchAll(/^# TYPE (tollgate_\w+)/gm)].map(([, name = '']) => name);
  expect(told.length).toBeGreaterThan(25);
  expect(told.filter((name) => !names.has(name.replace(PART, '')))).toEqual([]);
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

test('background work is counted from the start, and nothing of it is late', () => {
  for (const name of [
    'slices',
    'months',
    'mail',
    'videos',
    'callbacks',
    'payments',
    'unheard-payments',
    'statements',
    'lag',
  ]) {
    const of = (metric: string) => Number(new RegExp(`^${metric}\\{name="${name}"\\} (\\S+)$`, 'm').exec(page)?.[1]);
    expect(scrapedSeconds - of('tollgate_job_last_success_timestamp_seconds'), name).toBeLessThan(30);
    expect(of('tollgate_job_interval_seconds'), name).toBeGreaterThan(0);
    // One that found no connection in time on a busy machine has failed and run again.
    expect(of('tollgate_job_failures_total'), name).toBeGreaterThanOrEqual(0);
  }
});

/** The state that a dead gateway would leave, each of them this many seconds too late. */
const LATE_WORK = `
  alter table top_up_orders drop constraint top_up_orders_account_id_fkey, drop constraint top_up_orders_user_id_fkey;
  insert into top_up_orders (id, account_id, user_id, provider, currency, rate_nano, credit_nano_usd, fee_nano_usd,
      vat_nano_usd, total_nano_usd, total_minor, state, paid_at)
    values ('ord-1', 'acc', 'usr', 'p', 'usd', 1, 1e9, 0, 0, 1e9, 100, 'paying', now() - interval '100 s');
  insert into mail_outbox (id, recipient, content, next_attempt_at, created_at) values
    ('eml-1', 'a', 'a', now() + interval '1 h', now() - interval '900 s'),
    ('eml-2', 'b', 'b', now() - interval '200 s', now() - interval '210 s');
  insert into video_jobs (id, generation_id, account_id, user_id, key_id, model_id, provider_name, upstream_model, task,
      duration_ms, size, second_price, request_price, held_nano_usd, phase, created_at, expires_at, checked_at, due_at,
      leased_until)
    select 'vjob_' || n, 'gen-' || n, 'a', 'u', 'k', 'm', 'p', 'm', 't', 1, 's', 0, 0, 0, 'submitting', now(), now(),
      now(), now() - n * interval '1 s', now() + (n - 300) * interval '1 s' from unnest(array[300, 3000]) n;
  insert into video_callbacks (job_id, url, host, next_attempt_at)
    values ('vjob_300', 'u', 'h', now() - interval '400 s'), ('vjob_3000', 'u', 'h', now() + interval '1 h');
  insert into notice_addresses (id, owner_kind, owner_id, channel, target, shown, kinds, created_at)
    values ('nad-1', 'user', 'usr', 'mail', 't', 'h', '{}', now());
  insert into notices (id, owner_kind, owner_id, kind, cause, facts, created_at)
    values ('ntc-1', 'user', 'usr', 'test', 'c', '{}', now());
  insert into notice_deliveries (notice_id, address_id, host, state, created_at, next_attempt_at)
    values ('ntc-1', 'nad-1', 'h', 'waiting', now(), now() - interval '730 s');
  insert into call_feeds (id, owner_kind, owner_id, name, form, host, settings, is_enabled, created_at, next_attempt_at)
    select 'fed-' || n, 'org', 'o', 'f', 'http', 'h', 's', n < 3, now(), now() - n * interval '1000 s'
    from generate_series(1, 3) n;
  insert into call_feed_items (feed_id, generation_id, called_at) values
    ('fed-1', 'gen-1', now() - interval '830 s'), ('fed-1', 'gen-2', now()), ('fed-3', 'gen-3', now() - interval '1 d');
  insert into processes (id, renewed_at) values ('prc-1', now() - interval '530 s'), ('prc-2', now());
`;

test('work that nobody does is shown with its age, and work that somebody is at is not', async () => {
  const fresh = await freshDatabase();
  const database = openDatabase(fresh.url, silentLogger);
  const client = new Client({ connectionString: fresh.url });
  await client.connect();
  await client.query(LATE_WORK);
  await client.end();
  const metrics = createMetrics();
  const ledger = { status: () => ({ settlementLagMs: 600_000 }) as never };
  const stop = watchLag({ database, clock: systemClock, logger: silentLogger, metrics, ledger });
  onTestFinished(async () => {
    await stop();
    await database.close();
    await fresh.drop();
  });
  const ages = async () => {
    const rows = (await metrics.render()).matchAll(/^tollgate_job_oldest_due_seconds\{name="([\w-]+)"\} (\S+)$/gm);
    return Object.fromEntries([...rows].map(([, name, seconds]) => [name, Math.floor(Number(seconds) / 100) * 100]));
  };
  const queues = { payments: 100, mail: 200, videos: 300, callbacks: 400, slices: 500, settlements: 600 };
  await expect.poll(ages).toEqual({ ...queues, notices: 700, feeds: 800, 'job-callbacks': 0 });
  const [, waiting] = /^tollgate_mail_oldest_waiting_seconds (\S+)$/m.exec(await metrics.render()) ?? [];
  expect(Math.floor(Number(waiting) / 100)).toBe(9);
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
