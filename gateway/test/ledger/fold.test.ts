// Added rows are folded later: until then every read counts them, the audit knows them, and the process that sweeps a
// dead one folds its rows, once.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GenerationRecord } from '../../src/canonical/generation.ts';
import { zeroUsage } from '../../src/canonical/usage.ts';
import type { FinishedCall } from '../../src/modules/ledger/settlement-entry.ts';
import { appendCalls } from '../../src/modules/ledger/store/append.ts';
import { foldAll, foldSoon } from '../../src/modules/ledger/store/fold.ts';
import { sweepDeadProcesses } from '../../src/modules/ledger/store/processes.ts';
import { createUsageReports } from '../../src/modules/usage/usage.ts';
import { type Queryable, sql } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import { readSums, sumRecords } from '../usage/raw-sums.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, patiently, reserve } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let first: LedgerProcess;
let second: LedgerProcess;

beforeAll(async () => {
  bed = await openBed();
  first = await bed.startProcess();
  second = await bed.startProcess();
});

afterAll(async () => {
  await bed.folded();
  expect(await patiently(() => first.ledger.check('everything'))).toMatchObject({ ok: true, discrepancies: [] });
  await bed.close();
});

const callOf = (accountId: string, chargeNanoUsd: bigint): FinishedCall => {
  const record = recordOf({ generationId: newId('gen'), accountId }, chargeNanoUsd, { userId: accountId });
  return { record, chargeNanoUsd, priceList: null, caps: [], teamId: null };
};

/** One that has registered and leased a slice. Its lock keeps the other two from sweeping it before it dies. */
async function otherProcess(accountId: string, sliceNanoUsd: bigint): Promise<string> {
  const processId = newId('prc');
  await bed.rows("select pg_advisory_lock(hashtextextended('process ' || $1, 0))", [processId]);
  await bed.rows('insert into processes (id) values ($1)', [processId]);
  await bed.rows('insert into account_slices values ($1, $2, $3)', [accountId, processId, sliceNanoUsd]);
  await bed.rows('update accounts set leased_nano_usd = leased_nano_usd + $2 where id = $1', [accountId, sliceNanoUsd]);
  return processId;
}

const die = (processId: string) =>
  bed.rows("select pg_advisory_unlock(hashtextextended('process ' || $1, 0))", [processId]);

const accountRow = async (accountId: string) =>
  (
    await bed.rows('select balance_nano_usd as balance, leased_nano_usd as leased from accounts where id = $1', [
      accountId,
    ])
  )[0];

test('I2 every process reads a charge from the moment its call was answered, folded or not', async () => {
  const accountId = await fundedAccount(first, 1_000n);
  for (let round = 1n; round <= 20n; round += 1n) {
    const held = await reserve(first.ledger, accountId, 10n);
    await settled(first.ledger, held, recordOf(held, 10n, { userId: accountId, createdAtMs: Date.now() }));
    for (const { ledger, database } of [first, second]) {
      expect(await ledger.account(accountId)).toMatchObject({
        balanceNanoUsd: 1_000n - 10n * round,
        totalSpentNanoUsd: 10n * round,
      });
      const usage = await createUsageReports(database).ofKey(accountId, 'key-1', Date.now());
      expect(usage.spentNanoUsd).toMatchObject({ total: 10n * round, daily: 10n * round });
      expect(usage.requests.total).toBe(Number(round));
    }
    expect(await second.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
  }
});

test('CRASH-1 what a dead process had added is folded by who sweeps it, and the rest of its slice goes back', async () => {
  const accountId = await fundedAccount(first, 100n);
  const processId = await otherProcess(accountId, 60n);
  const calls = [callOf(accountId, 25n), callOf(accountId, 5n), callOf(accountId, 0n)];
  expect(await appendCalls(first.database, processId, calls.slice(0, 2))).toBe(true);
  expect(await appendCalls(first.database, processId, calls.slice(2))).toBe(true);
  expect(await accountRow(accountId)).toEqual({ balance: '100', leased: '60' });
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 70n });
  expect(await first.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });

  await die(processId);
  const sweeps = [first, second].map(({ database }) =>
    sweepDeadProcesses(database, { ownProcessId: '', serverGraceMs: 0 }),
  );
  await Promise.all(sweeps);
  await expect.poll(() => accountRow(accountId)).toEqual({ balance: '70', leased: '0' });
  expect(await bed.rows('select 1 from unfolded_batches where process_id = $1', [processId])).toEqual([]);
  expect((await createUsageReports(first.database).ofKey(accountId, 'key-1', Date.now())).requests.total).toBe(3);
});

