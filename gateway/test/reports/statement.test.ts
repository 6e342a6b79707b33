// Statements as their holders, their organization's readers and the operator see them: complete right after an answer,
// adding up to the balance, in pages, by the day and as a table.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Harness, type Json, startHarness } from '../harness.ts';
import { parseCsv } from './parse-csv.ts';

type Entry = Readonly<{
  id: string;
  kind: string;
  amountUsd: number;
  balanceUsd: number;
  reference: string | null;
  generationId: string | null;
  model: string | null;
  calls: number | null;
}>;
type Statement = Readonly<{
  openingBalanceUsd: number | null;
  closingBalanceUsd: number | null;
  totals: readonly Readonly<{ kind: string; amountUsd: number }>[];
  entries: readonly Entry[];
  next: string | null;
}>;

let harness: Harness;

beforeAll(async () => {
  harness = await startHarness({ models: { 'openai/dear': { commands: 'tokens-1000-1000' } } });
});

afterAll(() => harness.close());

const nano = (usd: number): bigint => BigInt(Math.round(usd * 1e9));

async function read(path: string, key: string): Promise<Statement> {
  const answer = await harness.request('GET', path, { key });
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as Statement;
}

function expectRunning(entries: readonly Entry[], openingUsd = 0): void {
  let balance = nano(openingUsd);
  for (const entry of entries.toReversed()) {
    balance += nano(entry.amountUsd);
    expect(nano(entry.balanceUsd)).toBe(balance);
  }
}

