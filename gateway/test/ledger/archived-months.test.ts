// A month that was sealed long ago is archived to a file, as its operator does it. The database removes the charges
// only when the file has them all, keeps everything else, still balances, says what it no longer knows, and takes no
// charge again that may be in the file.

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { lockMonthsForReading } from '../../src/modules/ledger/store/audit/span.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { folded } from '../folded.ts';
import { ADMIN_TOKEN, type Harness, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

const DAY_MS = 86_400_000;
const monthStartMs = (before: number): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - before, 1);
};
const monthOf = (before: number): string => new Date(monthStartMs(before)).toISOString().slice(0, 7);
const FIRST = monthOf(6);
const SECOND = monthOf(5);

let harness: Harness;
let client: Client;
let folder: string;
let file: string;
let user: { userId: string; key: string };
let chargedId: string;

const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;

/** As far as the database can tell, calls are made and entered in the middle of a past month. */
async function callsIn(before: number, count: number): Promise<string> {
  const at = new Date(monthStartMs(before) + 14 * DAY_MS);
  await rows(`alter table journal_entries alter created_at set default timestamptz '${at.toISOString()}'`);
  const startedMs = Date.now();
  let lastId = '';
  for (let made = 0; made < count; made += 1) {
    const answer = await harness.chat(user.key, { model: 'test/model' });
    expect(answer.status).toBe(200);
    lastId = String(answer.body.id);
  }
  await folded(rows);
  await rows('update generations set created_at = $1 where created_at > $2', [at, new Date(startedMs - 1_000)]);
  await rows('alter table journal_entries alter created_at set default now()');
  return lastId;
}

async function tollgate(...parameters: string[]) {
  const printed: string[] = [];
  const environment = { TOLLGATE_URL: harness.url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN };
  const print = (text: string): void => void printed.push(text);
  const code = await runCli({ commands: allCommands, parameters, environment, terminal: { print, printError: print } });
  return { code, text: printed.join('\n') };
}

const charges = async (): Promise<number> =>
  Number((await rows("select count(*) as n from journal_entries where kind = 'charge'"))[0]?.n);

beforeAll(async () => {
  harness = await startHarness({ models: { 'test/model': { commands: 'tokens-100-20' } } });
  client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-archive-'));
  file = join(folder, 'first.jsonl.gz');
  const database = openDatabase(harness.databaseUrl, silentLogger);
  const connect = sessionsOf(harness.databaseUrl);
  const books = createBooks({ connect, database, clock: systemClock, logger: silentLogger });
  // While months are read, the gateway's own job does not seal one that is still being filled.
  await books.inSession(async (session) => {
    await lockMonthsForReading(session);
    await rows(`alter table journal_entries alter created_at set default timestamptz '${FIRST}-02T00:00:00Z'`);
    user = await harness.account(5);
    chargedId = await callsIn(6, 3);
    await callsIn(5, 2);
    await callsIn(0, 1);
  });
  // The gateway's own job may be running, and then it seals the month.
  const sealed = async () => {
    await books.closeMonths();
    const months = await rows(
      "select to_char(month, 'YYYY-MM') as month from ledger_months where sealed_at is not null",
    );
    return months.map(({ month }) => month);
  };
  await vi.waitFor(async () => expect(await sealed()).toContain(SECOND), { timeout: PATIENCE_MS });
  await database.close();
});

afterAll(async () => {
  await client.end();
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

test('charges are only removed in the order of months, long after their end, and with the digest of all of them', async () => {
  const archive = (month: string, sha256: string) =>
    harness.request('POST', `/admin/v1/ledger/months/${month}/archive`, { key: ADMIN_TOKEN, body: { sha256 } });
  const digest = 'a'.repeat(64);
  const refusal = async (month: string) => (await archive(month, digest)).text;
  expect(await refusal(FIRST)).toContain('another digest');
  expect(await refusal(SECOND)).toContain('A month before it is not archived');
  expect(await refusal(monthOf(0))).toContain('is not sealed');
  expect((await archive('2026-13', digest)).status).toBe(404);
  expect((await archive(FIRST, 'short')).status).toBe(400);
  await expect(rows("delete from journal_entries where kind = 'charge'")).rejects.toThrow('is refused');
  expect(await charges()).toBe(6);
});

test('the command writes the file, and only then the charges are gone; the books still balance', async () => {
  const archived = await tollgate('ledger', 'archive', '--month', FIRST, '--file', file);
  expect(archived.text).toContain('removedCharges');
  expect(archived.code).toBe(0);
  expect(await charges()).toBe(3);
  const lines = gunzipSync(await readFile(file))
    .toString('utf8')
    .trim()
    .split('\n');
  expect(lines).toHaveLength(4);
  expect(lines.map((line) => JSON.parse(line).kind).sort()).toEqual(['charge', 'charge', 'charge', 'credit']);
  // Entries that keep a payment from being credited twice stay.
  expect(await rows("select 1 from journal_entries where kind = 'credit'")).toHaveLength(1);
  await expect(rows("delete from journal_entries where kind = 'credit'")).rejects.toThrow('is refused');
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, entries: 7, discrepancies: [] });
  const second = await harness.operate('GET', `/admin/v1/ledger/check?month=${SECOND}`);
  expect(second).toMatchObject({ ok: true, entries: 2, discrepancies: [] });
  // Asked again, it finds nothing to do.
  const again = await tollgate('ledger', 'archive', '--month', FIRST, '--file', file);
  expect(again).toMatchObject({ code: 0 });
  expect((await tollgate('ledger', 'months')).text).toContain(FIRST);
});

