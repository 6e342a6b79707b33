// A month that is over is sealed with the sums of each account in it, and never changed again. Later entries belong to
// a later month, a check begins where the last sealed month ended, and a closed month can still be checked by itself.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { type Books, createBooks } from '../../src/modules/ledger/books.ts';
import { settleMonth, shutMonth, sumStretch } from '../../src/modules/ledger/store/months.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { type Logger, silentLogger } from '../../src/platform/logger.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from './fixture.ts';
import { recordOf, settled } from './record.ts';

/** The first day of the month that many months before this one. */
function monthBefore(months: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 10);
}

const FIRST = monthBefore(6);
const SECOND = monthBefore(5);
const THIRD = monthBefore(4);
const REFUSED = { code: '23001' };

let bed: LedgerBed;
let only: LedgerProcess;
let books: Books;
let accountId: string;
const alarms: string[] = [];

const forever: SpendCap = {
  ...{ kind: 'cap', scope: 'key', scopeId: 'key-1', window: 'never', limitNanoUsd: 10_000n, sinceMs: 0 },
  covers: { keyId: 'key-1' },
};

/** From now on the database believes that entries are made in this month. */
const enterIn = (firstDay: string | null) =>
  bed.rows(
    `alter table journal_entries alter created_at set default ${
      firstDay === null ? 'now()' : `timestamptz '${firstDay} 12:00:00Z' + interval '14 days'`
    }`,
  );

async function call(costNanoUsd: bigint): Promise<string> {
  const held = await only.ledger.reserve(accountId, newTimedId('gen', Date.now()), costNanoUsd, [forever]);
  await settled(only.ledger, held, recordOf(held, costNanoUsd));
  await bed.folded();
  return held.generationId;
}

async function foundIn(firstDay: string): Promise<string> {
  const audit = await books.checkMonth(firstDay);
  return audit === null || audit === 'archived' ? '' : audit.discrepancies.join('\n');
}

/** Changed past all rules, and mended afterwards. */
async function spoiled(table: string, spoil: string, mend: string, look: () => Promise<void>): Promise<void> {
  const tables = table === 'journal_entries' ? await bed.journalTables() : [table];
  const change = async (text: string): Promise<void> => {
    for (const one of tables) await bed.rows(`alter table ${one} disable trigger user`);
    await bed.rows(text);
    for (const one of tables) await bed.rows(`alter table ${one} enable trigger user`);
  };
  await change(spoil);
  await look();
  await change(mend);
}

beforeAll(async () => {
  bed = await openBed();
  const logger: Logger = { ...silentLogger, error: (...words) => alarms.push(JSON.stringify(words)) };
  only = await bed.startProcess();
  const { database } = only;
  books = createBooks({ connect: sessionsOf(bed.url), database, clock: systemClock, logger });
  await enterIn(FIRST);
  accountId = await fundedAccount(only, 1_000n);
  await call(40n);
  await enterIn(SECOND);
  const refundedId = await call(7n);
  await call(5n);
  await bed.rows(
    `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, reference)
     values ('system-revenue', $1, 7, 'refund', $2, $2)`,
    [accountId, refundedId],
  );
  await bed.rows(
    `update accounts set balance_nano_usd = balance_nano_usd + 7, total_spent_nano_usd = total_spent_nano_usd - 7
     where id = $1`,
    [accountId],
  );
});

afterAll(async () => {
  await bed.close();
});

test('a month is not closed while somebody is still entering something, and then has it', async () => {
  await enterIn(THIRD);
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
  const closing = books.closeMonths();
  const isShut = async () => (await bed.rows('select 1 from ledger_months')).length > 0;
  while (!(await isShut()));
  expect(await bed.rows('select 1 from ledger_months where sealed_at is not null')).toEqual([]);
  await other.query('commit');
  await other.end();
  expect((await closing).slice(0, 3)).toEqual([FIRST, SECOND, THIRD]);
  const kept = await bed.rows(
    `select month::text, entries, credited_nano_usd as credited, spent_nano_usd as spent,
            total_credited_nano_usd as total_credited, total_spent_nano_usd as total_spent
     from ledger_checkpoints where account_id = $1 order by month`,
    [accountId],
  );
  const row = (month: string, figures: readonly number[]) => ({
    ...{ month, entries: `${figures[0]}`, credited: `${figures[1]}`, spent: `${figures[2]}` },
    ...{ total_credited: `${figures[3]}`, total_spent: `${figures[4]}` },
  });
  expect(kept).toEqual([
    row(FIRST, [2, 1_000, 40, 1_000, 40]),
    row(SECOND, [3, 0, 5, 1_000, 45]),
    row(THIRD, [1, 100, 0, 1_100, 45]),
  ]);
  expect(alarms).toEqual([]);
});

