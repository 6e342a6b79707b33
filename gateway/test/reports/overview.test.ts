// The operator's overview is compared with the books, to the nano-dollar, and so is the log of calls: each filter finds
// every call, refused calls leave a row without the prompt, and a flood of them is sampled.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRefusals } from '../../src/modules/usage/refusals.ts';
import type { RefusalRow } from '../../src/modules/usage/store/refusals.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { SetClock } from '../caps/set-clock.ts';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';
import { parseCsv } from './parse-csv.ts';

let harness: Harness;
let ann: Awaited<ReturnType<Harness['account']>>;
let ben: Awaited<ReturnType<Harness['account']>>;
let orgId: string;
let orgKey: string;
let answered: Json;
const SECRET = 'a secret that nobody keeps';

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/dear': { commands: 'tokens-1001-777' },
      'openai/broken': { commands: 'status-500' },
      'openai/unpriced': { entry: { pricing: {} } },
    },
  });
  ann = await harness.account(5);
  ben = await harness.account('0.3');
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: ben.userId });
  orgId = String(org.id);
  await harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 2, note: '' });
  const terms = { billingPlan: 'monthly', creditLineUsd: 5 };
  const monthly = await harness.operate('POST', '/admin/v1/orgs', { name: 'Beta', ownerUserId: ben.userId, ...terms });
  await harness.operate('POST', `/admin/v1/orgs/${monthly.id}/credits`, { amountUsd: 3, note: '' });
  const made = await harness.operate('POST', `/admin/v1/orgs/${orgId}/keys`, { name: 'app', userId: ben.userId });
  orgKey = String(made.key);
  answered = (await harness.chat(ann.key, { model: 'openai/dear' }, { 'X-Title': 'Editor' })).body;
  await harness.stream(ann.key, { model: 'openai/dear' });
  await harness.chat(ben.key, { model: 'openai/dear' });
  await harness.chat(orgKey, { model: 'openai/test' });
  await harness.chat(ann.key, { model: 'openai/broken' });
  await harness.chat(ann.key, { model: 'openai/none', messages: [{ role: 'user', content: SECRET }] });
  await harness.chat(ann.key, { model: 'openai/dear', max_tokens: 10_000_000, messages: [] });
  await harness.chat('sk-tg-nobody', { model: 'openai/dear' });
  const refunded = await harness.chat(ann.key, { model: 'openai/dear' });
  await harness.operate('POST', `/admin/v1/generations/${refunded.body.id}/refund`, { reason: 'test' });
  await harness.operate('POST', `/admin/v1/users/${ben.userId}/adjustments`, {
    amountUsd: '-0.000000001',
    reason: 'r',
  });
});

afterAll(() => harness.close());

async function rows<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

const nano = (usd: unknown): bigint => BigInt(Math.round(Number(usd) * 1e9));

type Overview = Readonly<{
  totals: Json;
  money: Json[];
  balances: Json;
  byDay: Json[];
  byHour: Json[];
  topAccounts: Json[];
  topModels: Json[];
  topKeys: Json[];
  attention: Json[];
}>;

