// How the journal gets its months: the build before goes on serving a database after the migration, the entries are
// read without blocking calls, months begin when no process needs the one table any more, and no call is charged twice,
// whichever build charged it and wherever its charge lies.

import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { migrate, migrationsFolder } from '../../src/platform/db/migrate.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newId, newTimedId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { emptyDatabase, type FreshDatabase } from '../database.ts';

const THIS = '-journal-by-month.sql';
const CALLS = 500;

let fresh: FreshDatabase;
let client: Client;
let folder: string;

const rows = async (text: string, values: unknown[] = []) => (await client.query(text, values)).rows;
const monthStartMs = (ahead: number): number => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1);
};
const firstDay = (ahead: number): string => new Date(monthStartMs(ahead)).toISOString().slice(0, 10);

/** As the build before this one writes a charge whose slice is in doubt. */
const enterAsBefore = async (id: string): Promise<number> =>
  (
    await rows(
      `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
       values ('usr-1', 'system-revenue', 5, 'charge', $1)
       on conflict (generation_id) where kind = 'charge' do nothing returning id`,
      [id],
    )
  ).length;

const creditAsBefore = async (reference: string): Promise<number> =>
  (
    await rows(
      `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference)
       values ('system-funding', 'usr-1', 5, 'credit', $1)
       on conflict (kind, reference) where reference is not null do nothing returning id`,
      [reference],
    )
  ).length;

const enter = async (id: string): Promise<number> =>
  (
    await rows(
      `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
       values ('usr-1', 'system-revenue', 5, 'charge', $1) on conflict do nothing returning id`,
      [id],
    )
  ).length;

const placeOf = async (id: string): Promise<string | undefined> =>
  (await rows('select tableoid::regclass::text as name from journal_entries where generation_id = $1', [id]))[0]?.name;

async function upTo(isWanted: (name: string) => boolean): Promise<void> {
  for (const name of await readdir(migrationsFolder)) {
    if (isWanted(name)) await copyFile(join(migrationsFolder, name), join(folder, name));
  }
  await migrate(fresh.url, folder, silentLogger);
}

beforeAll(async () => {
  fresh = await emptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  client = new Client({ connectionString: fresh.url });
  await client.connect();
  const number = (await readdir(migrationsFolder)).find((name) => name.endsWith(THIS))?.slice(0, 4) ?? '';
  await upTo((name) => name.slice(0, 4) < number);
  await rows("insert into accounts (id) values ('usr-1')");
  await rows(
    `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
     select 'usr-1', 'system-revenue', 1, 'charge', 'gen-' || md5(n::text) from generate_series(1, ${CALLS}) n`,
  );
  await creditAsBefore('first');
  await upTo(() => true);
});

afterAll(async () => {
  await client.end();
  await fresh.drop();
  await rm(folder, { recursive: true });
});

test('after the migration both builds enter and read the same journal, and refuse what the other has entered', async () => {
  const [{ n, last }] = await rows('select count(*)::integer as n, max(id)::integer as last from journal_entries');
  expect(n).toBe(CALLS + 1);
  const before = newTimedId('gen', Date.now());
  const after = newTimedId('gen', Date.now());
  expect([await enterAsBefore(before), await enter(before), await enterAsBefore(before)]).toEqual([1, 0, 0]);
  expect([await enter(after), await enterAsBefore(after), await enter(after)]).toEqual([1, 0, 0]);
  expect(await creditAsBefore('first')).toBe(0);
  expect(await creditAsBefore('second')).toBe(1);
  expect(await rows('select count(*)::integer as n from ledger_entries')).toEqual([{ n: CALLS + 4 }]);
  // Ids continue from where they were.
  const ids = await rows('select id::integer from journal_entries where id > $1 order by id', [last]);
  expect(ids[0]?.id).toBe(last + 1);
  for (const text of ['update journal_entries set amount_nano_usd = 0', 'delete from journal_entries']) {
    await expect(rows(text)).rejects.toThrow('is refused');
  }
});

