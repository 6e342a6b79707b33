// One cap in the ledger: what fits is held, what is held or spent is not given twice, and a window, a limit or a process
// may change meanwhile.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import type { Reservation } from '../../src/modules/ledger/ledger.ts';
import { newId } from '../../src/platform/ids.ts';
import { openDoor } from '../ledger/database-door.ts';
import { fundedAccount, type LedgerBed, type LedgerProcess, openBed } from '../ledger/fixture.ts';
import { recordOf } from '../ledger/record.ts';
import { breakerOf, capOf } from './caps.ts';
import { SetClock } from './set-clock.ts';

let bed: LedgerBed;
let first: LedgerProcess;
let accountId: string;
const clock = new SetClock('2026-03-10T12:00:30Z');

beforeAll(async () => {
  bed = await openBed();
});

beforeEach(async () => {
  clock.set('2026-03-10T12:00:30Z');
  first = await bed.startProcess({ clock });
  accountId = await fundedAccount(first, 1_000_000n);
});

afterEach(async () => {
  expect(await first.ledger.check()).toMatchObject({ ok: true, discrepancies: [] });
  await bed.endProcesses();
});

afterAll(async () => {
  await bed.close();
});

const reserve = async (amountNanoUsd: bigint, caps: readonly SpendCap[], { ledger } = first): Promise<Reservation> =>
  ledger.reserve(accountId, newId('gen'), amountNanoUsd, caps);

const refusal = (amountNanoUsd: bigint, caps: readonly SpendCap[], at = first): Promise<string | null> =>
  reserve(amountNanoUsd, caps, at).then(
    (held) => {
      at.ledger.release(held, null);
      return null;
    },
    (error: { code: string }) => error.code,
  );

const spend = async (amountNanoUsd: bigint, caps: readonly SpendCap[], at = first): Promise<void> => {
  const held = await reserve(amountNanoUsd, caps, at);
  await at.ledger.settle(held, recordOf(held, amountNanoUsd));
};

const counters = (scopeId: string) =>
  bed.rows(
    `select time_window as window, seeded_nano_usd as seeded, spent_nano_usd as spent, leased_nano_usd as leased,
       to_char(window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI') as start
     from spend_counters where scope_id = $1 order by window_start`,
    [scopeId],
  );

test('what slices cover is held without I/O, under any number of caps', async () => {
  const caps = [breakerOf(10_000n), capOf(10_000n), capOf(10_000n, { scope: 'team' })];
  first.ledger.release(await reserve(1n, caps), null);
  const held = first.ledger.reserve(accountId, newId('gen'), 1n, caps);
  expect(held).not.toBeInstanceOf(Promise);
  first.ledger.release(await held, null);
});

test('BILL-15 held and spent count alike, a release gives back at once, and the exact rest can be held', async () => {
  const cap = capOf(100n);
  const held = await reserve(60n, [cap]);
  expect(await refusal(41n, [cap])).toBe('spend_limit_exceeded');
  first.ledger.release(held, null);
  await spend(60n, [cap]);
  expect(await refusal(41n, [cap])).toBe('spend_limit_exceeded');
  expect(await refusal(40n, [cap])).toBeNull();
  expect(await first.ledger.used(cap)).toBe(60n);
  const rest = await reserve(40n, [cap]);
  expect(await first.ledger.used(cap)).toBe(100n);
  await first.ledger.settle(rest, recordOf(rest, 1n));
  expect(await first.ledger.used(cap)).toBe(61n);
});

test('a refusal by the account leaves nothing held under the caps', async () => {
  const caps = [breakerOf(10_000_000n), capOf(10_000_000n)];
  expect(await refusal(1_000_001n, caps)).toBe('insufficient_credits');
  expect(await Promise.all(caps.map((cap) => first.ledger.used(cap)))).toEqual([0n, 0n]);
  expect(first.ledger.status().openReservations).toBe(0);
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
    clock.set(last);
    const cap = capOf(10n, { window });
    const running = await reserve(10n, [cap]);
    expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
    clock.set(next);
    await spend(10n, [cap]);
    expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
    await first.ledger.settle(running, recordOf(running, 7n));
    expect(await counters(cap.scopeId)).toMatchObject([{ window, start, spent: '7' }, { spent: '10' }]);
    expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
    // A clock that is set back finds the old window as it was left.
    clock.set(last);
    expect(await refusal(4n, [cap])).toBe('spend_limit_exceeded');
    expect(await refusal(3n, [cap])).toBeNull();
  },
);

