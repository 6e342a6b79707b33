// The audit finds what it claims to look for: every figure that is changed behind the ledger's back is reported, with
// its account or generation.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, reserve } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let only: LedgerProcess;
let accountId: string;
let generationId: string;

beforeAll(async () => {
  bed = await openBed();
  only = await bed.startProcess();
  accountId = await fundedAccount(only, 1_000n);
  const held = await reserve(only.ledger, accountId, 100n);
  await settled(only.ledger, held, recordOf(held, 40n));
  await bed.folded();
  generationId = held.generationId;
  // Constraints and triggers would refuse these changes, so they are switched off.
  const journal = await bed.journalTables();
  for (const table of ['accounts', ...journal]) await bed.rows(`alter table ${table} disable trigger user`);
  for (const name of ['accounts_totals', 'accounts_available', 'accounts_balance']) {
    await bed.rows(`alter table accounts drop constraint ${name}`);
  }
  for (const table of journal) {
    for (const name of ['ledger_entries_form', 'journal_form']) {
      await bed.rows(`alter table ${table} drop constraint if exists ${name}`);
    }
    await bed.rows(`drop index if exists ${table}_one_charge`);
  }
});

afterAll(async () => {
  await bed.close();
});

test('a sound ledger is counted and has no discrepancies', async () => {
  const held = await reserve(only.ledger, accountId, 1n);
  expect(await only.ledger.check('everything')).toEqual({
    ok: true,
    accounts: 1,
    entries: 2,
    heldReservations: 1,
    discrepancies: [],
    entriesBefore: 0,
    everythingAt: expect.any(Date),
  });
  only.ledger.release(held, null);
});

const ENTRY = `insert into journal_entries
  (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, reference)`;

test.each([
  [
    'is a refund that does not give back its charge',
    `${ENTRY} select 'system-revenue', debit_account_id, 39, 'refund', generation_id, 'spoiled'
     from journal_entries where kind = 'charge' and debit_account_id = $1`,
    "delete from journal_entries where credit_account_id = $1 and reference = 'spoiled'",
  ],
  [
    'total credited is $0.000001, its entries say $0.000000993',
    `${ENTRY} values ($1, 'system-funding', 7, 'adjustment', null, 'spoiled')`,
    "delete from journal_entries where debit_account_id = $1 and reference = 'spoiled'",
  ],
  [
    'is an adjustment without funding on one side',
    `${ENTRY} values ($1, 'system-revenue', 7, 'adjustment', null, 'spoiled')`,
    "delete from journal_entries where debit_account_id = $1 and reference = 'spoiled'",
  ],
  [
    'balance is $0.000000961',
    'update accounts set balance_nano_usd = balance_nano_usd + 1 where id = $1',
    'update accounts set balance_nano_usd = balance_nano_usd - 1 where id = $1',
  ],
  [
    'total spent is $0.000000041',
    'update accounts set total_spent_nano_usd = 41 where id = $1',
    'update accounts set total_spent_nano_usd = 40 where id = $1',
  ],
  [
    'total credited is $0.000000999',
    'update accounts set total_credited_nano_usd = 999 where id = $1',
    'update accounts set total_credited_nano_usd = 1000 where id = $1',
  ],
  [
    'its slices say',
    'update accounts set leased_nano_usd = leased_nano_usd + 1 where id = $1',
    'update accounts set leased_nano_usd = leased_nano_usd - 1 where id = $1',
  ],
  [
    'its reservations say $0',
    'update accounts set held_nano_usd = 7 where id = $1',
    'update accounts set held_nano_usd = 0 where id = $1',
  ],
  [
    'available is below zero',
    'update accounts set leased_nano_usd = leased_nano_usd + 961 where id = $1',
    'update accounts set leased_nano_usd = leased_nano_usd - 961 where id = $1',
  ],
  [
    'cost is $0.000000039',
    'update generations set cost_nano_usd = 39 where account_id = $1',
    'update generations set cost_nano_usd = 40 where account_id = $1',
  ],
  [
    'amount is $-0.000000001',
    'update journal_entries set amount_nano_usd = -1 where debit_account_id = $1',
    'update journal_entries set amount_nano_usd = 40 where debit_account_id = $1',
  ],
  [
    'does not go to revenue',
    "update journal_entries set credit_account_id = 'system-funding' where debit_account_id = $1",
    "update journal_entries set credit_account_id = 'system-revenue' where debit_account_id = $1",
  ],
  [
    'credits an unknown account',
    "update journal_entries set credit_account_id = 'gone' where debit_account_id = $1",
    "update journal_entries set credit_account_id = 'system-revenue' where debit_account_id = $1",
  ],
])('I1 I2 I3 I8 I10 reports: %s', async (words, spoil, mend) => {
  await bed.rows(spoil, [accountId]);
  const spoiled = await only.ledger.check('everything');
  expect(spoiled.ok).toBe(false);
  expect(spoiled.discrepancies.join('\n')).toContain(words);
  await bed.rows(mend, [accountId]);
  expect((await only.ledger.check('everything')).discrepancies).toEqual([]);
});

test('I8 reports a generation that was charged twice and one that was not charged', async () => {
  const again =
    "insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id) values ($1, 'system-revenue', 0, 'charge', $2)";
  await bed.rows(again, [accountId, generationId]);
  expect((await only.ledger.check('everything')).discrepancies.join('\n')).toContain(
    `${generationId}: charged 2 times`,
  );
  const missing = newId('gen');
  await bed.rows(again, [accountId, missing]);
  expect((await only.ledger.check('everything')).discrepancies.join('\n')).toContain(`${missing}: cost is unrecorded`);
});
