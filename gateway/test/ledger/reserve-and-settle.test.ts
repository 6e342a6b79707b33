// The life of one reservation: held, perhaps extended, then settled or released, exactly once; the balance, the entry,
// the record and the caller's answer all say the same.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PriceList } from '../../src/canonical/price.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed, reserve, USD } from './fixture.ts';
import { recordOf, settled } from './record.ts';

let bed: LedgerBed;
let first: LedgerProcess;

beforeAll(async () => {
  bed = await openBed();
  first = await bed.startProcess();
});

afterAll(async () => {
  expect(await first.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [], heldReservations: 0 });
  await bed.close();
});

const generation = async (id: string) => (await bed.rows('select * from generations where id = $1', [id]))[0];

test('BILL-01 BILL-03 settling charges the cost, returns the rest, and every figure agrees', async () => {
  const accountId = await fundedAccount(first, 10n * USD);
  const held = await reserve(first.ledger, accountId, 4n * USD);
  expect(held.amountNanoUsd()).toBe(4n * USD);
  expect(await settled(first.ledger, held, recordOf(held, 1n * USD))).toEqual({
    chargedNanoUsd: 1n * USD,
    absorbedNanoUsd: 0n,
  });
  expect(await first.ledger.account(accountId)).toEqual({
    kind: 'prepaid',
    balanceNanoUsd: 9n * USD,
    spendableNanoUsd: 9n * USD,
    heldNanoUsd: 0n,
    totalCreditedNanoUsd: 10n * USD,
    totalSpentNanoUsd: 1n * USD,
  });
  expect(await generation(held.generationId)).toMatchObject({
    cost_nano_usd: String(USD),
    absorbed_nano_usd: '0',
    prompt_tokens: '10',
    model_id: 'maker/model',
    created_at: new Date(1_790_000_000_123),
  });
  const entries = await bed.rows('select * from journal_entries where generation_id = $1', [held.generationId]);
  expect(entries).toMatchObject([{ debit_account_id: accountId, amount_nano_usd: String(USD), kind: 'charge' }]);
  // The whole rest can be held again.
  const rest = await reserve(first.ledger, accountId, 9n * USD);
  first.ledger.release(rest, null);
});

test('reserving from a slice that covers it does no I/O', async () => {
  const accountId = await fundedAccount(first, 100n * USD);
  first.ledger.release(await reserve(first.ledger, accountId, 1n), null);
  const held = first.ledger.reserve(accountId, newId('gen'), 1n);
  expect(held).not.toBeInstanceOf(Promise);
  first.ledger.release(await held, null);
  expect(first.ledger.spendable(accountId)).toBe(100n * USD);
});

test('BILL-02 ERR-18 what the balance cannot cover is 402 insufficient_credits and asks to top up', async () => {
  const accountId = await fundedAccount(first, 5n);
  await expect(reserve(first.ledger, accountId, 6n)).rejects.toMatchObject({
    code: 'insufficient_credits',
    status: 402,
    message: expect.stringContaining('top up'),
  });
  const held = await reserve(first.ledger, accountId, 5n);
  await expect(reserve(first.ledger, accountId, 1n)).rejects.toMatchObject({ code: 'insufficient_credits' });
  first.ledger.release(held, null);
  await expect(reserve(first.ledger, newId('usr'), 1n)).rejects.toMatchObject({ code: 'insufficient_credits' });
});

test('a credit is usable by the very next call', async () => {
  const accountId = await fundedAccount(first, 0n);
  for (let round = 1; round <= 5; round += 1) {
    await expect(reserve(first.ledger, accountId, 10n)).rejects.toMatchObject({ status: 402 });
    await first.ledger.credit({ accountId, amountNanoUsd: 10n, note: '', reference: newId('txn') });
    expect(await first.ledger.spendable(accountId)).toBe(10n);
    const held = await reserve(first.ledger, accountId, 10n);
    await settled(first.ledger, held, recordOf(held, 10n));
    expect(await first.ledger.spendable(accountId)).toBe(0n);
  }
});