test('an archived month is checked from its file, which must be the very same', async () => {
  const check = (path: string) => tollgate('ledger', 'check', '--month', FIRST, '--file', path);
  expect(await check(file)).toMatchObject({ code: 0 });
  const text = gunzipSync(await readFile(file)).toString('utf8');
  const changed = join(folder, 'changed.jsonl.gz');
  await writeFile(changed, gzipSync(text.replace(/"amountNanoUsd" : "(\d+)"/, '"amountNanoUsd" : "1$1"')));
  const found = await check(changed);
  expect(found.code).toBe(1);
  expect(found.text).toContain('the month was archived with');
  expect(found.text).toContain(`account ${user.userId}`);
  await writeFile(changed, gzipSync(text.slice(text.indexOf('\n') + 1)));
  expect((await check(changed)).text).toContain('the file has 3 entries, the month was sealed with 4');
  expect(await check(join(folder, 'none.gz'))).toMatchObject({ code: 1 });
  const open = await harness.request('GET', `/admin/v1/ledger/check?month=${FIRST}`, { key: ADMIN_TOKEN });
  expect(open).toMatchObject({ status: 400, text: expect.stringContaining('is archived') });
});

test('what cannot be told any more is said, and no balance is wrong', async () => {
  const statement = (query: string) => harness.request('GET', `/v1/statement${query}`, { key: user.key });
  const balance = (await statement(`?from=${SECOND}-01`)).body;
  const whole = (await statement('')).body;
  expect(whole).toMatchObject({
    from: `${SECOND}-01T00:00:00.000Z`,
    openingBalanceUsd: balance.openingBalanceUsd,
    closingBalanceUsd: balance.closingBalanceUsd,
  });
  expect(whole.entries).toHaveLength(3);
  const byDay = (await statement('?by=day')).body;
  expect(byDay).toMatchObject({ from: whole.from, openingBalanceUsd: whole.openingBalanceUsd });
  expect(byDay.entries).toHaveLength(2);
  const [checkpoint] = await rows(
    'select total_credited_nano_usd - total_spent_nano_usd as n from ledger_checkpoints where month = $1',
    [`${FIRST}-01`],
  );
  expect(Number(whole.openingBalanceUsd)).toBeCloseTo(Number(checkpoint?.n) / 1e9, 9);
  const inArchive = [`?from=${FIRST}-01`, `?to=${FIRST}-20`];
  for (const query of [...inArchive, `?to=${FIRST}-20&by=day`, `?from=${FIRST}-01&format=csv`]) {
    expect(await statement(query)).toMatchObject({ status: 400, text: expect.stringContaining('are archived') });
  }
  const refund = { key: ADMIN_TOKEN, body: { reason: 'late' } };
  const refused = await harness.request('POST', `/admin/v1/generations/${chargedId}/refund`, refund);
  // The id was made now, whatever the entry says: it is a call that was never charged.
  expect(refused.status).toBe(404);
  const oldId = newTimedId('gen', monthStartMs(6) + DAY_MS);
  const archived = await harness.request('POST', `/admin/v1/generations/${oldId}/refund`, refund);
  expect(archived).toMatchObject({ status: 409, text: expect.stringContaining('archived') });
  // The record is still here, and says where the rest is.
  await rows(
    `insert into generations select (jsonb_populate_record(g, jsonb_build_object('id', $2::text))).*
     from generations g where id = $1`,
    [chargedId, oldId],
  );
  const explained = await tollgate('explain', oldId);
  expect(explained.text).toContain('The charge and its price are in the archive of');
  expect((await tollgate('explain', oldId, '--json')).text).toContain('"archived": true');
  await rows('delete from generations where id = $1', [oldId]);
});

test('a month of an organization that was never issued is not issued from what is left of it', async () => {
  const org = await harness.operate('POST', '/admin/v1/orgs', { name: 'Late', ownerUserId: user.userId });
  const read = (month: string) =>
    harness.request(
      'GET',
      `/admin/v1/orgs/${org.id}/statements?year=${month.slice(0, 4)}&month=${Number(month.slice(5))}`,
      {
        key: ADMIN_TOKEN,
      },
    );
  expect(await read(FIRST)).toMatchObject({ status: 409, text: expect.stringContaining('archived') });
  expect(await read(SECOND)).toMatchObject({ status: 200 });
});

test('a charge that may be in the file is refused, and others are not', async () => {
  const enter = (id: string) =>
    rows(
      `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
       values ($1, 'system-revenue', 0, 'charge', $2)`,
      [user.userId, id],
    );
  const refused = { code: '23001' };
  await expect(enter(newTimedId('gen', monthStartMs(6) + 3 * DAY_MS))).rejects.toMatchObject(refused);
  await expect(enter(newTimedId('gen', monthStartMs(9)))).rejects.toMatchObject(refused);
  await expect(enter(newTimedId('gen', monthStartMs(5) + DAY_MS / 2))).rejects.toMatchObject(refused);
  await expect(enter('gen-0123456789abcdef01234567')).rejects.toMatchObject(refused);
  await client.query('begin');
  await enter(newTimedId('gen', monthStartMs(5) + 2 * DAY_MS));
  await enter(newTimedId('gen', Date.now()));
  await client.query('rollback');
});
