// The monthly partitions of call records: a missing month fails nothing, a dropped month takes its records and leaves
// its sums, and the migration to partitions keeps what was there.

import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settlementCommitter } from '../../src/modules/ledger/commit-settlements.ts';
import { settlementEntry } from '../../src/modules/ledger/settlement-entry.ts';
import { createUsageUpkeep, type UsageUpkeep } from '../../src/modules/usage/upkeep.ts';
import { createUsageReports } from '../../src/modules/usage/usage.ts';
import { newId } from '../../src/platform/ids.ts';
import { folded } from '../folded.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf } from '../ledger/record.ts';
import { migratedBefore } from '../storage/migrated-before.ts';
import { readSums, sumRecords } from './raw-sums.ts';

const EVERYTHING = { grain: 'day', fromHourMs: null, modelId: null, keyId: null, appName: null } as const;

describe('months', () => {
  let bed: LedgerBed;
  let only: LedgerProcess;
  let upkeep: UsageUpkeep;

  beforeAll(async () => {
    bed = await openBed();
    only = await bed.startProcess();
    upkeep = createUsageUpkeep(only.database);
  });

  afterAll(() => bed.close());

  async function settle(accountId: string, iso: string): Promise<string> {
    const reservation = { accountId, generationId: newId('gen') } as never;
    const record = recordOf(reservation, 7n, { createdAtMs: Date.parse(iso), userId: accountId });
    const entry = settlementEntry(record, { chargeNanoUsd: 7n, priceList: null, caps: [] });
    const charged = await settlementCommitter(only.database, () => 'prc-stranger')([entry]);
    expect(charged.has(record.id)).toBe(true);
    return record.id;
  }

  /** In which table each record lies. */
  async function placesOf(...ids: string[]): Promise<(string | undefined)[]> {
    const rows = await bed.rows('select id, tableoid::regclass::text as place from generations where id = any ($1)', [
      ids,
    ]);
    return ids.map((id) => rows.find((row) => row.id === id)?.place);
  }

  test('a call of a month that was not made is settled, and moves to its month when that is made', async () => {
    const accountId = await fundedAccount(only, 1_000n);
    const last = await settle(accountId, '2031-05-31T23:59:59.999Z');
    const next = await settle(accountId, '2031-06-01T00:00:00.000Z');
    const other = await settle(accountId, '2031-04-30T23:59:59.999Z');
    expect(await placesOf(last, next, other)).toEqual(Array(3).fill('generations_default'));
    const mayMs = Date.parse('2031-05-15T12:00:00Z');
    expect(await upkeep.ensureMonths(mayMs)).toEqual(['2031-05-01', '2031-06-01', '2031-07-01']);
    expect(await upkeep.ensureMonths(mayMs)).toEqual([]);
    expect(await placesOf(last, next, other)).toEqual([
      'generations_2031_05',
      'generations_2031_06',
      'generations_default',
    ]);
    expect(await placesOf(await settle(accountId, '2031-06-30T23:59:59.999Z'))).toEqual(['generations_2031_06']);
    expect(await only.ledger.check('everything')).toMatchObject({ ok: true });
    const report = await createUsageReports(only.database).report({
      accountId,
      userId: null,
      ...EVERYTHING,
      firstDay: '2031-04-01',
      lastDay: '2031-06-30',
    });
    expect(report.totals).toMatchObject({ requests: 4, spentNanoUsd: 28n });
  });

  test('several processes make the same months at once', async () => {
    const nowMs = Date.parse('2032-11-30T23:00:00Z');
    const made = await Promise.all([1, 2, 3].map(() => upkeep.ensureMonths(nowMs)));
    expect(made.flat().sort()).toEqual(['2032-11-01', '2032-12-01', '2033-01-01']);
  });

  test('hours that are older than their retention go, and their days stay', async () => {
    const accountId = await fundedAccount(only, 1_000n);
    await settle(accountId, '2025-03-01T23:59:59.999Z');
    await settle(accountId, '2025-03-02T00:00:00.000Z');
    const read = async (table: string) =>
      (await bed.rows(`select day from ${table} where account_id = $1 order by day`, [accountId])).map(
        ({ day }) => day,
      );
    const days = await read('usage_daily');
    expect(days).toHaveLength(2);
    const nowMs = Date.parse('2025-06-01T12:00:00Z');
    const keepDays = (Date.parse('2025-06-01') - Date.parse('2025-03-02')) / 86_400_000;
    expect(await upkeep.forgetHours(nowMs, keepDays)).toBeGreaterThanOrEqual(1);
    expect(await upkeep.forgetHours(nowMs, keepDays)).toBe(0);
    expect(await read('usage_hourly')).toEqual([days[1]]);
    expect(await read('usage_daily')).toEqual(days);
  });

  test('a month that is dropped takes its records, leaves its sums, and the books still balance', async () => {
    const accountId = await fundedAccount(only, 1_000n);
    const poor = await fundedAccount(only, 0n);
    await upkeep.ensureMonths(Date.parse('2024-01-01T00:00:00Z'));
    const old = await settle(accountId, '2024-01-31T23:59:59.999Z');
    const young = await settle(accountId, '2024-02-01T00:00:00.000Z');
    await settle(poor, '2024-01-10T00:00:00.000Z');
    expect(await upkeep.droppedMonths('2024-01-01', '2024-12-31')).toEqual([]);
    expect(await upkeep.dropMonthsBefore('2024-02-01')).toEqual(['2024-01-01']);
    expect(await placesOf(old, young)).toEqual([undefined, 'generations_2024_02']);
    expect(await upkeep.droppedMonths('2024-01-31', '2024-02-01')).toEqual(['2024-01-01']);
    expect(await upkeep.droppedMonths('2024-02-01', '2024-12-31')).toEqual([]);
    const usage = createUsageReports(only.database);
    const report = await usage.report({
      accountId,
      userId: null,
      firstDay: '2024-01-01',
      lastDay: '2024-02-29',
      ...EVERYTHING,
    });
    expect(report.totals).toMatchObject({ requests: 2, spentNanoUsd: 14n });
    expect(await only.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });

    // As if the month had been dropped while earlier days were still being rebuilt.
    const daily = () =>
      bed.rows('select day, requests, cost_nano_usd from usage_daily where account_id = $1 order by day', [accountId]);
    const kept = await daily();
    await expect(upkeep.rebuild('2024-01-31', '2024-01-31')).rejects.toThrow('The records of 2024-01 were dropped');
    expect([kept.length, await daily()]).toEqual([2, kept]);

    // A call of that month that was only journaled then and is written now.
    const late = await settle(accountId, '2024-01-05T00:00:00.000Z');
    expect(await placesOf(late)).toEqual(['generations_default']);
    expect(await only.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });

    // And a record that is lost is still missed.
    await bed.rows('delete from generations where id = $1', [young]);
    const { discrepancies } = await only.ledger.check('everything');
    expect(discrepancies).toEqual([
      `account ${accountId}: charges without a record are $0.000000014, dropped months say $0.000000007`,
    ]);
  });
});