test('BILL-04 BILL-05 releasing returns the whole hold, and its record is written without a charge', async () => {
  const accountId = await fundedAccount(first, 7n);
  const held = await reserve(first.ledger, accountId, 7n);
  const changes = { upstreamStatus: 502, absorbedNanoUsd: 3n, absorbedReason: 'abandoned' };
  first.ledger.release(held, recordOf(held, 0n, changes));
  first.ledger.release(await reserve(first.ledger, accountId, 7n), null);
  await expect
    .poll(() => generation(held.generationId))
    .toMatchObject({
      cost_nano_usd: '0',
      absorbed_nano_usd: '3',
      absorbed_reason: 'abandoned',
      upstream_status: 502,
    });
  expect(await bed.rows('select 1 from journal_entries where generation_id = $1', [held.generationId])).toEqual([]);
});

test('I4 a reservation ends exactly once, whichever way', async () => {
  const accountId = await fundedAccount(first, 10n);
  const ended = await reserve(first.ledger, accountId, 2n);
  await settled(first.ledger, ended, recordOf(ended, 1n));
  await expect(settled(first.ledger, ended, recordOf(ended, 1n))).rejects.toThrow('exactly once');
  expect(() => first.ledger.release(ended, null)).toThrow('exactly once');
  expect(() => first.ledger.extend(ended, 1n)).toThrow('only an open reservation');
  const released = await reserve(first.ledger, accountId, 2n);
  first.ledger.release(released, null);
  expect(() => first.ledger.release(released, null)).toThrow('exactly once');
  expect((await first.ledger.account(accountId)).balanceNanoUsd).toBe(9n);
});

test('I7 negative amounts are refused before they reach anything', async () => {
  const accountId = await fundedAccount(first, 10n);
  expect(() => first.ledger.reserve(accountId, newId('gen'), -1n)).toThrow('never negative');
  const held = await reserve(first.ledger, accountId, 1n);
  expect(() => first.ledger.extend(held, -1n)).toThrow('never negative');
  await expect(settled(first.ledger, held, recordOf(held, -1n))).rejects.toThrow('never negative');
  await expect(
    first.ledger.credit({ accountId, amountNanoUsd: -1n, note: '', reference: newId('txn') }),
  ).rejects.toThrow('never negative');
  first.ledger.release(held, null);
});

test('STRM-10 an extension holds more, and is refused when the account cannot', async () => {
  const accountId = await fundedAccount(first, 10n);
  const held = await reserve(first.ledger, accountId, 4n);
  expect(await first.ledger.extend(held, 5n)).toBe(true);
  expect(held.amountNanoUsd()).toBe(9n);
  expect(await first.ledger.extend(held, 2n)).toBe(false);
  expect(held.amountNanoUsd()).toBe(9n);
  expect(await first.ledger.extend(held, 1n)).toBe(true);
  first.ledger.release(held, null);
});

test('a call that ends while its extension waits leaves nothing held', async () => {
  const accountId = await fundedAccount(first, 100n);
  const held = await reserve(first.ledger, accountId, 1n);
  const extension = first.ledger.extend(held, 99n);
  first.ledger.release(held, null);
  expect(await extension).toBe(false);
  first.ledger.release(await reserve(first.ledger, accountId, 100n), null);
});

test('BILL-02 AMB-06 a cost above the reservation is charged as far as the balance goes, the rest is absorbed', async () => {
  const accountId = await fundedAccount(first, 10n);
  const covered = await reserve(first.ledger, accountId, 2n);
  expect(await settled(first.ledger, covered, recordOf(covered, 6n))).toEqual({
    chargedNanoUsd: 6n,
    absorbedNanoUsd: 0n,
  });
  const short = await reserve(first.ledger, accountId, 1n);
  expect(await settled(first.ledger, short, recordOf(short, 9n))).toEqual({ chargedNanoUsd: 4n, absorbedNanoUsd: 5n });
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 0n, totalSpentNanoUsd: 10n });
  expect(await generation(short.generationId)).toMatchObject({
    cost_nano_usd: '4',
    absorbed_nano_usd: '5',
    absorbed_reason: 'exhausted',
    subtotal_nano_usd: '9',
  });
});

test('a call that costs nothing needs no balance and leaves a record without an entry', async () => {
  const accountId = await fundedAccount(first, 0n);
  const held = first.ledger.reserve(accountId, newId('gen'), 0n);
  expect(held).not.toBeInstanceOf(Promise);
  expect(await settled(first.ledger, await held, recordOf(await held, 0n))).toEqual({
    chargedNanoUsd: 0n,
    absorbedNanoUsd: 0n,
  });
  expect(await generation((await held).generationId)).toMatchObject({ cost_nano_usd: '0' });
});

