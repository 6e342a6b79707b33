// The root secret is replaced under two gateways on one database. At every moment both serve, know every key and
// session and open whatever the other has sealed; a start with secrets that do not fit is refused before anything is
// changed.

import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ROOT_SECRET_INTERVAL_MS } from '../../src/jobs/upkeep.ts';
import { sealAnew } from '../../src/modules/root-secret/seal-anew.ts';
import { columnStore } from '../../src/modules/root-secret/store.ts';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { derivePath } from '../../src/platform/root-secret.ts';
import { sealedColumns } from '../../src/wiring/storage.ts';
import { API_KEY, ByokBed, type Org } from '../byok/byok-bed.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { ADMIN_TOKEN, configDocument, Harness, type Json } from '../harness.ts';
import { rows } from '../identity/rows.ts';
import { PATIENCE_MS } from '../patience.ts';
import { codeOf } from '../signin/authenticator-app.ts';
import { Browser } from '../signin/browser.ts';
import { addPerson, PASSWORD } from '../signin/people.ts';

const OLD = 'the-first-secret-of-this-gateway-1f6a';
const NEW = 'the-second-secret-of-this-gateway-9c2b';
const OTHER = 'a-secret-that-nobody-here-has-seen-77';

/** The change of secrets does not wait for its quarter of a minute. */
const clock: Clock = {
  ...systemClock,
  every: (intervalMs, run) => systemClock.every(intervalMs === ROOT_SECRET_INTERVAL_MS ? 20 : intervalMs, run),
};

let simulator: Simulator;
let upstream: Simulator;
let database: FreshDatabase;
let folder: string;
const running = new Set<Harness>();

async function start(name: string, secret: string, previous?: string): Promise<Harness> {
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.REDIS_URL,
    TOLLGATE_SECRET: secret,
    TOLLGATE_SECRET_PREVIOUS: previous,
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_DATA_DIR: join(folder, name),
    TOLLGATE_CONFIG: join(folder, 'config.json'),
    TOLLGATE_LOG_LEVEL: 'silent',
    TOLLGATE_OVERLOAD_MS: '0',
    TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
  });
  const app = await startApp(config, { clock });
  const harness: Harness = new Harness({
    app,
    simulator,
    databaseUrl: database.url,
    cleanup: async () => {
      running.delete(harness);
      await app.close(2_000);
    },
  });
  running.add(harness);
  return harness;
}

beforeAll(async () => {
  [simulator, upstream, database] = await Promise.all([startSimulator(), startSimulator(), freshDatabase()]);
  folder = await mkdtemp(join(tmpdir(), 'tollgate-secret-'));
  await writeFile(join(folder, 'config.json'), JSON.stringify(configDocument(simulator.url, {})));
});

