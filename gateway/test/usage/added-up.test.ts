// Past months are added up once, and a long span is read from these sums: the figures equal those of the days to the
// nano-dollar, a month with a late call is read by the day again, and few rows are read.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DAY_MS, dayOf, monthAfter } from '../../src/canonical/calendar.ts';
import { settlementCommitter } from '../../src/modules/ledger/commit-settlements.ts';
import { asQueryable } from '../../src/modules/ledger/process-session.ts';
import { type SettlementEntry, settlementEntry } from '../../src/modules/ledger/settlement-entry.ts';
import { createOverviews, type Overviews } from '../../src/modules/usage/overview.ts';
import { ensureMonth } from '../../src/modules/usage/store/months.ts';
import { readOverviewRows } from '../../src/modules/usage/store/overview.ts';
import { createUsageUpkeep, type UsageUpkeep } from '../../src/modules/usage/upkeep.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newTimedId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, reserve } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';

const NOW_MS = Date.now();
const FIRST = monthAfter(NOW_MS, -3);
const SECOND = monthAfter(NOW_MS, -2);
const FROM = dayOf(Date.parse(FIRST) - 3 * DAY_MS);
const TO = dayOf(NOW_MS);
/** The last one that has been over for long enough is there on most days, but not on the first two of a month. */
const hasThird = dayOf(NOW_MS).slice(8) > '02';

let bed: LedgerBed;
let only: LedgerProcess;
let accounts: string[];
let overviews: Overviews;
let upkeep: UsageUpkeep;

function entryOf(accountId: string, chargeNanoUsd: bigint, createdAtMs: number, keyId: string): SettlementEntry {
  const generationId = newTimedId('gen', createdAtMs);
  const reservation = { accountId, generationId, amountNanoUsd: () => chargeNanoUsd };
  const record = recordOf(reservation as never, chargeNanoUsd, { createdAtMs, userId: accountId, keyId });
  return settlementEntry(record, { chargeNanoUsd, priceList: null, caps: [], teamId: null });
}

const commit = (entries: readonly SettlementEntry[]) =>
  settlementCommitter(only.database, () => 'prc-stranger')(entries);

async function addUp(): Promise<readonly string[]> {
  const session = await sessionsOf(bed.url)({});
  try {
    return await upkeep.addUpMonths(asQueryable(session), NOW_MS);
  } finally {
    await session.end();
  }
}

const addedUp = async () =>
  (await bed.rows<{ month: string }>('select month::text from usage_months where is_added_up order by 1'))
    .map(({ month }) => month)
    .filter((month) => month >= FIRST);

beforeAll(async () => {
  bed = await openBed();
  only = await bed.startProcess();
  overviews = createOverviews(only.database);
  upkeep = createUsageUpkeep(only.database);
  for (let ago = 0; ago < 4; ago += 1) await ensureMonth(only.database, monthAfter(NOW_MS, -ago));
  accounts = await Promise.all(Array.from({ length: 14 }, () => fundedAccount(only, 1_000_000_000n)));
  const entries: SettlementEntry[] = [];
  for (let timeMs = Date.parse(FROM); timeMs < NOW_MS; timeMs += DAY_MS) {
    for (const [place, accountId] of accounts.entries()) {
      if ((timeMs / DAY_MS) % (place + 1) > 3) continue;
      entries.push(
        entryOf(accountId, BigInt(1 + ((timeMs / DAY_MS + place * 7) % 97)), timeMs + 3_600_000, `key-${place % 3}`),
      );
    }
  }
  for (let begin = 0; begin < entries.length; begin += 200) await commit(entries.slice(begin, begin + 200));
});

afterAll(async () => {
  await bed.close();
});

test('an overview is the same from months as from days', async () => {
  const whole = await overviews.read(FROM, TO);
  const within = await overviews.read(dayOf(Date.parse(FIRST) + 4 * DAY_MS), dayOf(Date.parse(SECOND) + 4 * DAY_MS));
  expect(whole.top.length).toBeGreaterThan(10);
  expect(await addUp()).toContain(SECOND);
  expect(await addedUp()).toEqual([FIRST, SECOND, ...(hasThird ? [monthAfter(NOW_MS, -1)] : [])]);
  expect(await overviews.read(FROM, TO)).toEqual(whole);
  expect(await overviews.read(dayOf(Date.parse(FIRST) + 4 * DAY_MS), dayOf(Date.parse(SECOND) + 4 * DAY_MS))).toEqual(
    within,
  );
  const [books] = await bed.rows<{ amount: string }>(
    "select sum(amount_nano_usd) as amount from journal_entries where kind = 'charge'",
  );
  expect(whole.totals.revenueNanoUsd).toBe(BigInt(books?.amount ?? 0));
  expect(await addUp()).toEqual([]);
});

