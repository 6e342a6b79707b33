// Many calls at once, in one process and in several: a balance for ten is spent by exactly ten, and batches of several
// processes over the same accounts neither deadlock nor lose a nano-dollar.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Ledger, Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, openBed, USD } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;

beforeAll(async () => {
  bed = await openBed();
});

afterEach(async () => {
  await bed.endProcesses();
});

afterAll(async () => {
  await bed.close();
});

type Attempt = Readonly<{ ledger: Ledger; reservation: Reservation | null; code: string | null }>;

function attempt(ledger: Ledger, accountId: string, amountNanoUsd: bigint): Promise<Attempt> {
  return Promise.resolve()
    .then(() => ledger.reserve(accountId, newId('gen'), amountNanoUsd))
    .then(
      (reservation) => ({ ledger, reservation, code: null }),
      (error: { code: string }) => ({ ledger, reservation: null, code: error.code }),
    );
}

test.each([1, 2, 3])(
  'BILL-16 RACE-1 of 200 calls at once on a balance for 10, exactly 10 are held: %i processes',
  async (count) => {
    const processes = await Promise.all(Array.from({ length: count }, () => bed.startProcess()));
    const ledgers = processes.map((process) => process.ledger);
    for (let round = 0; round < 5; round += 1) {
      const accountId = await fundedAccount(processes[0]!, 10n * USD);
      const attempts = await Promise.all(
        Array.from({ length: 200 }, (_, index) => attempt(ledgers[index % count]!, accountId, USD)),
      );
      expect(attempts.filter(({ reservation }) => reservation !== null)).toHaveLength(10);
      expect(attempts.filter(({ code }) => code === 'insufficient_credits')).toHaveLength(190);
      const settlements = await Promise.all(
        attempts.flatMap(({ ledger, reservation }) =>
          reservation === null ? [] : [settled(ledger, reservation, recordOf(reservation, USD))],
        ),
      );
      expect(settlements.every(({ chargedNanoUsd }) => chargedNanoUsd === USD)).toBe(true);
      expect(await ledgers[0]!.account(accountId)).toMatchObject({ balanceNanoUsd: 0n, totalSpentNanoUsd: 10n * USD });
    }
    expect(await ledgers[0]!.check('everything')).toMatchObject({ ok: true, heldReservations: 0 });
  },
);

test('what another process holds without using it is given back when it is needed', async () => {
  const [idle, busy] = await Promise.all([bed.startProcess(), bed.startProcess()]);
  const accountId = await fundedAccount(idle, 10n * USD);
  // Half of the balance stays with the first process, which needs only a nano of it.
  const small = await idle.ledger.reserve(accountId, newId('gen'), 1n);
  const large = await busy.ledger.reserve(accountId, newId('gen'), 10n * USD - 1n);
  await expect(busy.ledger.reserve(accountId, newId('gen'), 1n)).rejects.toMatchObject({ status: 402 });
  idle.ledger.release(small, null);
  const last = await busy.ledger.reserve(accountId, newId('gen'), 1n);
  expect((await settled(busy.ledger, large, recordOf(large, 10n * USD - 1n))).absorbedNanoUsd).toBe(0n);
  expect((await settled(busy.ledger, last, recordOf(last, 1n))).absorbedNanoUsd).toBe(0n);
  expect(await idle.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 0n });
  expect((await idle.ledger.check('everything')).discrepancies).toEqual([]);
});

test('leases and returns of several processes on one account never refuse each other by mistake', async () => {
  const processes = await Promise.all([1, 2, 3, 4].map(() => bed.startProcess()));
  const accountId = await fundedAccount(processes[0]!, 100n);
  const codes = new Set<string | null>();
  await Promise.all(
    processes.map(async ({ ledger }) => {
      for (let round = 0; round < 60; round += 1) {
        const { reservation, code } = await attempt(ledger, accountId, BigInt(1 + ((round * 7) % 40)));
        codes.add(code);
        if (reservation !== null) ledger.release(reservation, null);
      }
    }),
  );
  // The four processes never need more than 160 of 100 at once, and return it at once: a 402 may happen, an error may
  // not.
  expect([...codes].filter((code) => code !== null && code !== 'insufficient_credits')).toEqual([]);
  expect((await processes[0]!.ledger.check('everything')).discrepancies).toEqual([]);
});

test('batches of several processes over the same accounts do not deadlock and add up', async () => {
  const processes = await Promise.all([1, 2, 3, 4].map(() => bed.startProcess()));
  const accounts = await Promise.all(Array.from({ length: 12 }, () => fundedAccount(processes[0]!, 1_000n * USD)));
  let charged = 0n;
  await Promise.all(
    processes.map(async ({ ledger }) => {
      for (let round = 0; round < 12; round += 1) {
        const shuffled = accounts.toSorted(() => Math.random() - 0.5);
        const settlements = await Promise.all(
          shuffled.map(async (accountId) => {
            const held = await ledger.reserve(accountId, newId('gen'), 2n);
            return settled(ledger, held, recordOf(held, 2n));
          }),
        );
        for (const { chargedNanoUsd } of settlements) charged += chargedNanoUsd;
      }
    }),
  );
  expect(charged).toBe(BigInt(4 * 12 * 12 * 2));
  const [deadlocks] = await bed.rows('select deadlocks from pg_stat_database where datname = current_database()');
  expect(deadlocks).toEqual({ deadlocks: '0' });
  const status = processes.map(({ ledger }) => ledger.status().journaledSettlements);
  expect(status).toEqual([0, 0, 0, 0]);
  expect(await processes[0]!.ledger.check('everything')).toMatchObject({ ok: true, heldReservations: 0 });
});

test('the audit is consistent while the ledger is busy', async () => {
  const [one, two] = await Promise.all([bed.startProcess(), bed.startProcess()]);
  const accountId = await fundedAccount(one, 1_000n * USD);
  let isRunning = true;
  const work = [one, two].map(async ({ ledger }) => {
    while (isRunning) {
      const held = await ledger.reserve(accountId, newId('gen'), 3n);
      await settled(ledger, held, recordOf(held, 2n));
    }
  });
  for (let round = 0; round < 5; round += 1) expect((await one.ledger.check('everything')).discrepancies).toEqual([]);
  isRunning = false;
  await Promise.all(work);
});

test('settlements that are ready together are written by few statements', async () => {
  const only = await bed.startProcess();
  const accountId = await fundedAccount(only, 10n * USD);
  const held = await Promise.all(Array.from({ length: 300 }, () => only.ledger.reserve(accountId, newId('gen'), 5n)));
  await Promise.all(held.map((reservation) => settled(only.ledger, reservation, recordOf(reservation, 5n))));
  // Entries of one statement share their transaction's time.
  const [batches] = await bed.rows(
    'select count(distinct created_at) as n from journal_entries where debit_account_id = $1',
    [accountId],
  );
  expect(Number(batches!.n)).toBeLessThanOrEqual(3);
});