describe('the overview', () => {
  test('equals the books to the nano-dollar', async () => {
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    const path = `/admin/v1/overview?from=${yesterday}`;
    const overview = (await harness.operate('GET', path)) as unknown as Overview;
    const books = await rows<{ kind: string; amount: string }>(
      `select kind, sum(amount_nano_usd) as amount from journal_entries group by kind`,
    );
    const booked = (kind: string): bigint => BigInt(books.find((row) => row.kind === kind)?.amount ?? 0);
    const { totals, money, balances } = overview;
    expect(booked('charge')).toBeGreaterThan(0n);
    expect(nano(totals.revenueUsd)).toBe(booked('charge'));
    expect(nano(totals.refundsUsd)).toBe(booked('refund'));
    expect(nano(money.find(({ kind }) => kind === 'credit')?.amountUsd)).toBe(booked('credit'));
    expect(nano(money.find(({ kind }) => kind === 'adjustment')?.amountUsd)).toBe(-booked('adjustment'));
    const left = booked('credit') + booked('refund') - booked('adjustment') - booked('charge');
    expect(nano(balances.prepaidUsd) + nano(balances.owedUsd)).toBe(left);
    // The organization that pays monthly has paid more than it used.
    expect(nano(balances.owedUsd)).toBe(0n);
    for (const part of [overview.byDay, overview.byHour, overview.topAccounts, overview.topModels, overview.topKeys]) {
      expect(part.reduce((sum, { revenueUsd }) => sum + nano(revenueUsd), 0n)).toBe(booked('charge'));
      expect(part.reduce((sum, { calls }) => sum + Number(calls), 0)).toBe(totals.calls);
    }
    const summed = ['revenueUsd', 'markupUsd', 'absorbedUsd', 'refundsUsd', 'costUsd', 'marginUsd'];
    for (const name of summed) {
      expect(
        overview.byDay.reduce((sum, day) => sum + nano(day[name]), 0n),
        name,
      ).toBe(nano(totals[name]));
    }
    expect(totals).toMatchObject({ calls: 6, failedCalls: 1, activeUsers: 2, newUsers: 2, absorbedUsd: 0 });
    expect(nano(totals.marginUsd)).toBe(-booked('refund'));
    expect(overview.topAccounts.map(({ name }) => name)).toContain('Acme');
  });

  test('counts what was refused, and says what needs attention', async () => {
    const read = async () => (await harness.operate('GET', '/admin/v1/overview')) as unknown as Overview;
    await expect.poll(async () => (await read()).totals.refusedCalls).toBe(3);
    const { attention } = await read();
    expect(attention.map(({ kind }) => kind)).toContain('unpriced_models');
  });

  test('is empty where there was nothing, and refuses what is no span', async () => {
    const past = await harness.operate('GET', '/admin/v1/overview?from=2020-01-01&to=2020-01-31');
    expect(past).toMatchObject({ totals: { calls: 0, revenueUsd: 0 }, byDay: [], money: [] });
    for (const query of ['from=x', 'to=2026-13-01', 'from=2026-01-02&to=2026-01-01', 'from=2020-01-01&to=2026-01-01']) {
      const answer = await harness.request('GET', `/admin/v1/overview?${query}`, { key: ADMIN_TOKEN });
      expect(answer.status, query).toBe(400);
    }
  });
});

type Call = Readonly<{ id: string; outcome: string; status: number; message: string | null; model: string }>;

async function calls(query: string): Promise<readonly Call[]> {
  return (await harness.operate('GET', `/admin/v1/calls?${query}`)).calls as readonly Call[];
}

describe('the log of calls', () => {
  test('has every call once, the newest first, and turns its pages', async () => {
    await expect.poll(async () => (await calls('')).length).toBe(9);
    const whole = await calls('');
    const paged: Call[] = [];
    let cursor = '';
    do {
      const page = await harness.operate('GET', `/admin/v1/calls?limit=2${cursor}`);
      paged.push(...(page.calls as Call[]));
      cursor = page.next === null ? '' : `&cursor=${page.next}`;
    } while (cursor !== '');
    expect(paged).toEqual(whole);
    const ats = whole.map((call) => (call as unknown as { at: string }).at);
    expect(ats).toEqual(ats.toSorted().toReversed());
  });

  test.each([
    ['user', () => `user=${ben.userId}`, 2],
    ['organization', () => `org=${orgId}`, 1],
    ['key', () => `key=${ann.keyId}`, 6],
    ['model', () => 'model=openai/dear', 4],
    ['provider', () => 'provider=sim', 6],
    ['application', () => 'app=Editor', 1],
    ['failure', () => 'outcome=failed', 1],
    ['refusal', () => 'outcome=refused', 3],
    ['status', () => 'status=401', 1],
    ['id', () => `id=${answered.id}`, 1],
    ['several', () => `user=${ann.userId}&model=openai/dear&outcome=ok`, 3],
    ['another day', () => 'from=2020-01-01&to=2020-01-02', 0],
    ['nobody', () => 'user=usr-none', 0],
  ])('finds calls by %s', async (_name, query, found) => {
    expect(await calls(query())).toHaveLength(found);
  });

  test('finds calls by the address of a user, and says where there is no such user', async () => {
    const { email } = await harness.operate('GET', `/admin/v1/users/${ben.userId}`);
    expect(await calls(`user=${encodeURIComponent(String(email))}`)).toHaveLength(2);
    for (const list of ['calls', 'evidence']) {
      const answer = await harness.request('GET', `/admin/v1/${list}?user=no@example.test`, { key: ADMIN_TOKEN });
      expect(answer.status, list).toBe(404);
    }
  });

  test('tells what the client was told, and nothing of what it had sent', async () => {
    const [failed] = await calls('outcome=failed');
    expect(failed).toMatchObject({ status: 502, message: expect.any(String), model: 'openai/broken' });
    const refused = await calls(`outcome=refused&user=${ann.userId}`);
    expect(refused.map(({ status }) => status)).toEqual([400, 400]);
    expect(refused.map(({ model }) => model)).toContain('openai/none');
    const kept = await rows<{ text: string }>(`select refused_calls::text as text from refused_calls`);
    expect(kept.length).toBeGreaterThanOrEqual(4);
    expect(kept.some(({ text }) => text.includes(SECRET))).toBe(false);
  });

  test('is a file for a spreadsheet too, whole and with the same filters', async () => {
    const answer = await harness.request('GET', '/admin/v1/calls?format=csv&outcome=ok', { key: ADMIN_TOKEN });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [names = [], ...lines] = parseCsv(`\ufeff${answer.text}`);
    const found = await calls('outcome=ok');
    expect(lines.map((line) => line[names.indexOf('id')])).toEqual(found.map(({ id }) => id));
    expect(lines.map((line) => Number(line[names.indexOf('costUsd')]))).toEqual(
      found.map((call) => (call as unknown as { costUsd: number }).costUsd),
    );
  });

  test.each(['outcome=great', 'format=xml', 'status=abc', 'cursor=x', 'limit=0', 'limit=501', 'from=never'])(
    'refuses %s',
    async (query) => {
      expect((await harness.request('GET', `/admin/v1/calls?${query}`, { key: ADMIN_TOKEN })).status).toBe(400);
    },
  );
});

