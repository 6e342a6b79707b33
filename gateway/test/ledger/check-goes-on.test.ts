// A check goes on where the last one ended: it reads only what is new, including entries that commit late, and a check
// of everything finds what it does not read again. The database counts the rows that it reads.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { createBooks } from '../../src/modules/ledger/books.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let only: LedgerProcess;
let accountId: string;

const forever: SpendCap = {
  ...{ kind: 'cap', scope: 'key', scopeId: 'key-1', window: 'never', limitNanoUsd: 1_000_000n, sinceMs: 0 },
  covers: { keyId: 'key-1' },
};

async function call(costNanoUsd: bigint): Promise<string> {
  const held = await only.ledger.reserve(accountId, newTimedId('gen', Date.now()), costNanoUsd, [forever]);
  await settled(only.ledger, held, { ...recordOf(held, costNanoUsd), createdAtMs: Date.now() });
  return held.generationId;
}

const check = () => only.ledger.check('new');
const checkAll = () => only.ledger.check('everything');

/** Past all rules. */
async function spoil(text: string, values: unknown[] = []): Promise<void> {
  const tables = await bed.journalTables();
  for (const table of tables) await bed.rows(`alter table ${table} disable trigger user`);
  await bed.rows(text, values);
  for (const table of tables) await bed.rows(`alter table ${table} enable trigger user`);
}

/** How many rows of these tables were read meanwhile. The session of a check reports its figures when it ends. */
async function rowsRead(tables: string, run: () => Promise<unknown>): Promise<number> {
  const read = async (): Promise<number> => {
    await bed.rows('select pg_stat_clear_snapshot()');
    const [row] = await bed.rows<{ n: string }>(
      `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0)) as n from pg_stat_user_tables where relname ~ $1`,
      [tables],
    );
    return Number(row?.n);
  };
  const isThere = async () => {
    const last =
      "datname = current_database() and pid <> pg_backend_pid() and query ~ 'ledger_mark|ledger_entries_one_credit'";
    return (await bed.rows(`select from pg_stat_activity where ${last}`)).length > 0;
  };
  while (await isThere());
  const before = await read();
  await run();
  while (await isThere());
  return (await read()) - before;
}

const MANY = 4_000;

beforeAll(async () => {
  bed = await openBed();
  only = await bed.startProcess();
  accountId = await fundedAccount(only, 1_000_000n);
  await call(40n);
  await bed.folded();
  // Many calls with their records, as if they had been made and folded before.
  await bed.rows(
    `with made as (
       select 'gen-' || lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 7200000 + n), 12, '0')
              || lpad(to_hex(n), 24, '0') as id, n
       from generate_series(1, ${MANY}) n
     ), charged as (
       insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
       select $1, 'system-revenue', 1, 'charge', id from made
     )
     insert into generations select made_record.* from made cross join (select * from generations limit 1) g
     cross join lateral jsonb_populate_record(null::generations, to_jsonb(g) || jsonb_build_object(
       'id', made.id, 'cost_nano_usd', 1, 'created_at', now() - interval '2 hours' + made.n * interval '1 millisecond')
     ) made_record`,
    [accountId],
  );
  await bed.rows(
    `update accounts set balance_nano_usd = balance_nano_usd - ${MANY}, total_spent_nano_usd = total_spent_nano_usd + ${MANY}
     where id = $1`,
    [accountId],
  );
  await bed.rows('analyze');
});

afterAll(async () => {
  await bed.close();
});

test('the first check reads everything, and the next one only what is new', async () => {
  expect(await check()).toMatchObject({
    ok: true,
    entries: MANY + 2,
    entriesBefore: 0,
    everythingAt: expect.any(Date),
  });
  await bed.rows(`update ledger_mark set records_until = now()`);
  await call(7n);
  await call(9n);
  await bed.folded();
  const journal = await rowsRead('^(journal|ledger)_entries', async () => {
    expect(await check()).toMatchObject({ ok: true, entries: MANY + 4, entriesBefore: MANY + 2, discrepancies: [] });
  });
  // Of so few rows the server may choose to look through the whole table once; a check of everything does so several
  // times.
  expect(journal).toBeGreaterThan(0);
  expect(journal).toBeLessThan(MANY + 100);
  const records = await rowsRead('^generations_', check);
  expect(records).toBeLessThan(MANY + 100);
  const everything = await rowsRead('^(journal|ledger)_entries', checkAll);
  expect(everything).toBeGreaterThan(journal);
  expect(everything).toBeGreaterThan(MANY);
});

test('accounts without entries cost a check nothing, although another has nearly all of them', async () => {
  await bed.rows("insert into accounts (id, kind) select 'usr-idle-' || n, 'prepaid' from generate_series(1, 300) n");
  const read = await rowsRead('^(journal|ledger)_entries', async () => {
    expect(await checkAll()).toMatchObject({ ok: true, discrepancies: [] });
  });
  expect(read).toBeLessThan(30 * MANY);
});