test('nothing is entered into a closed month: what comes late is of the month in which it comes', async () => {
  await expect(call(1n).then(() => 'charged')).resolves.toBe('charged');
  // The ledger still believes in the third month, so the database has refused the charge and a person has to look.
  expect(only.ledger.status().buriedSettlements).toBe(1);
  await enterIn(null);
  await call(11n);
  const late = `insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, created_at)
                values ('system-funding', $1, 1, 'credit', 'late', $2)`;
  await expect(bed.rows(late, [accountId, `${SECOND}T00:00:00Z`])).rejects.toMatchObject(REFUSED);
  expect(await only.ledger.check('everything')).toMatchObject({ ok: true, entries: 7, discrepancies: [] });
});

test.each([
  ['update ledger_checkpoints set spent_nano_usd = 0', REFUSED],
  ['delete from ledger_checkpoints', REFUSED],
  ['truncate ledger_checkpoints', REFUSED],
  ['delete from ledger_months', REFUSED],
])('a sealed month is not changed: %s', async (text, refused) => {
  await expect(bed.rows(text)).rejects.toMatchObject(refused);
});

test('a closed month is checked by itself, and one that is not closed is not', async () => {
  expect(await books.checkMonth(FIRST)).toMatchObject({ entries: 2, accounts: 1, discrepancies: [] });
  expect(await books.checkMonth(SECOND)).toMatchObject({ entries: 3, discrepancies: [] });
  expect(await books.checkMonth(monthBefore(0))).toBeNull();
});

test('what is changed in a closed month is found when it is checked, and what is changed since at every check', async () => {
  await spoiled(
    'journal_entries',
    `update journal_entries set amount_nano_usd = 41 where amount_nano_usd = 40`,
    `update journal_entries set amount_nano_usd = 40 where amount_nano_usd = 41`,
    async () => {
      const found = await foundIn(FIRST);
      expect(found).toContain('its checkpoint spends $0.00000004, the entries of the month say $0.000000041');
      expect(found).toContain('cost is $0.00000004');
      expect(found).toContain('its checkpoint counts $0.00000004, the entries of the month say $0.000000041');
    },
  );
  await spoiled(
    'ledger_checkpoints',
    `update ledger_checkpoints set total_spent_nano_usd = 46 where month = '${SECOND}'`,
    `update ledger_checkpoints set total_spent_nano_usd = 45 where month = '${SECOND}'`,
    async () => {
      const found = await foundIn(SECOND);
      expect(found).toContain('does not go on where the one before it ended');
    },
  );
  await spoiled(
    'ledger_checkpoints',
    `update ledger_checkpoints set total_spent_nano_usd = 46 where month = '${THIRD}'`,
    `update ledger_checkpoints set total_spent_nano_usd = 45 where month = '${THIRD}'`,
    async () => {
      expect((await only.ledger.check('everything')).discrepancies.join('\n')).toContain(
        'total spent is $0.000000056, its entries say $0.000000057',
      );
    },
  );
  await spoiled(
    'spend_counters',
    'update spend_counters set spent_nano_usd = spent_nano_usd + 1',
    'update spend_counters set spent_nano_usd = spent_nano_usd - 1',
    async () => {
      expect((await only.ledger.check('everything')).discrepancies.join('\n')).toContain(
        'spent is $0.000000064, its entries say $0.000000063',
      );
    },
  );
  expect((await only.ledger.check('everything')).discrepancies).toEqual([]);
});

test('a month that was left half added up is gone on with, and one that does not add up is not sealed', async () => {
  const half = await openBed();
  try {
    const process = await half.startProcess();
    await half.rows(`alter table journal_entries alter created_at set default timestamptz '${FIRST} 12:00:00Z'`);
    const ids = [await fundedAccount(process, 3n), await fundedAccount(process, 4n), await fundedAccount(process, 5n)];
    await half.rows('alter table journal_entries alter created_at set default now()');
    const { database } = process;
    await shutMonth(database, FIRST);
    await settleMonth(database, FIRST);
    expect(await sumStretch(database, FIRST, 1)).toBe(false);
    expect(await sumStretch(database, FIRST, 1)).toBe(false);
    const heard: string[] = [];
    const logger: Logger = { ...silentLogger, error: (...words) => heard.push(JSON.stringify(words)) };
    const keeper = createBooks({ connect: sessionsOf(half.url), database, clock: systemClock, logger });
    for (const table of await half.journalTables()) await half.rows(`alter table ${table} disable trigger user`);
    await half.rows('update journal_entries set amount_nano_usd = 6 where amount_nano_usd = 3');
    expect(await keeper.closeMonths()).toEqual([]);
    expect(heard.join()).toContain('its checkpoint credits $0.000000003, the entries of the month say $0.000000006');
    await half.rows('update journal_entries set amount_nano_usd = 3 where amount_nano_usd = 6');
    expect((await keeper.closeMonths())[0]).toBe(FIRST);
    const kept = await half.rows('select account_id as id, credited_nano_usd as n from ledger_checkpoints order by n');
    expect(kept).toEqual(ids.map((id, index) => ({ id, n: String(3 + index) })));
    expect(await process.ledger.check('everything')).toMatchObject({ ok: true, entries: 3 });
  } finally {
    await half.close();
  }
});