test('CRASH-1 a dead process that cannot be swept holds up no other, and no reservation that has run out', async () => {
  const stuckAccount = await fundedAccount(first, 100n);
  const accountId = await fundedAccount(first, 100n);
  const stuck = await otherProcess(stuckAccount, 10n);
  const other = await otherProcess(accountId, 60n);
  // A charge that is larger than the balance cannot be folded.
  await bed.rows(
    `insert into unfolded_batches (process_id, generation_ids, called_at, account_ids, amounts)
     values ($1, '{gen-stuck}', array[now()], array[$2], '{1000}')`,
    [stuck, stuckAccount],
  );
  await bed.rows(
    "insert into reservations (id, account_id, amount_nano_usd, expires_at) values ('gen-held', $1, 30, now() + interval '1 hour')",
    [accountId],
  );
  await bed.rows('update accounts set held_nano_usd = 30 where id = $1', [accountId]);
  await die(stuck);
  await die(other);
  await expect.poll(() => accountRow(accountId)).toEqual({ balance: '100', leased: '0' });
  await bed.rows("update reservations set expires_at = now() - interval '1 second' where id = 'gen-held'");
  const state = async () => (await bed.rows("select state from reservations where id = 'gen-held'"))[0]?.state;
  await expect.poll(state).toBe('expired');
  expect(await bed.rows('select 1 from processes where id = $1', [stuck])).toHaveLength(1);
  await bed.rows('delete from unfolded_batches where process_id = $1', [stuck]);
  await expect.poll(() => accountRow(stuckAccount)).toEqual({ balance: '100', leased: '0' });
});

test('I6 a process that was swept adds nothing, and a call that is there is not added again', async () => {
  const accountId = await fundedAccount(first, 100n);
  const processId = await otherProcess(accountId, 50n);
  const call = callOf(accountId, 20n);
  expect(await appendCalls(first.database, processId, [call])).toBe(true);
  await expect(appendCalls(first.database, processId, [call])).rejects.toThrow('duplicate key');
  await expect(appendCalls(first.database, processId, [callOf(accountId, 1n), call])).rejects.toThrow('duplicate key');
  await die(processId);
  await sweepDeadProcesses(first.database, { ownProcessId: '', serverGraceMs: 0 });
  await expect.poll(() => bed.rows('select 1 from processes where id = $1', [processId])).toEqual([]);
  expect(await appendCalls(first.database, processId, [callOf(accountId, 1n)])).toBe(false);
  expect(await accountRow(accountId)).toEqual({ balance: '80', leased: '0' });
});

test('a call leaves the same rows alone as among others, whichever of its columns it has', async () => {
  const accountId = await fundedAccount(first, 100_000n);
  const processId = await otherProcess(accountId, 50_000n);
  const some: Partial<GenerationRecord>[] = [
    { appName: 'app' },
    { finishReason: null },
    { firstTokenMs: 5 },
    { isStream: true },
    { usage: { ...zeroUsage, promptTokens: 9, cachedTokens: 3, units: { images: 2 } } },
    { absorbedReason: 'abandoned', absorbedNanoUsd: 4n },
    { freeUnits: 2 },
    { markupNanoUsd: 1n },
    { attemptLog: [{ provider: 'a', upstreamModel: 'm', outcome: 'answered', status: 200, durationMs: 3 }] },
  ];
  // More sets of columns than have a statement of their own.
  const changes = Array.from({ length: 40 }, (_, index) =>
    Object.assign({ createdAtMs: Date.now() }, ...some.filter((_, bit) => ((index * 13) >> bit) % 2 === 1)),
  );
  const made = () =>
    changes.map((change, index) => {
      const call = callOf(accountId, index % 5 === 0 ? 0n : 7n);
      return { ...call, record: { ...call.record, ...change }, teamId: index % 3 === 0 ? 'tem-1' : null };
    });
  const [alone, together] = [made(), made()];
  for (const call of alone) expect(await appendCalls(first.database, processId, [call])).toBe(true);
  expect(await appendCalls(first.database, processId, together)).toBe(true);
  const rowsOf = async (calls: readonly FinishedCall[]) => {
    const ids = calls.map(({ record }) => record.id);
    const records = await bed.rows(
      "select to_jsonb(g) - 'id' as row from generations g where id = any($1) order by array_position($1, id)",
      [ids],
    );
    const entries = await bed.rows(
      `select debit_account_id, credit_account_id, amount_nano_usd, kind, price_list_id, counter_ids
       from journal_entries where generation_id = any($1) order by array_position($1, generation_id)`,
      [ids],
    );
    return { records, entries };
  };
  const rows = await rowsOf(alone);
  expect(rows.records).toHaveLength(40);
  expect(rows.entries).toHaveLength(32);
  expect(await rowsOf(together)).toEqual(rows);
  await die(processId);
});