afterAll(async () => {
  for (const harness of running) await harness.close();
  await simulator.close();
  await upstream.close();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Things = Readonly<{
  key: string;
  org: Org;
  browser: Browser;
  email: string;
  totpSecret: string;
  once: Json;
  code: string;
  callbackSecret: unknown;
  cacheKey: unknown;
}>;

const askOnce = (harness: Harness, key: string) =>
  harness.chat(key, { model: 'openai/test' }, { 'Idempotency-Key': 'before the change' });

const sentCacheKey = async (harness: Harness, key: string): Promise<unknown> => {
  simulator.clearRequests();
  await harness.chat(key, { model: 'openai/test', prompt_cache_key: 'ann' });
  return (simulator.requests.at(-1)?.json as Json | undefined)?.prompt_cache_key;
};

/** One of everything that is protected by a secret. */
async function makeThings(harness: Harness): Promise<Things> {
  const { key } = await harness.account(10);
  const bed = new ByokBed(harness, upstream);
  const org = await bed.org(5);
  await bed.create(org, { fallbackMode: 'strict' });
  const email = 'ann@example.test';
  await addPerson(harness, { email, name: 'Ann' });
  const browser = new Browser(harness);
  expect((await browser.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200);
  const begun = await browser.post('/api/auth/factors/totp', { password: PASSWORD });
  const totpSecret = String(begun.body.secret);
  const confirmed = await browser.post('/api/auth/factors/totp/confirm', {
    code: codeOf(totpSecret, Date.now() - 30_000),
  });
  expect(confirmed.status, confirmed.text).toBe(200);
  const feed = { form: 'http', name: 'records', url: 'https://feeds.example.com/in', enabled: false };
  await harness.operate('POST', '/admin/v1/feeds', feed);
  const address = { channel: 'webhook', target: 'https://hooks.example.com/in', kinds: ['breaker.tripped'] };
  await harness.operate('POST', '/admin/v1/notices/addresses', address);
  const codes = await harness.operate('POST', '/admin/v1/codes', { amountUsd: 1, count: 1, name: 'gift' });
  const { body: secret } = await harness.request('GET', '/v1/jobs/callback-secret', { key });
  return {
    ...{ key, org, browser, email, totpSecret, callbackSecret: secret },
    once: (await askOnce(harness, key)).body,
    code: String((codes.codes as readonly string[])[0]),
    cacheKey: await sentCacheKey(harness, key),
  };
}

/** Everything that was made works at this gateway, as it did. */
async function expectThings(harness: Harness, things: Things): Promise<void> {
  const { key, org, browser } = things;
  expect((await harness.chat(key, { model: 'openai/test' })).status).toBe(200);
  expect((await askOnce(harness, key)).body.id).toBe(things.once.id);
  upstream.clearRequests();
  expect((await harness.chat(org.key, { model: 'openai/test' })).status).toBe(200);
  expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  const session = await Browser.withCookiesOf(browser, harness).get('/api/auth/session');
  expect(session.status).toBe(200);
  expect(await sentCacheKey(harness, key)).toBe(things.cacheKey);
}

const phaseOf = async (harness: Harness): Promise<unknown> => (await harness.operate('GET', '/admin/v1/secret')).phase;

const refusal = async (...secrets: [string, string?]): Promise<string> => {
  const problem = await start('refused', ...secrets).then(
    () => 'it started',
    (error: unknown) => String(error),
  );
  expect(problem).not.toContain(secrets[0]);
  return problem;
};

/** How many sealed texts each secret opens. */
async function openedBy(secret: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const column of sealedColumns) {
    const key = derivePath(secret, column.purposes);
    const query = {
      query: async (statement: { text: string }, values: readonly unknown[] = []) =>
        rows<never>(database.url, statement.text, [...values]),
    };
    for (const { row, value } of await columnStore(column).readLast(query as never, 1_000)) {
      const { opened } = sealAnew({ column, row, value, key });
      if (opened > 0)
        counts[`${column.table}.${column.column}`] = (counts[`${column.table}.${column.column}`] ?? 0) + opened;
    }
  }
  return counts;
}

test('a secret is replaced under two gateways that go on serving', async () => {
  let first = await start('first', OLD);
  let second = await start('second', OLD);
  const things = await makeThings(first);
  await expectThings(second, things);
  expect(await phaseOf(first)).toBe('steady');
  expect(things.cacheKey).toMatch(/^[\w-]{40}$/);
  const sealedBefore = await openedBy(OLD);
  expect(Object.keys(sealedBefore).sort()).toEqual([
    'byok_keys.sealed_api_key',
    'call_feeds.settings',
    'config_revisions.document',
    'idempotent_calls.answer',
    'notice_addresses.secret',
    'notice_addresses.target',
    'totp_secrets.secret',
  ]);
  const revision = (await first.operate('GET', '/admin/v1/config/revisions')) as { revisions: Json[] };

  // One process knows both secrets, the other only the former: each reads what the other writes.
  await second.close();
  second = await start('second', NEW, OLD);
  expect(await phaseOf(second)).toBe('spreading');
  const between = await new ByokBed(second, upstream).org(5);
  await new ByokBed(second, upstream).create(between, { fallbackMode: 'strict' });
  for (const harness of [first, second]) {
    await expectThings(harness, things);
    upstream.clearRequests();
    expect((await harness.chat(between.key, { model: 'openai/test' })).status).toBe(200);
    expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer ${API_KEY}`);
  }
  expect(await phaseOf(second)).toBe('spreading');
  // One that is started with the former secret alone still serves.
  await (await start('third', OLD)).close();

  await first.close();
  first = await start('first', NEW, OLD);
  await expect
    .poll(
      async () => {
        await Promise.all([expectThings(first, things), second.chat(things.key, { model: 'openai/test' })]);
        return phaseOf(first);
      },
      { timeout: PATIENCE_MS },
    )
    .toBe('steady');
  await expectThings(second, things);
  expect((await first.operate('GET', '/admin/v1/secret')).isPreviousNeeded).toBe(false);

  // Nothing is left that the former secret opens, and all is there that was.
  expect(await openedBy(OLD)).toEqual({});
  const sealedAfter = await openedBy(NEW);
  for (const [column, count] of Object.entries(sealedBefore)) {
    expect(sealedAfter[column], column).toBeGreaterThanOrEqual(count);
  }

  // The former one may still be given, or not.
  await second.close();
  second = await start('second', NEW);
  await expectThings(second, things);
  const again = new Browser(second);
  expect((await again.post('/api/auth/login', { email: things.email, password: PASSWORD })).status).toBe(202);
  const code = await again.post('/api/auth/second-factor', { code: codeOf(things.totpSecret, Date.now()) });
  expect(code.status, code.text).toBe(200);
  expect((await second.request('GET', '/v1/jobs/callback-secret', { key: things.key })).body).toEqual(
    things.callbackSecret,
  );
  const redeemed = await second.request('POST', '/v1/credits/redeem', { key: things.key, body: { code: things.code } });
  expect(redeemed.status, redeemed.text).toBe(200);
  expect(await second.operate('GET', '/admin/v1/config/revisions')).toEqual(revision);
  expect(await refusal(OLD)).toContain('TOLLGATE_SECRET: is not the secret of this database');

  // Going back is a change like any other; while a change is under way a third secret is refused.
  await first.close();
  await second.close();
  first = await start('first', OLD, NEW);
  await expect.poll(() => phaseOf(first)).toBe('steady');
  await expectThings(first, things);
  await first.close();
});

describe('a secret that does not fit is refused at start', () => {
  let small: FreshDatabase;

  beforeAll(async () => {
    small = database;
    database = await freshDatabase();
    await (await start('one', OLD)).close();
  });

  afterAll(async () => {
    await database.drop();
    database = small;
  });

  test('another one, a wrong former one, one that is under way, and one that is dropped too early', async () => {
    expect(await refusal(OTHER)).toContain('set TOLLGATE_SECRET_PREVIOUS to the former one');
    expect(await refusal(NEW, OTHER)).toContain('TOLLGATE_SECRET_PREVIOUS: is not the secret of this database');
    const between = await start('two', OLD);
    const both = await start('one', NEW, OLD);
    // The new secret is announced and not in use: the former one alone is enough, and the new one alone is not.
    expect(await refusal(NEW)).toContain('TOLLGATE_SECRET: is not the secret');
    await both.close();
    await between.close();
    await rows(database.url, 'update root_secrets set in_use_since = now() where in_use_since is null');
    expect(await refusal(NEW)).toContain('something is still sealed with the former secret');
    expect(await refusal(NEW, OTHER)).toContain('TOLLGATE_SECRET_PREVIOUS: is not the former secret');
    expect(await refusal(OTHER, NEW)).toContain('another change of the secret is under way');
    expect(await refusal(OLD)).toContain('TOLLGATE_SECRET_PREVIOUS');
  });

  test('the first start of this version takes no secret that opens nothing, and no change at once', async () => {
    await rows(database.url, 'delete from root_secrets');
    expect(await refusal(NEW, OLD)).toContain('Start once with the present secret');
    expect(await refusal(NEW)).toContain('opens nothing that is stored there');
    await (await start('one', OLD)).close();
  });
});

describe('what is sealed', () => {
  test('is in columns that there are, in the order of their primary keys', async () => {
    for (const { table, key, column } of sealedColumns) {
      const names = await rows<{ name: string }>(
        database.url,
        `select a.attname as name from pg_index i
         join lateral unnest(i.indkey) with ordinality k (attnum, place) on true
         join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
         where i.indrelid = $1::regclass and i.indisprimary order by k.place`,
        [table],
      );
      expect(
        names.map(({ name }) => name),
        table,
      ).toEqual(Object.keys(key));
      await rows(database.url, `select ${column} from ${table} limit 0`);
    }
  });

  test('is known by purpose: kept in a column, or gone within the hour', () => {
    const passing = ['answers,answers.content', 'image-proxy', 'oauth', 'sign-on-memory'];
    const kept = new Set(sealedColumns.map(({ purposes }) => purposes.join(',')));
    const source = new URL('../../src/', import.meta.url);
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const used = new Set(
      files.flatMap((name) =>
        [...readFileSync(new URL(name, source), 'utf8').matchAll(/\.sealingKey\(('[^)]*')\)/g)].map(([, list = '']) =>
          list.replace(/['\s]/g, ''),
        ),
      ),
    );
    expect([...used].sort()).toEqual([...kept, ...passing].sort());
  });
});