test('a counter begins with what the records say of the window, however the cap counts', async () => {
  const at = { createdAtMs: Date.parse('2026-03-10T12:00:05Z') };
  const earlier = { createdAtMs: Date.parse('2026-03-10T12:00:00Z') - 1 };
  const [keyId, userId] = [newId('key'), newId('usr')];
  const costs: [bigint, object][] = [
    [1n, { ...at, keyId, userId }],
    [10n, { ...earlier, keyId, userId }],
    [100n, { ...at, keyId, userId: 'usr-other' }],
    [1_000n, { ...at, keyId: 'key-other', userId }],
  ];
  for (const [cost, changes] of costs) {
    const held = await reserve(cost, []);
    await first.ledger.settle(held, recordOf(held, cost, changes));
  }
  const seed = async (changes: Partial<SpendCap>): Promise<bigint> => {
    const cap = capOf(1_000_000n, { scopeId: newId('key'), ...changes });
    const before = await first.ledger.used(cap);
    first.ledger.release(await reserve(1n, [cap]), null);
    expect(await first.ledger.used(cap)).toBe(before);
    expect(await counters(cap.scopeId)).toMatchObject([{ seeded: `${before}`, spent: `${before}` }]);
    return before;
  };
  expect(await seed({ window: 'day', covers: { keyId } })).toBe(111n);
  expect(await seed({ window: 'never', covers: { keyId } })).toBe(111n);
  expect(await seed({ window: 'hour', covers: { keyId } })).toBe(101n);
  expect(await seed({ window: 'minute', covers: { userIds: [userId] } })).toBe(1_001n);
  expect(await seed({ window: 'hour', covers: { userIds: [userId] } })).toBe(1_001n);
  expect(await seed({ window: 'month', covers: { accountId, userIds: [userId] } })).toBe(1_011n);
  expect(await seed({ window: 'month', covers: { accountId: 'org-other' } })).toBe(0n);
  expect(await seed({ window: 'week', covers: { accountId } })).toBe(1_111n);
  expect(await seed({ window: 'minute', covers: { accountId, userIds: [userId, 'usr-other'] } })).toBe(1_101n);
  clock.set('2026-04-01T00:00:00Z');
  expect(await seed({ window: 'month', covers: { keyId } })).toBe(0n);
});

test('a cap that is switched on again starts from the records, not from where its counter stood', async () => {
  const cap = capOf(100n, { window: 'day' });
  const at = { createdAtMs: clock.nowMs(), keyId: cap.scopeId };
  const settle = async (caps: readonly SpendCap[]) => {
    const held = await reserve(30n, caps);
    await first.ledger.settle(held, recordOf(held, 30n, at));
  };
  await settle([cap]);
  await settle([]);
  await settle([{ ...cap, sinceMs: 5 }]);
  expect((await counters(cap.scopeId)).map(({ spent }) => spent)).toEqual(['30', '90']);
  expect(await refusal(11n, [{ ...cap, sinceMs: 5 }])).toBe('spend_limit_exceeded');
});

test('a lowered limit counts from the next call on, whatever was leased, and a raised one too', async () => {
  const second = await bed.startProcess({ clock });
  const cap = capOf(1_000n);
  const limited = (limitNanoUsd: bigint): SpendCap => ({ ...cap, limitNanoUsd });
  const running = await reserve(300n, [cap]);
  await spend(10n, [cap], second);
  expect(await refusal(1n, [limited(300n)])).toBe('spend_limit_exceeded');
  expect(await refusal(11n, [limited(320n)])).toBe('spend_limit_exceeded');
  expect(await refusal(10n, [limited(320n)])).toBeNull();
  expect(await refusal(11n, [limited(320n)], second)).toBe('spend_limit_exceeded');
  // What the running call gives back belongs to the new limit.
  await first.ledger.settle(running, recordOf(running, 100n));
  expect(await refusal(41n, [limited(150n)])).toBe('spend_limit_exceeded');
  expect(await refusal(40n, [limited(150n)])).toBeNull();
  expect(await refusal(890n, [limited(1_000n)])).toBeNull();
  expect(await refusal(891n, [limited(1_000n)], second)).toBe('spend_limit_exceeded');
  expect(await refusal(890n, [limited(1_000n)], second)).toBeNull();
});

