// The record of a call is found by its id alone: in the month that the id names, without reading the others, and in
// every month when the id has no time.

import type { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, monthAfter } from '../../src/canonical/calendar.ts';
import { settlementCommitter } from '../../src/modules/ledger/commit-settlements.ts';
import { asQueryable } from '../../src/modules/ledger/process-session.ts';
import { settlementEntry } from '../../src/modules/ledger/settlement-entry.ts';
import { findGeneration } from '../../src/modules/usage/store/generations.ts';
import { ensureMonth } from '../../src/modules/usage/store/months.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newId, newTimedId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf } from '../ledger/record.ts';

const MONTHS = 14;
const NOW_MS = Date.now();

let bed: LedgerBed;
let only: LedgerProcess;
let accountId: string;

async function call(generationId: string, createdAtMs: number): Promise<string> {
  const reservation = { accountId, generationId, amountNanoUsd: () => 1n };
  const record = recordOf(reservation as never, 1n, { createdAtMs, userId: accountId });
  const entry = settlementEntry(record, { chargeNanoUsd: 1n, priceList: null, caps: [], teamId: null });
  await settlementCommitter(only.database, () => 'prc-stranger')([entry]);
  return generationId;
}

/** In a session that has read nothing before. */
async function found(generationId: string): Promise<Readonly<{ id: string | null; months: number }>> {
  const session: Client = await sessionsOf(bed.url)({});
  try {
    await session.query('begin');
    const row = await findGeneration(asQueryable(session), accountId, generationId);
    const { rows } = await session.query<{ n: string }>(
      `select count(*) as n from pg_stat_xact_user_tables where relname like 'generations_%' and seq_scan + idx_scan > 0`,
    );
    await session.query('commit');
    return { id: row?.id ?? null, months: Number(rows[0]?.n) };
  } finally {
    await session.end();
  }
}

beforeAll(async () => {
  bed = await openBed();
  only = await bed.startProcess();
  accountId = await fundedAccount(only, 1_000n);
  for (let ago = 0; ago < MONTHS; ago += 1) await ensureMonth(only.database, monthAfter(NOW_MS, -ago));
});

afterAll(async () => {
  await bed.close();
});

test('GEN-01 a call is looked for in its month alone, and at a month’s end in two', async () => {
  const middleMs = Date.parse(monthAfter(NOW_MS, -9)) + 14 * DAY_MS;
  const old = await call(newTimedId('gen', middleMs), middleMs);
  // The default partition takes what no month takes, and can hold nothing of a month that exists.
  expect(await found(old)).toEqual({ id: old, months: 1 });
  const endMs = Date.parse(monthAfter(NOW_MS, -3));
  const atEnd = await call(newTimedId('gen', endMs - 5), endMs + 5);
  expect(await found(atEnd)).toEqual({ id: atEnd, months: 2 });
});

test('what the id does not tell is found all the same', async () => {
  const sentMs = Date.parse(monthAfter(NOW_MS, -9)) + 14 * DAY_MS;
  const ofBatch = await call(newTimedId('gen', sentMs), sentMs + 40 * DAY_MS);
  expect((await found(ofBatch)).id).toBe(ofBatch);
  const timeless = await call(newId('gen'), Date.parse(monthAfter(NOW_MS, -11)) + DAY_MS);
  expect((await found(timeless)).id).toBe(timeless);
  const astray = await call(newTimedId('gen', NOW_MS - 900 * DAY_MS), NOW_MS - 900 * DAY_MS);
  expect((await found(astray)).id).toBe(astray);
});

test('what is no call of this account is not found', async () => {
  for (const id of [newTimedId('gen', NOW_MS), newId('gen'), 'gen-ffffffffffffffffffffffffffffffffffff', 'gen-', '']) {
    expect((await found(id)).id, id).toBeNull();
  }
});