test('a fold adds up its own records, found by their key, and no other of the same id', async () => {
  const accountId = await fundedAccount(first, 100n);
  const processId = await otherProcess(accountId, 50n);
  const call = callOf(accountId, 7n);
  const { record } = call;
  const later = callOf(accountId, 5n);
  const calls = [call, { ...later, record: { ...later.record, createdAtMs: record.createdAtMs + 2_000 } }];
  expect(await appendCalls(first.database, processId, calls)).toBe(true);
  const columns = (await bed.rows('select * from generations where id = $1', [record.id]))[0] as Record<
    string,
    unknown
  >;
  const { created_at: _, ...others } = columns;
  const names = Object.keys(others).join(', ');
  await bed.rows(
    `insert into generations (${names}, created_at) select ${names}, created_at + interval '1 second' from generations
     where id = $1`,
    [record.id],
  );
  const [scans] = await first.database.transaction(async (transaction) => {
    await foldAll(transaction, processId);
    return transaction.query<{ whole: bigint }>(
      sql(
        'test_scans',
        `select sum(seq_scan)::bigint as whole from pg_stat_xact_user_tables where relname ~ '^generations'`,
      ),
    );
  });
  expect(scans?.whole).toBe(0n);
  const sums = 'select requests::integer, cost_nano_usd::integer as cost from usage_daily where account_id = $1';
  expect(await bed.rows(sums, [accountId])).toEqual([{ requests: 2, cost: 12 }]);
  await bed.rows('delete from generations where id = $1 and created_at <> $2', [record.id, columns.created_at]);
  await die(processId);
});

test('RACE-1 folds that meet fold everything once', async () => {
  const accountId = await fundedAccount(first, 10_000n);
  const processId = await otherProcess(accountId, 5_000n);
  for (let round = 0; round < 5; round += 1) {
    for (const size of [1, 2, 7]) {
      await appendCalls(
        first.database,
        processId,
        Array.from({ length: size }, () => callOf(accountId, 3n)),
      );
    }
    await Promise.all([first, second, first, second].map(({ database }) => foldAll(database, processId)));
  }
  expect(await accountRow(accountId)).toEqual({ balance: '9850', leased: '4850' });
  const client = { query: async (text: string) => ({ rows: await bed.rows(text) }) } as never;
  expect(await readSums(client)).toEqual(await sumRecords(client));
});

test('more batches than can be folded in time are folded in smaller parts', async () => {
  let left = 250;
  const asked: number[] = [];
  const slow: Queryable = {
    query: async <Row extends object>(_: unknown, [, atOnce]: readonly unknown[] = []) => {
      asked.push(Number(atOnce));
      if (Number(atOnce) > 100) throw Object.assign(new Error('canceling statement'), { code: '57014' });
      const batches = Math.min(left, Number(atOnce));
      left -= batches;
      return [{ batches, accountIds: null, spendables: null }] as unknown as Row[];
    },
  };
  await foldSoon(slow, 'prc-slow');
  expect([left, asked]).toEqual([0, [1_000, 100, 100, 100]]);
});

test('an account that somebody keeps locked stops nobody: its calls are answered, and others lease and spend', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => fundedAccount(first, 1_000n)));
  // The fold locks accounts in the order of their ids, so it holds those before the stuck one while it waits.
  const [, , stuck] = accounts.toSorted() as [string, string, string];
  const others = accounts.filter((id) => id !== stuck);
  const stuckHolds = await Promise.all([1, 2, 3].map(() => reserve(first.ledger, stuck, 5n)));
  await bed.rows('begin');
  await bed.rows('select 1 from accounts where id = $1 for update', [stuck]);
  const untilMs = performance.now() + 1_500;
  for (let round = 0; performance.now() < untilMs || round < 10; round += 1) {
    const held = stuckHolds.pop();
    if (held !== undefined) await settled(first.ledger, held, recordOf(held, 5n));
    for (const id of others) {
      const other = await reserve(first.ledger, id, BigInt(5 + (round % 3)));
      expect(await settled(first.ledger, other, recordOf(other, 1n))).toMatchObject({ chargedNanoUsd: 1n });
    }
  }
  expect(first.ledger.status()).toMatchObject({ isServing: true, journaledSettlements: 0 });
  await bed.rows('commit');
  await bed.folded();
  expect(await accountRow(stuck)).toMatchObject({ balance: '985' });
});