test('I13 the price list that made the cost is kept with the charge, once for all charges', async () => {
  const list: PriceList = {
    prompt: 150_000_000n,
    completion: 600_000_000n,
    cacheRead: null,
    cacheWrite: null,
    request: null,
    image: null,
    videoSecond: null,
    cacheWriteHour: null,
    search: null,
    webSearch: null,
    hostedTool: null,
    audioSecond: null,
    character: null,
  };
  const accountId = await fundedAccount(first, 10n);
  const ids: string[] = [];
  for (const same of [list, list, { ...list }]) {
    const held = await reserve(first.ledger, accountId, 1n);
    await settled(first.ledger, held, recordOf(held, 1n), same);
    ids.push(held.generationId);
  }
  const kept = await bed.rows(
    'select distinct p.list from journal_entries e join price_lists p on p.id = e.price_list_id where generation_id = any ($1)',
    [ids],
  );
  expect(kept).toEqual([{ list: { prompt: '150000000', completion: '600000000' } }]);
});

test('I8 a generation id that is settled again moves no money and answers the first charge', async () => {
  const accountId = await fundedAccount(first, 100n);
  const generationId = newId('gen');
  const charges = [];
  for (const batched of [false, false, true, true]) {
    const held = await first.ledger.reserve(accountId, generationId, 10n);
    const settlement = settled(first.ledger, held, recordOf(held, 10n));
    if (!batched) await settlement;
    charges.push(settlement);
  }
  for (const settlement of await Promise.all(charges)) expect(settlement.chargedNanoUsd).toBe(10n);
  expect(await first.ledger.account(accountId)).toMatchObject({ balanceNanoUsd: 90n, totalSpentNanoUsd: 10n });
});

test('text and numbers that a database cannot hold do not cost the charge', async () => {
  const accountId = await fundedAccount(first, 10n);
  const held = await reserve(first.ledger, accountId, 10n);
  const record = recordOf(held, 10n, {
    finishReason: `a\u0000b\ud800c${'x'.repeat(10_000)}`,
    appName: '\udc00',
    durationMs: 12.7,
    firstTokenMs: Number.NaN,
    upstreamStatus: 2 ** 40,
  });
  expect((await settled(first.ledger, held, record)).chargedNanoUsd).toBe(10n);
  expect(await generation(held.generationId)).toMatchObject({
    cost_nano_usd: '10',
    app_name: '\ufffd',
    duration_ms: 13,
  });
});

test('I6 a credit is made once per reference, and the same reference with another amount is refused', async () => {
  const accountId = await fundedAccount(first, 0n);
  const credit = { accountId, amountNanoUsd: 3n, note: 'once', reference: newId('txn') };
  const balances = await Promise.all([1, 2, 3, 4, 5].map(() => first.ledger.credit(credit)));
  expect(balances).toEqual([3n, 3n, 3n, 3n, 3n]);
  expect((await first.ledger.account(accountId)).balanceNanoUsd).toBe(3n);
  await expect(first.ledger.credit({ ...credit, amountNanoUsd: 4n })).rejects.toMatchObject({ status: 409 });
  await expect(first.ledger.credit({ ...credit, accountId: 'usr-none' })).rejects.toMatchObject({ status: 404 });
});

test('I11 entries cannot be changed or removed, and accounts cannot be removed', async () => {
  await fundedAccount(first, 1n);
  for (const change of [
    'update journal_entries set amount_nano_usd = 0',
    'delete from journal_entries',
    'truncate journal_entries',
    'delete from accounts',
  ]) {
    await expect(bed.rows(change), change).rejects.toThrow('is refused');
  }
});

test('I15 the database itself refuses a balance, or anything available, below zero', async () => {
  const accountId = await fundedAccount(first, 5n);
  for (const change of [
    'leased_nano_usd = 6',
    'held_nano_usd = 6',
    'balance_nano_usd = -1, total_spent_nano_usd = 6',
  ]) {
    await expect(bed.rows(`update accounts set ${change} where id = '${accountId}'`), change).rejects.toThrow(
      'constraint',
    );
  }
});