test('days of months that are added up are not read', async () => {
  await bed.rows('analyze');
  const lastDay = dayOf(Date.parse(monthAfter(Date.parse(SECOND), 1)) - DAY_MS);
  const reader = await sessionsOf(bed.url)({});
  try {
    await reader.query('begin');
    await readOverviewRows(asQueryable(reader), [FIRST, lastDay], false);
    // Of this session alone, which has read nothing else.
    const { rows } = await reader.query<{ name: string; n: string }>(
      'select relname as name, seq_tup_read + coalesce(idx_tup_fetch, 0) as n from pg_stat_xact_user_tables',
    );
    const read = new Map(rows.map(({ name, n }) => [name, Number(n)]));
    expect(read.get('usage_daily')).toBe(0);
    expect(read.get('usage_monthly')).toBeGreaterThan(0);
    await reader.query('commit');
  } finally {
    await reader.end();
  }
});

test('a call that comes late has its month read by the day, until it is added up again', async () => {
  await commit([entryOf(accounts[0] ?? '', 12_345n, Date.parse(SECOND) + 5 * DAY_MS, 'key-late')]);
  expect(await addedUp()).not.toContain(SECOND);
  const late = await overviews.read(FROM, TO);
  const [books] = await bed.rows<{ amount: string }>(
    "select sum(amount_nano_usd) as amount from journal_entries where kind = 'charge'",
  );
  expect(late.totals.revenueNanoUsd).toBe(BigInt(books?.amount ?? 0));
  expect(late.top.map(({ id }) => id)).toContain('key-late');
  expect(await addUp()).toEqual([SECOND]);
  expect(await overviews.read(FROM, TO)).toEqual(late);
});

test('what is not folded yet counts too', async () => {
  const held = await reserve(only.ledger, accounts[1] ?? '', 77n);
  const before = await overviews.read(FROM, TO);
  const createdAtMs = Date.parse(FIRST) + 3 * DAY_MS;
  await settled(only.ledger, held, { ...recordOf(held, 77n), createdAtMs, userId: accounts[1] ?? '' });
  const after = await overviews.read(FROM, TO);
  expect(after.totals.revenueNanoUsd - before.totals.revenueNanoUsd).toBe(77n);
  await bed.folded();
  expect(await overviews.read(FROM, TO)).toEqual(after);
  expect(await addUp()).toEqual([FIRST]);
  expect(await overviews.read(FROM, TO)).toEqual(after);
});

test('a day that is made anew has its month added up again, also when an older build has corrected it before', async () => {
  expect(await addedUp()).toContain(FIRST);
  await upkeep.rebuild(FIRST, FIRST);
  expect(await addedUp()).not.toContain(FIRST);
  expect(await addUp()).toEqual([FIRST]);
  expect(await upkeep.rebuild(FIRST, FIRST)).toEqual({ days: 1, wrongRows: 0 });
  expect(await addUp()).toEqual([FIRST]);
});

test('somebody who adds to a month while it is added up is not missed', async () => {
  const other = new Client({ connectionString: bed.url });
  await other.connect();
  await bed.rows('update usage_months set is_added_up = false where month = $1', [FIRST]);
  await other.query('begin');
  await other.query(
    `update usage_daily set requests = requests + 1 where ctid = (select ctid from usage_daily where day = $1 limit 1)`,
    [FIRST],
  );
  await other.query('select doubt_usage_months(array[$1::date])', [FIRST]);
  const adding = addUp();
  const waits = async () =>
    (await bed.rows("select from pg_stat_activity where wait_event_type = 'Lock' and query like '%usage_months%'"))
      .length;
  while ((await waits()) === 0);
  await other.query('commit');
  await other.end();
  expect(await adding).toEqual([]);
  expect(await addedUp()).not.toContain(FIRST);
  const calls = (await overviews.read(FROM, TO)).totals.calls;
  expect(await addUp()).toEqual([FIRST]);
  expect((await overviews.read(FROM, TO)).totals.calls).toBe(calls);
});