test('the migration keeps the records of a database in use, in their months, and makes their sums', async () => {
  const { client, goOn } = await migratedBefore('0004-usage.sql');
  await client.query(`
    insert into generations
    select 'gen-' || n, 'usr-' || n % 3, 'usr-' || n % 3, 'key-' || n % 4, 'chat', 'maker/' || n % 2, 'maker', 'model',
      case when n % 2 = 0 then 'App' end, 'stop', case when n % 5 = 0 then 500 else 200 end, false, false,
      '2025-12-31T23:00:00Z'::timestamptz + n * interval '7 hours', 1, null, n, 2 * n, 0, 0, 0, 0, 0, n + n % 3, n % 2, n,
      case when n % 7 = 0 then 3 else 0 end, case when n % 7 = 0 then 'abandoned' end, 1
    from generate_series(1, 200) as n`);
  const read = async (): Promise<Json[]> =>
    (await client.query<{ record: Json }>('select to_jsonb(g) as record from generations g order by id')).rows.map(
      ({ record }) => record,
    );
  const before = await read();
  await goOn();
  // Later migrations may add to a record.
  expect(await read()).toMatchObject(before);
  const { rows } = await client.query(
    'select tableoid::regclass::text as place, count(*)::integer as n from generations group by 1 order by 1',
  );
  expect(rows).toEqual([
    { place: 'generations_2026_01', n: 106 },
    { place: 'generations_2026_02', n: 94 },
  ]);
  const sums = await readSums(client);
  expect(sums).toEqual(await sumRecords(client));
  expect(sums.usage_daily?.size).toBeGreaterThan(100);
  expect(sums.usage_absorbed?.size).toBe(28);
});