describe('the page about an account', () => {
  test('has what it used, and of an organization its members and keys', async () => {
    const used = await harness.operate('GET', `/admin/v1/users/${ben.userId}/usage?period=7d`);
    expect(used).toMatchObject({ totals: { requests: 1 }, byModel: [{ model: 'openai/dear' }] });
    const path = `/admin/v1/orgs/${orgId}`;
    expect(await harness.operate('GET', `${path}/usage?period=7d`)).toMatchObject({
      totals: { requests: 1 },
      byKey: [{ keyName: 'app', requests: 1 }],
    });
    expect(await harness.operate('GET', `${path}/members`)).toMatchObject({ members: [{ role: 'org_admin' }] });
    expect(await harness.operate('GET', `${path}/keys`)).toMatchObject({ keys: [{ name: 'app', requestCount: 1 }] });
    for (const part of ['usage', 'members', 'keys']) {
      const answer = await harness.request('GET', `/admin/v1/orgs/org-none/${part}`, { key: ADMIN_TOKEN });
      expect(answer.status, part).toBe(404);
    }
  });
});

describe('a flood of refusals', () => {
  const refusal = { ...{ requestId: 'r', generationId: null, userId: 'u', keyId: 'k', operation: 'chat', model: 'm' } };
  const told = { appName: null, status: 429, code: '429', message: 'x'.repeat(5_000), durationMs: 1 };

  test('is written in few rows that stand for all of it, and leaves others theirs', async () => {
    const written: RefusalRow[][] = [];
    const database = {
      query: async (_statement: unknown, values: readonly unknown[] = []) => {
        const columns = values as unknown[][];
        written.push(
          (columns[3] ?? []).map((accountId, row) => ({
            ...refusal,
            ...told,
            atMs: 0,
            accountId: accountId as string,
            message: String(columns[11]?.[row]),
            standsFor: Number(columns[13]?.[row]),
          })),
        );
        return [];
      },
    };
    const clock = new SetClock('2028-01-01T00:00:00Z');
    const refusals = createRefusals({ database: database as never, clock, logger: silentLogger });
    for (let call = 0; call < 50_000; call += 1) {
      refusals.note({ ...refusal, ...told, accountId: 'usr-loud', atMs: clock.nowMs() });
    }
    refusals.note({ ...refusal, ...told, accountId: 'usr-calm', atMs: clock.nowMs() });
    await refusals.close();
    const all = written.flat();
    const loud = all.filter(({ accountId }) => accountId === 'usr-loud');
    expect(loud.length).toBeLessThan(30);
    expect(loud.reduce((sum, { standsFor }) => sum + standsFor, 0)).toBeGreaterThan(10_000);
    expect(all.filter(({ accountId }) => accountId === 'usr-calm')).toHaveLength(1);
    expect(Math.max(...all.map(({ message }) => message.length))).toBeLessThanOrEqual(300);
  });
});