test('every balance, counter and new entry is looked at each time', async () => {
  await check();
  const spend = (more: number) =>
    bed.rows(
      `update accounts set balance_nano_usd = balance_nano_usd - $2::bigint,
         total_spent_nano_usd = total_spent_nano_usd + $2::bigint where id = $1`,
      [accountId, more],
    );
  await spend(1);
  expect((await check()).discrepancies.join('\n')).toMatch(/balance is .*, its entries say/);
  await spend(-1);
  await bed.rows('update spend_counters set spent_nano_usd = spent_nano_usd + 1');
  expect((await check()).discrepancies.join('\n')).toMatch(/counter .*: spent is .*, its entries say/);
  await bed.rows('update spend_counters set spent_nano_usd = spent_nano_usd - 1');
  const id = await call(5n);
  await bed.folded();
  await bed.rows('update generations set cost_nano_usd = 4 where id = $1', [id]);
  // It is reported until it is mended, although later entries are right.
  for (let times = 0; times < 2; times += 1) {
    expect((await check()).discrepancies).toEqual([expect.stringContaining(`generation ${id}: cost is $0.000000004`)]);
    await call(1n);
  }
  await bed.rows('update generations set cost_nano_usd = 5 where id = $1', [id]);
  expect((await check()).discrepancies).toEqual([]);
  await bed.rows('update generations set cost_nano_usd = 6 where id = $1', [id]);
  await spoil("delete from journal_entries where generation_id = $1 and kind = 'charge'", [id]);
  expect((await check()).discrepancies).toEqual([expect.stringContaining('its charge is missing')]);
  await spoil(
    `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, counter_ids)
     values ($1, 'system-revenue', 5, 'charge', $2, array(select id from spend_counters))`,
    [accountId, id],
  );
  await bed.rows('update generations set cost_nano_usd = 5 where id = $1', [id]);
  expect((await checkAll()).discrepancies).toEqual([]);
});

test('a row that was changed after it was checked is found by a check of everything', async () => {
  const change = (from: number, to: number) =>
    spoil(
      `update journal_entries set amount_nano_usd = $1
       where id = (select min(id) from journal_entries where amount_nano_usd = $2 and kind = 'charge')`,
      [to, from],
    );
  await change(1, 11);
  expect((await check()).discrepancies).toEqual([]);
  // So few entries are all read, unless only new ones are asked for.
  expect((await only.ledger.check('usual')).discrepancies.join('\n')).toContain('cost is $0.000000001');
  const found = (await checkAll()).discrepancies.join('\n');
  expect(found).toMatch(/total spent is .*, its entries say/);
  expect(found).toContain('cost is $0.000000001');
  // Nothing counts as checked that was not: the next check reads everything again.
  expect((await check()).discrepancies.join('\n')).toContain('cost is $0.000000001');
  expect((await check()).everythingAt).toBeNull();
  await change(11, 1);
  expect(await check()).toMatchObject({ ok: true, entriesBefore: 0 });
});

test('whoever commits late with an older id is waited for, and is not missed', async () => {
  await check();
  const other = new Client({ connectionString: bed.url });
  await other.connect();
  await other.query('begin');
  await other.query(
    `with moved as (
       insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference)
       values ('system-funding', $1, 100, 'credit', 'slow') returning amount_nano_usd
     )
     update accounts set balance_nano_usd = balance_nano_usd + 100, total_credited_nano_usd = total_credited_nano_usd + 100
     from moved where id = $1`,
    [accountId],
  );
  const another = await fundedAccount(only, 3n);
  const checking = check();
  const waits = async () =>
    (await bed.rows("select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted")).length;
  while ((await waits()) < 2);
  const [before] = await bed.rows<{ id: string }>('select entry_id as id from ledger_mark');
  await other.query('commit');
  await other.end();
  const checked = await checking;
  expect(checked).toMatchObject({ ok: true, entries: checked.entriesBefore + 2 });
  const [after] = await bed.rows<{ id: string }>('select entry_id as id from ledger_mark');
  expect(Number(after?.id) - Number(before?.id)).toBe(2);
  expect(await check()).toMatchObject({ ok: true, entriesBefore: checked.entries });
  expect((await only.ledger.account(another)).balanceNanoUsd).toBe(3n);
});

test('checks take turns, and several processes with charges that are not folded do not disturb them', async () => {
  const second = await bed.startProcess();
  const calls = Array.from({ length: 40 }, async (_, n) => {
    const { ledger } = n % 2 === 0 ? only : second;
    const held = await ledger.reserve(accountId, newTimedId('gen', Date.now()), 2n, [forever]);
    await settled(ledger, held, recordOf(held, 2n));
  });
  const checks = Array.from({ length: 4 }, (_, n) => (n === 2 ? second.ledger.check('everything') : check()));
  for (const { discrepancies } of await Promise.all(checks)) expect(discrepancies).toEqual([]);
  await Promise.all(calls);
  expect(await check()).toMatchObject({ ok: true });
  expect(await checkAll()).toMatchObject({ ok: true });
});

test('a mark that a sealed month has overtaken is not gone on from', async () => {
  const half = await openBed();
  try {
    const process = await half.startProcess();
    const books = createBooks({
      ...{ connect: sessionsOf(half.url), database: process.database, clock: systemClock, logger: silentLogger },
    });
    const now = new Date();
    const firstDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 1)).toISOString();
    await half.rows(`alter table journal_entries alter created_at set default timestamptz '${firstDay}'`);
    await fundedAccount(process, 3n);
    expect(await process.ledger.check('new')).toMatchObject({ ok: true, entries: 1 });
    await fundedAccount(process, 4n);
    await half.rows('alter table journal_entries alter created_at set default now()');
    await books.closeMonths();
    await fundedAccount(process, 5n);
    const { entriesBefore, ...rest } = await process.ledger.check('new');
    expect({ entriesBefore, ...rest }).toMatchObject({ ok: true, entries: 3, entriesBefore: 2 });
    expect(await half.rows('select base_month is null as whole from ledger_mark')).toEqual([{ whole: false }]);
  } finally {
    await half.close();
  }
});