describe('upkeep by the operator', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness({ models: { 'openai/small': { commands: 'tokens-1000-500' } } });
  });

  afterAll(() => harness.close());

  const ask = (path: string, body: unknown) =>
    harness.request('POST', `/admin/v1/usage/${path}`, { key: 'test-operator-token', body });

  const monthsAgo = (months: number): string => {
    const now = new Date();
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1)).toISOString().slice(0, 7);
  };

  test('a gateway that starts makes this month and the next two', async () => {
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    const { rows } = await client.query(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'generations'::regclass order by 1",
    );
    await client.end();
    expect(rows.map(({ name }) => name)).toEqual([
      ...[0, -1, -2].map((months) => `generations_${monthsAgo(months).replace('-', '_')}`),
      'generations_default',
    ]);
  });

  test('sums are made again on demand, and a healthy day needs no correction', async () => {
    const { key } = await harness.account(20);
    await harness.chat(key, { model: 'openai/small' });
    const today = new Date().toISOString().slice(0, 10);
    const healthy = await ask('rebuild', { from: today, to: today });
    expect([healthy.status, healthy.body]).toEqual([200, { days: 1, correctedRows: 0 }]);
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    await folded(async (text) => (await client.query<object>(text)).rows);
    await client.query('update usage_daily set requests = 77');
    await client.end();
    const usage = async () => ((await harness.request('GET', '/v1/usage', { key })).body.totals as Json).requests;
    expect(await usage()).toBe(77);
    expect((await ask('rebuild', { from: today, to: today })).body).toEqual({ days: 1, correctedRows: 1 });
    expect(await usage()).toBe(1);
  });

  test('what cannot be done is refused with its reason', async () => {
    for (const [path, body, status] of [
      ['rebuild', { from: '2026-01-01' }, 400],
      ['rebuild', { from: '2026-01-02', to: '2026-01-01' }, 400],
      ['rebuild', { from: '2026-02-30', to: '2026-03-01' }, 400],
      ['rebuild', { from: '2024-01-01', to: '2026-01-01' }, 400],
      ['drop-months', { before: monthsAgo(0) }, 400],
      ['drop-months', { before: '2026-1' }, 400],
      ['drop-months', { before: '2026-13' }, 400],
      ['drop-months', {}, 400],
    ] as const) {
      const answer = await ask(path, body);
      expect(answer.status, JSON.stringify(body)).toBe(status);
    }
    const { key } = await harness.account(20);
    for (const path of ['rebuild', 'drop-months']) {
      expect((await harness.request('POST', `/admin/v1/usage/${path}`, { key, body: {} })).status).toBe(401);
    }
  });

  test('old months are dropped on demand, and their sums cannot be made again', async () => {
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    const { userId } = await harness.account(20);
    await client.query("select ensure_generation_month('2024-03-01')");
    await client.query(
      `insert into generations
       select 'gen-old', $1, $1, 'key-1', 'chat', 'maker/model', 'maker', 'model', null, 'stop', 200, false, false,
         '2024-03-05T00:00:00Z', 1, null, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, null, 1`,
      [userId],
    );
    await client.query("select roll_up(array['gen-old'], array['2024-03-05T00:00:00Z'::timestamptz])");
    await client.end();
    expect((await ask('drop-months', { before: monthsAgo(1) })).body).toEqual({ dropped: ['2024-03'] });
    expect((await ask('drop-months', { before: monthsAgo(1) })).body).toEqual({ dropped: [] });
    const refused = await ask('rebuild', { from: '2024-03-31', to: '2024-04-01' });
    expect([refused.status, (refused.body.error as Json).message]).toEqual([
      409,
      'The records of 2024-03 were dropped; its sums cannot be made again.',
    ]);
    expect(await harness.ledgerCheck()).toMatchObject({ ok: true });
  });
});