test('what a running call gives back under a limit that was lowered meanwhile is not given out again', async () => {
  const cap = capOf(300n);
  const lowered = capOf(100n, { ...cap, limitNanoUsd: 100n });
  const running = await reserve(300n, [cap]);
  expect(await refusal(1n, [lowered])).toBe('spend_limit_exceeded');
  first.ledger.release(running, null);
  expect(await refusal(100n, [lowered])).toBeNull();
  await spend(60n, [lowered]);
  expect(await refusal(41n, [lowered])).toBe('spend_limit_exceeded');
});

test('ERR-19 a call that is larger than a whole cap runs alone, is charged in full, and is the last', async () => {
  const cap = capOf(100n);
  const firm = await reserve(10n, [cap]);
  expect(await refusal(101n, [cap])).toBe('spend_limit_exceeded');
  first.ledger.release(firm, null);
  const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(500n, [cap])));
  const [held, ...others] = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
  expect(others).toEqual([]);
  expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
  expect(await first.ledger.extend(held!, 50n)).toBe(true);
  expect(await first.ledger.settle(held!, recordOf(held!, 30n))).toMatchObject({ chargedNanoUsd: 30n });
  const last = await reserve(500n, [cap]);
  expect(await first.ledger.settle(last, recordOf(last, 90n))).toMatchObject({
    chargedNanoUsd: 90n,
    absorbedNanoUsd: 0n,
  });
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '120', leased: '0' }]);
  for (const amount of [1n, 500n]) expect(await refusal(amount, [cap])).toBe('spend_limit_exceeded');
  expect(await refusal(30n, [capOf(150n, { ...cap, limitNanoUsd: 150n })])).toBeNull();
});

test('a call that is larger than a whole cap does not join one that came with it', async () => {
  const cap = capOf(100n);
  const attempts = await Promise.allSettled([reserve(60n, [cap]), reserve(500n, [cap])]);
  expect(attempts.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  for (const attempt of attempts) if (attempt.status === 'fulfilled') first.ledger.release(attempt.value, null);
  expect(await refusal(100n, [cap])).toBeNull();
});

test('a cap of zero lets nothing through but what is free', async () => {
  const cap = capOf(0n);
  expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
  expect(await refusal(0n, [cap])).toBeNull();
});

test('BILL-02 a cost above the hold is charged as far as the cap goes, and the rest is absorbed', async () => {
  const cap = capOf(10n);
  const covered = await reserve(2n, [cap]);
  expect(await first.ledger.settle(covered, recordOf(covered, 6n))).toEqual({
    chargedNanoUsd: 6n,
    absorbedNanoUsd: 0n,
  });
  const short = await reserve(1n, [cap]);
  expect(await first.ledger.settle(short, recordOf(short, 9n))).toEqual({ chargedNanoUsd: 4n, absorbedNanoUsd: 5n });
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '10', leased: '0' }]);
  expect(await first.ledger.account(accountId)).toMatchObject({ totalSpentNanoUsd: 10n });
});

test('STRM-10 an extension is held under every cap or under none, and says which refused', async () => {
  const [wide, narrow] = [capOf(100n), capOf(10n, { scope: 'team' })];
  const held = await reserve(4n, [wide, narrow]);
  expect(held.refusal()).toBeNull();
  expect(await first.ledger.extend(held, 6n)).toBe(true);
  expect(await first.ledger.extend(held, 1n)).toBe(false);
  expect(held.refusal()).toMatchObject({ code: 'budget_cap_reached' });
  expect(held.amountNanoUsd()).toBe(10n);
  expect([await first.ledger.used(wide), await first.ledger.used(narrow)]).toEqual([10n, 10n]);
  first.ledger.release(held, null);
  expect([await first.ledger.used(wide), await first.ledger.used(narrow)]).toEqual([0n, 0n]);
});

test('BRK-05 a breaker does not stop a call that runs: it is extended and charged, and counted in full', async () => {
  const cap = breakerOf(10n);
  const held = await reserve(8n, [cap]);
  expect(await first.ledger.extend(held, 20n)).toBe(true);
  expect(await first.ledger.settle(held, recordOf(held, 25n))).toMatchObject({ chargedNanoUsd: 25n });
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '25', leased: '0' }]);
  expect(await refusal(1n, [cap])).toBe('http_429');
});

/** All of a limit of 100 is leased here, and nothing is held. */
async function leaseAll(cap: SpendCap): Promise<void> {
  for (const amount of [60n, 100n]) first.ledger.release(await reserve(amount, [cap]), null);
  expect(await counters(cap.scopeId)).toMatchObject([{ leased: '100' }]);
}

