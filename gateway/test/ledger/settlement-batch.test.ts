// The one statement that ends calls, by itself: it charges no more than the account can carry beside what others have
// leased or hold, and repeating it changes nothing.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { settlementCommitter } from '../../src/modules/ledger/commit-settlements.ts';
import { type SettlementEntry, settlementEntry } from '../../src/modules/ledger/settlement-entry.ts';
import { leaseSlice } from '../../src/modules/ledger/store/slices.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let first: LedgerProcess;

beforeAll(async () => {
  bed = await openBed();
  first = await bed.startProcess();
});

afterAll(async () => {
  expect(await first.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
  await bed.close();
});

function chargeOf(accountId: string, amountNanoUsd: bigint): SettlementEntry {
  const reservation = {
    accountId,
    generationId: newId('gen'),
    amountNanoUsd: () => amountNanoUsd,
    refusal: () => null,
  };
  return settlementEntry(recordOf(reservation, amountNanoUsd), {
    chargeNanoUsd: amountNanoUsd,
    priceList: null,
    caps: [],
  });
}

/** As a process that has no slice of its own. */
async function commit(entries: readonly SettlementEntry[]): Promise<(bigint | undefined)[]> {
  const charged = await settlementCommitter(first.database, () => 'prc-stranger')(entries);
  return entries.map((entry) => charged.get(entry.row.id)?.chargedNanoUsd);
}

const costs = async (entries: readonly SettlementEntry[]) => {
  const ids = entries.map((entry) => entry.row.id);
  const rows = await bed.rows(
    'select id, cost_nano_usd as cost, absorbed_nano_usd as absorbed from generations where id = any ($1)',
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.id === id)).map((row) => `${row?.cost}+${row?.absorbed}`);
};

test('I5 I15 charges beyond the balance are cut off in their order, and the cut is recorded as absorbed', async () => {
  const accountId = await fundedAccount(first, 10n);
  const entries = [4n, 4n, 4n, 4n].map((amount) => chargeOf(accountId, amount));
  expect(await commit(entries)).toEqual([4n, 4n, 2n, 0n]);
  expect(await costs(entries)).toEqual(['4+0', '4+0', '2+2', '0+4']);
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 0n, totalSpentNanoUsd: 10n });
});

test('I6 I8 a batch that is written again charges nothing, even where it was cut off and the account has money since', async () => {
  const accountId = await fundedAccount(first, 10n);
  const entries = [6n, 6n, 6n].map((amount) => chargeOf(accountId, amount));
  expect(await commit(entries)).toEqual([6n, 4n, 0n]);
  await first.ledger.credit({ accountId, amountNanoUsd: 100n, note: '', reference: newId('txn') });
  expect(await commit(entries)).toEqual([6n, 4n, 0n]);
  const fresh = chargeOf(accountId, 5n);
  expect(await commit([...entries, fresh, fresh])).toEqual([6n, 4n, 0n, 5n, 5n]);
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 95n, totalSpentNanoUsd: 15n });
});

test('a repetition does not use up what a new charge beside it needs', async () => {
  const accountId = await fundedAccount(first, 10n);
  const [early, late] = [chargeOf(accountId, 6n), chargeOf(accountId, 4n)];
  expect(await commit([early])).toEqual([6n]);
  expect(await commit([early, late])).toEqual([6n, 4n]);
});

test('a lease grants what is missing or half, whichever is more, and nothing where too little is left to be of use', async () => {
  const accountId = await fundedAccount(first, 100n);
  const [registered] = await bed.rows('select id from processes');
  const lease = async (missingNanoUsd: bigint, leastNanoUsd: bigint) => {
    const request = { accountId, processId: registered!.id!, missingNanoUsd, leastNanoUsd };
    const { grantedNanoUsd, remainingNanoUsd } = await leaseSlice(first.database, request);
    return [grantedNanoUsd, remainingNanoUsd];
  };
  expect(await lease(10n, 10n)).toEqual([50n, 50n]);
  expect(await lease(30n, 30n)).toEqual([30n, 20n]);
  expect(await lease(60n, 21n)).toEqual([0n, 20n]);
  expect(await lease(60n, 20n)).toEqual([20n, 0n]);
  expect(await lease(1n, 0n)).toEqual([0n, 0n]);
});

test('a charge cannot touch what another process has leased or what is held for a job', async () => {
  const accountId = await fundedAccount(first, 100n);
  const held = await first.ledger.reserve(accountId, newId('gen'), 60n);
  await bed.rows(
    "insert into reservations (id, account_id, amount_nano_usd, expires_at) values ($1, $2, 15, now() + interval '1 hour')",
    [newId('gen'), accountId],
  );
  await bed.rows('update accounts set held_nano_usd = 15 where id = $1', [accountId]);
  expect(await commit([chargeOf(accountId, 30n)])).toEqual([25n]);
  expect(await settled(first.ledger, held, recordOf(held, 60n))).toEqual({ chargedNanoUsd: 60n, absorbedNanoUsd: 0n });
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 15n });
});

test('an entry of an unknown account charges nobody and is told apart from one that was charged', async () => {
  const accountId = await fundedAccount(first, 10n);
  expect(await commit([chargeOf('usr-unknown', 3n), chargeOf(accountId, 3n)])).toEqual([undefined, 3n]);
  expect(await commit([chargeOf('system-funding', 3n)])).toEqual([undefined]);
});

test('RACE-1 the same batch written by two connections at once is charged once', async () => {
  const accountId = await fundedAccount(first, 1_000n);
  for (let round = 0; round < 20; round += 1) {
    const entries = [1n, 2n, 3n].map((amount) => chargeOf(accountId, amount));
    expect(await Promise.all([commit(entries), commit(entries), commit(entries)])).toEqual(
      [1, 2, 3].map(() => [1n, 2n, 3n]),
    );
  }
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 1_000n - 120n });
});
