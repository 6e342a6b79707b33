// The sums of every report are exact at every moment: they change with the records, in the same statement, once for
// each record however often it is written, and can be made again from the records.

import fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { settlementCommitter } from '../../src/modules/ledger/commit-settlements.ts';
import { type SettlementEntry, settlementEntry } from '../../src/modules/ledger/settlement-entry.ts';
import { createUsageUpkeep, type UsageUpkeep } from '../../src/modules/usage/upkeep.ts';
import { createUsageReports, type UsageReports } from '../../src/modules/usage/usage.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf } from '../ledger/record.ts';
import { ROLL_UPS, readRollUps, readSums, sumRecords } from './raw-sums.ts';

const EVERYTHING = { grain: 'day', fromHourMs: null, modelId: null, keyId: null, appName: null } as const;

const NOON_MS = Date.parse('2026-03-10T12:00:00.000Z');
const DAY_MS = 86_400_000;

let bed: LedgerBed;
let first: LedgerProcess;
let client: Client;
let usage: UsageReports;
let upkeep: UsageUpkeep;
let accounts: string[];

beforeAll(async () => {
  bed = await openBed();
  first = await bed.startProcess();
  client = new Client({ connectionString: bed.url });
  await client.connect();
  usage = createUsageReports(first.database);
  upkeep = createUsageUpkeep(first.database);
  accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(first, 1_000_000_000n)));
});

afterEach(async () => {
  expect(await readSums(client)).toEqual(await sumRecords(client));
});

afterAll(async () => {
  await client.end();
  await bed.close();
});

type Changes = NonNullable<Parameters<typeof recordOf>[2]> & { teamId?: string | null };

function entryOf(
  accountId: string,
  chargeNanoUsd: bigint,
  { teamId = null, ...changes }: Changes = {},
): SettlementEntry {
  const reservation = { accountId, generationId: newId('gen'), amountNanoUsd: () => chargeNanoUsd };
  const record = recordOf(reservation as never, chargeNanoUsd, { createdAtMs: NOON_MS, userId: accountId, ...changes });
  return settlementEntry(record, { chargeNanoUsd, priceList: null, caps: [], teamId });
}

const commit = (entries: readonly SettlementEntry[]) =>
  settlementCommitter(first.database, () => 'prc-stranger')(entries);

const anyEntry = fc
  .record({
    account: fc.integer({ min: 0, max: 2 }),
    charge: fc.integer({ min: 0, max: 1_000 }),
    absorbed: fc.integer({ min: 0, max: 2 }),
    discount: fc.integer({ min: -3, max: 3 }),
    markup: fc.integer({ min: 0, max: 2 }),
    team: fc.constantFrom(null, 'team-a', 'team-b'),
    key: fc.constantFrom('key-a', 'key-b'),
    model: fc.constantFrom('maker/one', 'maker/two'),
    app: fc.constantFrom(null, '', 'App', 'Ünïcode'),
    status: fc.constantFrom(0, 200, 204, 429, 500),
    offsetMs: fc.constantFrom(0, 3_600_000 - 1, 12 * 3_600_000 - 1, 12 * 3_600_000, -40 * DAY_MS, 3 * DAY_MS),
    prompt: fc.integer({ min: 0, max: 5_000 }),
  })
  .map((it) =>
    entryOf(accounts[it.account] ?? '', BigInt(it.charge), {
      teamId: it.team,
      subtotalNanoUsd: BigInt(it.charge + 3),
      cacheDiscountNanoUsd: BigInt(it.discount),
      keyId: it.key,
      modelId: it.model,
      appName: it.app,
      upstreamStatus: it.status,
      createdAtMs: NOON_MS + it.offsetMs,
      absorbedNanoUsd: BigInt(it.absorbed),
      absorbedReason: it.absorbed === 0 ? null : 'abandoned',
      markupNanoUsd: BigInt(it.markup),
      usage: { ...recordOf({} as never, 0n).usage, promptTokens: it.prompt },
    }),
  );