test('BRK-05 what a call costs beyond its hold is no longer there for others', async () => {
  const cap = breakerOf(100n);
  await leaseAll(cap);
  const held = await reserve(10n, [cap]);
  await first.ledger.settle(held, recordOf(held, 40n));
  const last = await reserve(60n, [cap]);
  expect(await refusal(1n, [cap])).toBe('http_429');
  first.ledger.release(last, null);
});

test('BRK-05 what a call costs beyond all that is free does not come out of what others hold', async () => {
  const second = await bed.startProcess({ clock });
  const cap = breakerOf(100n);
  await leaseAll(cap);
  const [small, large] = [await reserve(10n, [cap]), await reserve(90n, [cap])];
  await first.ledger.settle(small, recordOf(small, 40n));
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '40', leased: '90' }]);
  first.ledger.release(large, null);
  expect(await refusal(60n, [cap], second)).toBeNull();
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '40', leased: '60' }]);
});

test('BRK-05 below the threshold a call of any size passes; at the threshold none does', async () => {
  const cap = breakerOf(10n);
  await spend(9n, [cap]);
  await spend(50n, [cap]);
  expect(await refusal(1n, [cap])).toBe('http_429');
  const exact = breakerOf(10n);
  await spend(10n, [exact]);
  expect(await refusal(0n, [exact])).toBe('http_429');
});

test('BRK-13 the first cap that refuses is the one that is heard, in the order given', async () => {
  const [breaker, key, team] = [breakerOf(1n), capOf(1n), capOf(1n, { scope: 'team' })];
  const order = [breaker, key, team];
  expect(await refusal(1n, order)).toBeNull();
  await spend(1n, [team]);
  expect(await refusal(1n, order)).toBe('budget_cap_reached');
  await spend(1n, [key]);
  expect(await refusal(1n, order)).toBe('spend_limit_exceeded');
  await spend(1n, [breaker]);
  expect(await refusal(1n, order)).toBe('http_429');
});

test('CRASH-2 what a dead process had leased under a cap comes back, and what it charged stays counted', async () => {
  const dying = await bed.startProcess({ clock });
  const cap = capOf(100n);
  await spend(30n, [cap], dying);
  await reserve(70n, [cap], dying);
  expect(await refusal(1n, [cap])).toBe('spend_limit_exceeded');
  await dying.close();
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '30', leased: '0' }]);
  expect(await refusal(70n, [cap])).toBeNull();
  expect(await refusal(71n, [cap])).toBe('spend_limit_exceeded');
});

test('PGLOSS a charge that went through the journal is counted once', async () => {
  const door = await openDoor(bed.url);
  const away = await bed.startProcess({ clock, url: door.url });
  const cap = capOf(100n);
  const held = await Promise.all([1, 2, 3].map(() => reserve(20n, [cap], away)));
  await door.shut();
  await Promise.all(held.map((each) => away.ledger.settle(each, recordOf(each, 15n))));
  await door.open();
  await expect
    .poll(() => away.ledger.status(), { timeout: 10_000 })
    .toMatchObject({ isServing: true, journaledSettlements: 0 });
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '45' }]);
  expect(await refusal(55n, [cap])).toBeNull();
  expect(await refusal(56n, [cap])).toBe('spend_limit_exceeded');
  await away.close();
  await door.close();
});

test('a process that was swept holds on under its new id, and nothing is counted twice', async () => {
  const cap = capOf(100n);
  const held = await reserve(40n, [cap]);
  await bed.rows("update processes set renewed_at = now() - interval '31 seconds'");
  const second = await bed.startProcess({ clock });
  // The sweep has returned the slice; the running call ends all the same.
  expect(await refusal(100n, [cap], second)).toBeNull();
  await expect(reserve(61n, [cap])).rejects.toMatchObject({ status: 503 });
  await expect.poll(() => first.ledger.status().isServing, { timeout: 10_000 }).toBe(true);
  expect(await first.ledger.settle(held, recordOf(held, 40n))).toMatchObject({ chargedNanoUsd: 40n });
  expect(await counters(cap.scopeId)).toMatchObject([{ spent: '40' }]);
  expect(await refusal(60n, [cap], second)).toBeNull();
  expect(await refusal(61n, [cap], second)).toBe('spend_limit_exceeded');
});