test('months begin a week after the upgrade, when no process of an older build is left, and not before', async () => {
  const database = openDatabase(fresh.url, silentLogger);
  const books = createBooks({ connect: sessionsOf(fresh.url), database, clock: systemClock, logger: silentLogger });
  const hasBegun = async () => (await rows('select first_month::text as month from journal_began')).length > 0;
  try {
    await books.beginMonths();
    expect(await hasBegun()).toBe(false);
    await rows("update schema_migrations set applied_at = now() - interval '8 days'");
    await rows("insert into processes (id) values ('prc-before')");
    await books.beginMonths();
    expect(await hasBegun()).toBe(false);
    expect(await books.ensureMonths([firstDay(1)])).toEqual([]);
    await rows("delete from processes where id = 'prc-before'");
    // An exchange that could not be finished before its month begins again, for a later month.
    await rows("select begin_journal_months(date_trunc('month', now())::date)");
    await books.beginMonths();
    expect(await hasBegun()).toBe(true);
    const [{ month }] = await rows('select first_month::text as month from journal_began');
    expect([firstDay(1), firstDay(2)]).toContain(month);
    expect(await books.ensureMonths([firstDay(0), month, firstDay(3)])).toEqual([month, firstDay(3)]);
    expect(await books.ensureMonths([month])).toEqual([]);
  } finally {
    await database.close();
  }
  // A build that writes to the one table is refused at its start, and not by its first charge.
  const older = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  await writeFile(join(older, '0001-first.sql'), '');
  await expect(migrate(fresh.url, older, silentLogger)).rejects.toThrow('newer than this build can serve');
  await rm(older, { recursive: true });
});

test('in a new database months begin with its first process, and every charge lies in one', async () => {
  const own = await emptyDatabase();
  const ownClient = new Client({ connectionString: own.url });
  const database = openDatabase(own.url, silentLogger);
  const books = createBooks({ connect: sessionsOf(own.url), database, clock: systemClock, logger: silentLogger });
  try {
    await migrate(own.url, migrationsFolder, silentLogger);
    await ownClient.connect();
    const places = async (ids: readonly string[]) => {
      const text = `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
        select 'usr-1', 'system-revenue', 5, 'charge', unnest($1::text[]) returning tableoid::regclass::text as name`;
      return (await ownClient.query(text, [ids])).rows.map(({ name }) => name);
    };
    await ownClient.query(
      `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference)
       values ('system-funding', 'usr-1', 5, 'credit', 'first')`,
    );
    await books.beginMonths();
    const tableOf = (ahead: number) => `journal_entries_${firstDay(ahead).slice(0, 7).replace('-', '_')}`;
    const ids = [Date.now(), monthStartMs(0), monthStartMs(2)].map((atMs) => newTimedId('gen', atMs));
    expect(await places(ids)).toEqual([tableOf(0), tableOf(0), tableOf(2)]);
    expect(await places([newTimedId('gen', monthStartMs(0) - 1)])).toEqual(['ledger_entries']);
    await books.beginMonths();
  } finally {
    await ownClient.end();
    await database.close();
    await own.drop();
  }
});

test('a call is charged once wherever its charge lies, and its place follows from its id', async () => {
  const [{ month }] = await rows('select first_month::text as month from journal_began');
  const startMs = Date.parse(month);
  const now = newTimedId('gen', Date.now());
  const last = newTimedId('gen', startMs - 1);
  const first = newTimedId('gen', startMs);
  const old = newId('gen');
  for (const id of [now, last, first, old]) expect([await enter(id), await enter(id)]).toEqual([1, 0]);
  expect(await placeOf(now)).toBe('ledger_entries');
  expect(await placeOf(last)).toBe('ledger_entries');
  expect(await placeOf(first)).toBe(`journal_entries_${month.slice(0, 7).replace('-', '_')}`);
  expect(await placeOf(old)).toBe('ledger_entries');
  await expect(rows('delete from journal_entries where generation_id = $1', [first])).rejects.toThrow('is refused');
  // Only that partition is looked at.
  const plan = await rows(`explain (costs off) select * from charge_of('${first}')`);
  const looked = plan.map((row) => row['QUERY PLAN']).join('\n');
  expect(looked.match(/(?:journal|ledger)_entries_\w+ on \w+|Scan on \w+/g) ?? []).toHaveLength(1);
});

test('a charge that came before its month was made moves there, and is still charged once', async () => {
  const early = newTimedId('gen', monthStartMs(5) + 1_000);
  expect(await enter(early)).toBe(1);
  expect(await placeOf(early)).toBe('journal_entries_default');
  expect(await rows('select ensure_journal_month($1::date) as made', [firstDay(5)])).toEqual([{ made: true }]);
  expect(await placeOf(early)).toBe(`journal_entries_${firstDay(5).slice(0, 7).replace('-', '_')}`);
  expect(await enter(early)).toBe(0);
  await expect(rows('delete from journal_entries where generation_id = $1', [early])).rejects.toThrow('is refused');
});

test('a month is not dropped that is not archived', async () => {
  await expect(rows('select drop_journal_month($1::date)', [firstDay(5)])).rejects.toThrow('is not archived');
  expect(await rows('select drop_journal_month($1::date) as n', [firstDay(9)])).toEqual([{ n: null }]);
});
