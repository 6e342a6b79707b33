// An entry of a closed month is refused wherever it would lie, although most entries are let in by their time and id
// alone.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, newTimedId } from '../../src/platform/ids.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';

let fresh: FreshDatabase;
let client: Client;

beforeAll(async () => {
  fresh = await freshDatabase();
  client = new Client({ connectionString: fresh.url });
  await client.connect();
  await client.query(
    "insert into ledger_months (month) values ((date_trunc('month', now() at time zone 'UTC') - interval '1 month')::date)",
  );
});

afterAll(async () => {
  await client.end();
  await fresh.drop();
});

/** Answers the table that the entry lies in. */
async function enter(entry: Readonly<{ callId?: string; ageDays?: number }>): Promise<string> {
  const { rows } = await client.query(
    `insert into journal_entries (
       debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, reference, created_at
     )
     select 'usr-late', 'system-revenue', 1, case when $1::text is null then 'adjustment' else 'charge' end, $1,
            case when $1 is null then $2 end, now() - $3 * interval '1 day'
     returning tableoid::regclass::text as place`,
    [entry.callId ?? null, crypto.randomUUID(), entry.ageDays ?? 0],
  );
  return rows[0].place;
}

const DAY_MS = 86_400_000;

test('every table of the journal refuses what belongs to a closed month, and takes what does not', async () => {
  const now = () => newTimedId('gen', Date.now());
  const places = [
    [now, /^journal_entries_\d{4}_\d{2}$/],
    [() => newTimedId('gen', Date.now() + 200 * DAY_MS), /^journal_entries_default$/],
    [() => newId('gen'), /^ledger_entries$/],
    [() => undefined, /^ledger_entries$/],
  ] as const;
  for (const [idOf, place] of places) {
    const entry = () => {
      const callId = idOf();
      return callId === undefined ? {} : { callId };
    };
    expect(await enter(entry())).toMatch(place);
    await expect(enter({ ...entry(), ageDays: 31 })).rejects.toThrow('its month is closed');
  }
});

test('the charge of a call that is as old as an archived month is refused', async () => {
  const old = [newTimedId('gen', Date.now() - 100 * DAY_MS), newTimedId('gen', Date.now() - 32 * DAY_MS)];
  for (const callId of old) await enter({ callId });
  await client.query(
    'create or replace function is_archived_call(generation_id text) returns boolean language sql stable as $$ select true $$',
  );
  for (const ageDays of [100, 32]) {
    await expect(enter({ callId: newTimedId('gen', Date.now() - ageDays * DAY_MS) })).rejects.toThrow('is archived');
  }
  await expect(enter({ callId: newId('gen') })).rejects.toThrow('is archived');
  await enter({ callId: newTimedId('gen', Date.now() - 30 * DAY_MS) });
});

test('a month that is not archived refuses calls of its first day alone, and all of them once it is', async () => {
  const [{ month }] = (
    await client.query(
      "select to_char(date_trunc('month', now() at time zone 'UTC') - interval '3 months', 'YYYY-MM-DD') as month",
    )
  ).rows;
  await client.query('select ensure_journal_month($1::date)', [month]);
  const onDay = (day: number) => ({ callId: newTimedId('gen', Date.parse(month) + (day - 0.5) * DAY_MS) });
  const place = `journal_entries_${month.slice(0, 7).replace('-', '_')}`;
  await expect(enter(onDay(1))).rejects.toThrow('is archived');
  expect(await enter(onDay(2))).toBe(place);
  await expect(enter({ ...onDay(2), ageDays: 31 })).rejects.toThrow('its month is closed');
  await client.query('insert into ledger_months (month) values ($1::date)', [month]);
  await client.query("update ledger_months set archive_sha256 = repeat('0', 64) where month = $1::date", [month]);
  for (const day of [1, 2, 28]) await expect(enter(onDay(day))).rejects.toThrow('is archived');
  // Made again, it has not forgotten that.
  await client.query(`alter table journal_entries detach partition ${place}`);
  await client.query(`drop table ${place}`);
  await client.query('select ensure_journal_month($1::date)', [month]);
  for (const day of [1, 2, 28]) await expect(enter(onDay(day))).rejects.toThrow('is archived');
});