describe('roll-ups', () => {
  test('I10 whatever is written, together, again or in parts, counts exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEntry, { minLength: 1, maxLength: 12 }), fc.nat(), async (entries, cut) => {
        const middle = cut % entries.length;
        await commit([...entries.slice(0, middle), ...entries.slice(0, 1)]);
        await commit(entries);
        await Promise.all([commit(entries), commit([...entries].reverse())]);
        expect(await readSums(client)).toEqual(await sumRecords(client));
      }),
      { numRuns: 25 },
    );
  });

  test('I10 what is cut off by an empty account counts as what was charged, and the rest as absorbed', async () => {
    const poor = await fundedAccount(first, 10n);
    await commit([entryOf(poor, 8n), entryOf(poor, 8n), entryOf(poor, 8n)]);
    const report = await usage.report({
      accountId: poor,
      userId: null,
      firstDay: '2026-03-10',
      lastDay: '2026-03-10',
      ...EVERYTHING,
    });
    expect(report.totals).toEqual({ spentNanoUsd: 10n, requests: 3, promptTokens: 30, completionTokens: 15 });
    const { users } = await usage.absorbed();
    expect(users.find(({ userId }) => userId === poor)).toEqual({
      userId: poor,
      absorbedNanoUsd: 14n,
      calls: 2,
      reasons: [{ reason: 'exhausted', absorbedNanoUsd: 14n, calls: 2 }],
      models: [{ modelId: 'maker/model', reason: 'exhausted', absorbedNanoUsd: 14n, calls: 2 }],
    });
  });

  test('batches of many connections that meet on the same rows neither deadlock nor lose a count', async () => {
    const entries = Array.from({ length: 160 }, (_, index) =>
      entryOf(accounts[index % 3] ?? '', index % 4 === 0 ? 0n : 1n, {
        userId: 'usr-crowd',
        keyId: `key-${index % 5}`,
        modelId: `maker/${index % 7}`,
      }),
    );
    const batches = Array.from({ length: 16 }, (_, index) => entries.slice(index * 10, index * 10 + 10));
    await Promise.all(batches.map((batch, index) => commit(index % 2 === 0 ? batch : [...batch].reverse())));
    const { rows } = await client.query("select sum(requests) as n from usage_daily where user_id = 'usr-crowd'");
    expect(rows).toEqual([{ n: '160' }]);
  });

  test('names as long as a record takes them do not fail a settlement', async () => {
    const long = entryOf(accounts[0] ?? '', 5n, { modelId: '模'.repeat(512), appName: '应'.repeat(512) });
    expect((await commit([long])).get(long.row.id)?.chargedNanoUsd).toBe(5n);
    const { rows } = await client.query(
      'select length(model_id) as model, length(app_name) as app from usage_daily where key_id = $1 and app_name like $2',
      [long.row.key_id, '应%'],
    );
    expect(rows).toEqual([{ model: 200, app: 128 }]);
    // Roll-ups keep the beginning of such a name, the records the whole of it.
    await client.query('delete from generations where id = $1', [long.row.id]);
    for (const table of ['usage_daily', 'usage_hourly'])
      await client.query(`delete from ${table} where app_name like '应%'`);
    await upkeep.rebuild('2026-03-10', '2026-03-10');
  });
});

