// What processes have leased of a balance and do not use is available to every process that needs it, and a refusal
// makes nobody wait.

import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, openBed, USD } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';

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

const leasedBy = async (accountId: string) =>
  (await bed.rows('select amount_nano_usd as amount from account_slices where account_id = $1', [accountId])).map(
    ({ amount }) => Number(amount) / 1e9,
  );

test('BILL-16 slices shrink with what is left, and all of them come together for one who needs the whole balance', async () => {
  const processes = await Promise.all(Array.from({ length: 5 }, () => bed.startProcess()));
  const accountId = await fundedAccount(processes[0]!, 32n * USD);
  for (const { ledger } of processes) ledger.release(await ledger.reserve(accountId, newId('gen'), 1n), null);
  expect((await leasedBy(accountId)).toSorted((left, right) => right - left)).toEqual([16, 8, 4, 2, 1]);
  const { ledger } = processes[4]!;
  const whole = await ledger.reserve(accountId, newId('gen'), 32n * USD);
  expect((await settled(ledger, whole, recordOf(whole, 32n * USD))).chargedNanoUsd).toBe(32n * USD);
  expect((await ledger.check('everything')).discrepancies).toEqual([]);
});

test('BILL-16 two that need more than is left at once are not both refused', async () => {
  const processes = await Promise.all(Array.from({ length: 4 }, () => bed.startProcess()));
  const accountId = await fundedAccount(processes[0]!, 10n * USD);
  for (const { ledger } of processes) ledger.release(await ledger.reserve(accountId, newId('gen'), 1n), null);
  for (let round = 0; round < 5; round += 1) {
    const held = await Promise.allSettled(
      processes.map(async ({ ledger }) => ({ ledger, it: await ledger.reserve(accountId, newId('gen'), 6n * USD) })),
    );
    const granted = held.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(granted).toHaveLength(1);
    for (const { ledger, it } of granted) ledger.release(it, null);
  }
});

test('a refusal waits for the answers of the others and not longer', async () => {
  const processes = await Promise.all(Array.from({ length: 3 }, () => bed.startProcess()));
  const accountId = await fundedAccount(processes[0]!, 9n * USD);
  const held = await Promise.all(
    processes.map(async ({ ledger }) => ({ ledger, it: await ledger.reserve(accountId, newId('gen'), USD) })),
  );
  const refusedAfterMs = async (): Promise<number> => {
    const startedMs = performance.now();
    await expect(processes[0]!.ledger.reserve(accountId, newId('gen'), 7n * USD)).rejects.toMatchObject({
      code: 'insufficient_credits',
    });
    return performance.now() - startedMs;
  };
  // Without replies every refusal would take a second, not only those that a busy machine delays.
  await expect.poll(refusedAfterMs).toBeLessThan(900);
  for (const { ledger, it } of held) ledger.release(it, null);
});
