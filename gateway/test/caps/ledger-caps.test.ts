// One cap in the ledger: a call that fits is held, room that is held or spent is not given twice, and a window or a
// limit may change meanwhile.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { newId } from '../../src/platform/ids.ts';
import { fundedAccount } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';
import { CapBed } from './cap-bed.ts';
import { breakerOf, capOf } from './caps.ts';

let caps: CapBed;

beforeAll(async () => {
  caps = await CapBed.open();
});

beforeEach(() => caps.begin());

afterEach(async () => {
  expect(await caps.first.ledger.check('everything')).toMatchObject({ ok: true, discrepancies: [] });
  await caps.bed.endProcesses();
});

afterAll(async () => {
  await caps.bed.close();
});

test('what slices cover is held without I/O, under any number of caps', async () => {
  const order = [breakerOf(10_000n), capOf(10_000n), capOf(10_000n, { scope: 'team' })];
  caps.first.ledger.release(await caps.reserve(1n, order), null);
  const held = caps.first.ledger.reserve(caps.accountId, newId('gen'), 1n, order);
  expect(held).not.toBeInstanceOf(Promise);
  caps.first.ledger.release(await held, null);
});

test('BILL-15 held and spent count alike, a release gives back at once, and the exact rest can be held', async () => {
  const cap = capOf(100n);
  const held = await caps.reserve(60n, [cap]);
  expect(await caps.refusal(41n, [cap])).toBe('spend_limit_exceeded');
  caps.first.ledger.release(held, null);
  await caps.spend(60n, [cap]);
  expect(await caps.refusal(41n, [cap])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(40n, [cap])).toBeNull();
  expect(await caps.first.ledger.used(cap)).toBe(60n);
  const rest = await caps.reserve(40n, [cap]);
  expect(await caps.first.ledger.used(cap)).toBe(100n);
  await settled(caps.first.ledger, rest, recordOf(rest, 1n));
  expect(await caps.first.ledger.used(cap)).toBe(61n);
});

test('a refusal by the account leaves nothing held under the caps', async () => {
  const order = [breakerOf(10_000_000n), capOf(10_000_000n)];
  expect(await caps.refusal(1_000_001n, order)).toBe('insufficient_credits');
  expect(await Promise.all(order.map((cap) => caps.first.ledger.used(cap)))).toEqual([0n, 0n]);
  expect(caps.first.ledger.status().openReservations).toBe(0);
});

test.each<[SpendCap['window'], string, string, string]>([
  ['minute', '2026-03-10T12:00:59.999Z', '2026-03-10T12:01:00Z', '2026-03-10T12:00'],
  ['hour', '2026-03-10T12:59:59.999Z', '2026-03-10T13:00:00Z', '2026-03-10T12:00'],
  ['day', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00Z', '2028-02-29T00:00'],
  ['week', '2026-01-04T23:59:59.999Z', '2026-01-05T00:00:00Z', '2025-12-29T00:00'],
  ['month', '2028-02-29T23:59:59.999Z', '2028-03-01T00:00:00Z', '2028-02-01T00:00'],
])(
  'WIN-1 KEY-16 BRK-06 a %s turns between %s and %s; a call counts where it was admitted',
  async (window, last, next, start) => {
    caps.clock.set(last);
    const cap = capOf(10n, { window });
    const running = await caps.reserve(10n, [cap]);
    expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
    caps.clock.set(next);
    await caps.spend(10n, [cap]);
    expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
    await settled(caps.first.ledger, running, recordOf(running, 7n));
    expect(await caps.counters(cap.scopeId)).toMatchObject([{ window, start, spent: '7' }, { spent: '10' }]);
    expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
    // When a clock is set back, the old window is found as it was.
    caps.clock.set(last);
    expect(await caps.refusal(4n, [cap])).toBe('spend_limit_exceeded');
    expect(await caps.refusal(3n, [cap])).toBeNull();
  },
);

test('a lowered limit counts from the next call on, whatever was leased, and a raised one too', async () => {
  const second = await caps.startAnother();
  const cap = capOf(1_000n);
  const limited = (limitNanoUsd: bigint): SpendCap => ({ ...cap, limitNanoUsd });
  const running = await caps.reserve(300n, [cap]);
  await caps.spend(10n, [cap], second);
  expect(await caps.refusal(1n, [limited(300n)])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(11n, [limited(320n)])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(10n, [limited(320n)])).toBeNull();
  expect(await caps.refusal(11n, [limited(320n)], second)).toBe('spend_limit_exceeded');
  // What the running call gives back counts towards the new limit.
  await settled(caps.first.ledger, running, recordOf(running, 100n));
  expect(await caps.refusal(41n, [limited(150n)])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(40n, [limited(150n)])).toBeNull();
  expect(await caps.refusal(890n, [limited(1_000n)])).toBeNull();
  expect(await caps.refusal(891n, [limited(1_000n)], second)).toBe('spend_limit_exceeded');
  expect(await caps.refusal(890n, [limited(1_000n)], second)).toBeNull();
});

test('what a running call gives back under a limit that was lowered meanwhile is not given out again', async () => {
  const cap = capOf(300n);
  const lowered = capOf(100n, { ...cap, limitNanoUsd: 100n });
  const running = await caps.reserve(300n, [cap]);
  expect(await caps.refusal(1n, [lowered])).toBe('spend_limit_exceeded');
  caps.first.ledger.release(running, null);
  expect(await caps.refusal(100n, [lowered])).toBeNull();
  await caps.spend(60n, [lowered]);
  expect(await caps.refusal(41n, [lowered])).toBe('spend_limit_exceeded');
});

test('ERR-19 a call that is larger than a whole cap runs alone, is charged what it was admitted for, and is the last', async () => {
  const cap = capOf(100n);
  const firm = await caps.reserve(10n, [cap]);
  expect(await caps.refusal(101n, [cap])).toBe('spend_limit_exceeded');
  caps.first.ledger.release(firm, null);
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => caps.reserve(500n, [cap])));
  const [held, ...others] = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(others).toEqual([]);
  expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
  expect(await caps.first.ledger.extend(held!, 50n)).toBe(false);
  expect(await settled(caps.first.ledger, held!, recordOf(held!, 30n))).toMatchObject({ chargedNanoUsd: 30n });
  const last = await caps.reserve(500n, [cap]);
  expect(await settled(caps.first.ledger, last, recordOf(last, 90n))).toMatchObject({
    chargedNanoUsd: 90n,
    absorbedNanoUsd: 0n,
  });
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '120', leased: '0' }]);
  for (const amount of [1n, 500n]) expect(await caps.refusal(amount, [cap])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(30n, [capOf(150n, { ...cap, limitNanoUsd: 150n })])).toBeNull();
});