describe('a user', () => {
  let userId: string;
  let key: string;
  const ids: string[] = [];

  beforeAll(async () => {
    ({ userId, key } = await harness.account(10));
    await harness.request('POST', `/admin/v1/users/${userId}/credits`, {
      key: ADMIN_TOKEN,
      body: { amountUsd: '0.5', note: '=HYPERLINK("http://x.test")' },
      headers: { 'Idempotency-Key': 'wire-7' },
    });
  });

  test('reads a statement that has a call as soon as it is answered', async () => {
    for (let call = 1; call <= 5; call += 1) {
      const answer = await harness.chat(key, { model: 'openai/dear' });
      const cost = Number((answer.body.usage as Json).cost);
      expect(cost).toBeGreaterThan(0);
      ids.push(String(answer.body.id));
      const { entries, closingBalanceUsd, totals } = await read('/v1/statement', key);
      expect(entries[0]).toMatchObject({ kind: 'charge', amountUsd: -cost, generationId: answer.body.id });
      expect(entries[0]?.model).toBe('openai/dear');
      expect(entries).toHaveLength(2 + call);
      expectRunning(entries);
      const credits = (await harness.request('GET', '/v1/credits', { key })).body.data as Json;
      const balance = nano(Number(credits.total_credits)) - nano(Number(credits.total_usage));
      expect(nano(closingBalanceUsd ?? 0)).toBe(balance);
      expect(nano(entries[0]?.balanceUsd ?? 0)).toBe(balance);
      expect(totals.find(({ kind }) => kind === 'credit')?.amountUsd).toBe(10.5);
      expect(nano(totals.find(({ kind }) => kind === 'charge')?.amountUsd ?? 0)).toBe(
        -nano(Number(credits.total_usage)),
      );
    }
  });

  test('turns its pages, and the operator reads the same rows', async () => {
    const { entries: whole } = await read('/v1/statement', key);
    const paged: Entry[] = [];
    let cursor = '';
    do {
      const page = await read(`/v1/statement?limit=2${cursor}`, key);
      expect(page.entries.length).toBeLessThanOrEqual(2);
      if (cursor !== '') expect(page.closingBalanceUsd).toBeNull();
      paged.push(...page.entries);
      cursor = page.next === null ? '' : `&cursor=${page.next}`;
    } while (cursor !== '');
    expect(paged).toEqual(whole);
    expect((await read(`/admin/v1/users/${userId}/entries`, ADMIN_TOKEN)).entries).toEqual(whole);
    expect(whole.find(({ kind, reference }) => kind === 'credit' && reference === 'wire-7')).toBeDefined();
  });

  test('has the charges of a day in one row', async () => {
    const { entries, closingBalanceUsd } = await read('/v1/statement?by=day', key);
    expect(entries.filter(({ kind }) => kind === 'charge').reduce((sum, { calls }) => sum + (calls ?? 0), 0)).toBe(5);
    expect(entries.length).toBeLessThanOrEqual(4);
    expectRunning(entries);
    expect(entries[0]?.balanceUsd).toBe(closingBalanceUsd);
  });

  test('chooses a span, and what was before it is the opening balance', async () => {
    const { entries } = await read('/v1/statement', key);
    const ats = entries.map((entry) => (entry as unknown as { at: string }).at);
    const part = await read(`/v1/statement?from=${ats[2]}&to=${ats[0]}`, key);
    expectRunning(part.entries, part.openingBalanceUsd ?? Number.NaN);
    expect(part.entries[0]?.balanceUsd).toBe(part.closingBalanceUsd);
    expect(part.entries.length).toBeGreaterThanOrEqual(1);
    const before = await read('/v1/statement?to=2020-01-01', key);
    expect(before).toMatchObject({ entries: [], openingBalanceUsd: 0, closingBalanceUsd: 0, totals: [] });
    const after = await read('/v1/statement?from=2199-01-01', key);
    expect(after).toMatchObject({ entries: [], openingBalanceUsd: entries[0]?.balanceUsd });
  });

  test('is a table whose amounts are numbers and whose notes are text', async () => {
    const answer = await harness.request('GET', '/v1/statement?format=csv', { key });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    const [head, ...rows] = parseCsv(`\ufeff${answer.text}`);
    const column = (name: string): number => head?.indexOf(name) ?? -1;
    const { entries } = await read('/v1/statement', key);
    expect(rows.map((row) => Number(row[column('amountUsd')]))).toEqual(entries.map(({ amountUsd }) => amountUsd));
    expect(rows.map((row) => Number(row[column('balanceUsd')]))).toEqual(entries.map(({ balanceUsd }) => balanceUsd));
    expect(rows.some((row) => row[column('note')]?.startsWith("'="))).toBe(true);
    expect(rows.map((row) => row[column('generationId')]).filter((id) => id !== '')).toEqual(ids.toReversed());
  });

  test.each([
    'cursor=1',
    'cursor=9999999999999999999_1_1',
    'cursor=1_99999999999999999999_1',
    'limit=0',
    'limit=1001',
    'from=yesterday',
    'to=2026-02-30',
    'from=2026-02-02&to=2026-02-01',
    'from=2020-01-01&to=2026-02-01&by=day',
    'by=week',
    'format=xml',
  ])('refuses %s', async (query) => {
    expect((await harness.request('GET', `/v1/statement?${query}`, { key })).status).toBe(400);
  });

  test('sees nothing of another', async () => {
    const other = await harness.account(1);
    const { entries } = await read('/v1/statement', other.key);
    expect(entries).toHaveLength(1);
    expect((await harness.request('GET', '/admin/v1/users/usr-none/entries', { key: ADMIN_TOKEN })).status).toBe(404);
  });
});

describe('an organization', () => {
  test('shows its statement to those who may see its spending, and to no plain key', async () => {
    const owner = await harness.account(0);
    const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: owner.userId });
    const id = String(org.id);
    await harness.operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 3, note: 'first' });
    const keyOf = async (keyType: string, name: string): Promise<string> => {
      const body = { name, keyType, userId: owner.userId };
      return String((await harness.operate('POST', `/admin/v1/orgs/${id}/keys`, body)).key);
    };
    const standard = await keyOf('standard', 'app');
    const manager = await keyOf('management', 'books');
    await harness.chat(standard, { model: 'openai/dear' });
    expect((await harness.request('GET', '/v1/statement', { key: standard })).status).toBe(403);
    const own = await read(`/v1/orgs/${id}/statement`, manager);
    expect(own.entries.map(({ kind }) => kind)).toEqual(['charge', 'credit']);
    expect((await read('/v1/statement', manager)).entries).toEqual(own.entries);
    expect((await read(`/admin/v1/orgs/${id}/entries`, ADMIN_TOKEN)).entries).toEqual(own.entries);
    const stranger = await harness.account(1);
    expect((await harness.request('GET', `/v1/orgs/${id}/statement`, { key: stranger.key })).status).toBe(403);
  });
});