describe('making them again', () => {
  test('gives identical rows, and finds nothing wrong with what is right', async () => {
    const before = await readRollUps(client);
    expect(before.usage_daily?.length).toBeGreaterThan(10);
    expect(await upkeep.rebuild('2026-01-29', '2026-03-14')).toEqual({ days: 45, wrongRows: 0 });
    for (const table of ROLL_UPS) await client.query(`truncate ${table}`);
    const { wrongRows } = await upkeep.rebuild('2026-01-29', '2026-03-14');
    expect(wrongRows).toBe(Object.values(before).flat().length);
    expect(await readRollUps(client)).toEqual(before);
  });

  test('corrects sums that are wrong, missing or of nothing, and no other day', async () => {
    const before = await readRollUps(client);
    const spoil = [
      "update usage_daily set cost_nano_usd = cost_nano_usd + 7, last_at = last_at + interval '1 hour' where day = '2026-03-10'",
      "update usage_hourly set tokens[5] = 3, requests[13] = requests[13] + 1 where day = '2026-03-10' and key_id = 'key-a'",
      "delete from usage_hourly where day = '2026-03-10' and key_id = 'key-b'",
      "insert into usage_daily select account_id, day, 'usr-ghost', key_id, model_id, app_name, 9, 9, 9, 9, 9, now() from usage_daily where day = '2026-03-10' limit 1",
      'update usage_absorbed set absorbed_nano_usd = 0',
      'update usage_unpaid set absorbed_nano_usd = 0',
    ];
    for (const text of spoil) expect((await client.query(text)).rowCount).toBeGreaterThan(0);
    const spoiled = await readRollUps(client);
    expect(await upkeep.rebuild('2026-03-09', '2026-03-09')).toEqual({ days: 1, wrongRows: 0 });
    expect(await readRollUps(client)).toEqual(spoiled);
    expect((await upkeep.rebuild('2026-01-29', '2026-03-14')).wrongRows).toBeGreaterThan(5);
    expect(await readRollUps(client)).toEqual(before);
  });

  test('is exact while calls of the same day go on', async () => {
    for (const table of ROLL_UPS) await client.query(`truncate ${table}`);
    let isOver = false;
    const calls = (async () => {
      for (let round = 0; !isOver || round < 20; round += 1) {
        await commit(
          accounts.map((accountId, index) =>
            entryOf(accountId, 1n, { keyId: `key-${round % 3}`, modelId: `maker/${index}` }),
          ),
        );
      }
    })();
    for (let round = 0; round < 8; round += 1) await upkeep.rebuild('2026-03-10', '2026-03-10');
    isOver = true;
    await calls;
    await upkeep.rebuild('2026-01-29', '2026-03-14');
    expect(await readSums(client)).toEqual(await sumRecords(client));
    expect(await upkeep.rebuild('2026-01-29', '2026-03-14')).toEqual({ days: 45, wrongRows: 0 });
  });
});

describe('keys', () => {
  test('KEY-20 the counters of a key are those of its UTC day, week and month', async () => {
    const accountId = await fundedAccount(first, 1_000_000n);
    const at = (iso: string, charge: bigint) =>
      entryOf(accountId, charge, { keyId: 'key-counted', createdAtMs: Date.parse(iso) });
    // The tenth is a Tuesday.
    await commit([
      at('2026-03-10T00:00:00.000Z', 1n),
      at('2026-03-09T23:59:59.999Z', 10n),
      at('2026-03-09T00:00:00.000Z', 100n),
      at('2026-03-08T23:59:59.999Z', 1_000n),
      at('2026-02-28T23:59:59.999Z', 10_000n),
    ]);
    await commit([entryOf(accountId, 5n, { keyId: 'key-other' })]);
    expect(await usage.ofKey(accountId, 'key-counted', NOON_MS)).toEqual({
      spentNanoUsd: { total: 11_111n, daily: 1n, weekly: 111n, monthly: 1_111n },
      requests: { total: 5, daily: 1, weekly: 3, monthly: 4 },
    });
    expect((await usage.ofKey(accounts[0] ?? '', 'key-counted', NOON_MS)).requests.total).toBe(0);
  });

  test('KEY-03 the activity of keys is when they were last used, how often, and how many tokens', async () => {
    const accountId = await fundedAccount(first, 1_000_000n);
    const late = Date.parse('2026-03-11T08:09:10.111Z');
    await commit([
      entryOf(accountId, 1n, { keyId: 'key-busy', createdAtMs: late }),
      entryOf(accountId, 1n, { keyId: 'key-busy', createdAtMs: NOON_MS, modelId: 'maker/other' }),
    ]);
    const spentNanoUsd = { total: 2n, daily: 1n, weekly: 2n, monthly: 2n };
    const activity = await usage.activityOfKeys(accountId, ['key-busy', 'key-idle'], late);
    expect([...activity]).toEqual([
      ['key-busy', { lastUsedAt: new Date(late), requestCount: 2, totalTokens: 30, spentNanoUsd }],
    ]);
    expect((await usage.activityOfKeys(accounts[0] ?? '', ['key-busy'], late)).size).toBe(0);
  });
});