test('ERR-19 a cap is exceeded by a dime at most, whatever a call is estimated at or costs in the end', async () => {
  const dime = 100_000_000n;
  const rich = await fundedAccount(caps.first, 100n * dime);
  const reserve = async (amountNanoUsd: bigint, cap: SpendCap) =>
    caps.first.ledger.reserve(rich, newId('gen'), amountNanoUsd, [cap]);
  const cap = capOf(10n);
  await expect(reserve(dime + 1n, cap)).rejects.toMatchObject({ code: 'spend_limit_exceeded' });
  const held = await reserve(dime, cap);
  expect(await settled(caps.first.ledger, held, recordOf(held, 5n * dime))).toEqual({
    chargedNanoUsd: dime,
    absorbedNanoUsd: 4n * dime,
  });
  const larger = capOf(20n * dime);
  caps.first.ledger.release(await reserve(20n * dime, larger), null);
});

test('a call that is larger than a whole cap does not join one that came with it', async () => {
  const cap = capOf(100n);
  const attempts = await Promise.allSettled([caps.reserve(60n, [cap]), caps.reserve(500n, [cap])]);
  expect(attempts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  for (const attempt of attempts) if (attempt.status === 'fulfilled') caps.first.ledger.release(attempt.value, null);
  expect(await caps.refusal(100n, [cap])).toBeNull();
});

test('a cap of zero lets nothing through but what is free', async () => {
  const cap = capOf(0n);
  expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
  expect(await caps.refusal(0n, [cap])).toBeNull();
});

test('BILL-02 a cost above the hold is charged as far as the cap goes, and the rest is absorbed', async () => {
  const cap = capOf(10n);
  const covered = await caps.reserve(2n, [cap]);
  expect(await settled(caps.first.ledger, covered, recordOf(covered, 6n))).toEqual({
    chargedNanoUsd: 6n,
    absorbedNanoUsd: 0n,
  });
  const short = await caps.reserve(1n, [cap]);
  expect(await settled(caps.first.ledger, short, recordOf(short, 9n))).toEqual({
    chargedNanoUsd: 4n,
    absorbedNanoUsd: 5n,
  });
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '10', leased: '0' }]);
  expect(await caps.first.ledger.account(caps.accountId)).toMatchObject({ totalSpentNanoUsd: 10n });
});

test('STRM-10 an extension is held under every cap or under none, and says which refused', async () => {
  const [wide, narrow] = [capOf(100n), capOf(10n, { scope: 'team' })];
  const held = await caps.reserve(4n, [wide, narrow]);
  expect(held.refusal()).toBeNull();
  expect(await caps.first.ledger.extend(held, 6n)).toBe(true);
  expect(await caps.first.ledger.extend(held, 1n)).toBe(false);
  expect(held.refusal()).toMatchObject({ code: 'budget_cap_reached' });
  expect(held.amountNanoUsd()).toBe(10n);
  expect([await caps.first.ledger.used(wide), await caps.first.ledger.used(narrow)]).toEqual([10n, 10n]);
  caps.first.ledger.release(held, null);
  expect([await caps.first.ledger.used(wide), await caps.first.ledger.used(narrow)]).toEqual([0n, 0n]);
});
