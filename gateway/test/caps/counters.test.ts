// The counters behind caps: what they begin with, that they outlive processes and outages, and that they are checked.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { forgetCounters } from '../../src/modules/ledger/store/counters.ts';
import { FORGOTTEN_TOGETHER } from '../../src/platform/db/forget.ts';
import { newId } from '../../src/platform/ids.ts';
import { openDoor } from '../ledger/database-door.ts';
import { recordOf, settled } from '../ledger/record.ts';
import { CapBed } from './cap-bed.ts';
import { capOf } from './caps.ts';

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
    const held = await caps.reserve(cost, []);
    await settled(caps.first.ledger, held, recordOf(held, cost, changes));
  }
  const seed = async (changes: Partial<SpendCap>): Promise<bigint> => {
    const cap = capOf(1_000_000n, { scopeId: newId('key'), ...changes });
    const before = await caps.first.ledger.used(cap);
    caps.first.ledger.release(await caps.reserve(1n, [cap]), null);
    expect(await caps.first.ledger.used(cap)).toBe(before);
    expect(await caps.counters(cap.scopeId)).toMatchObject([{ seeded: `${before}`, spent: `${before}` }]);
    return before;
  };
  expect(await seed({ window: 'day', covers: { keyId } })).toBe(111n);
  expect(await seed({ window: 'never', covers: { keyId } })).toBe(111n);
  expect(await seed({ window: 'hour', covers: { keyId } })).toBe(101n);
  expect(await seed({ window: 'minute', covers: { userIds: [userId] } })).toBe(1_001n);
  expect(await seed({ window: 'hour', covers: { userIds: [userId] } })).toBe(1_001n);
  expect(await seed({ window: 'month', covers: { accountId: caps.accountId, userIds: [userId] } })).toBe(1_011n);
  expect(await seed({ window: 'month', covers: { accountId: 'org-other' } })).toBe(0n);
  expect(await seed({ window: 'week', covers: { accountId: caps.accountId } })).toBe(1_111n);
  expect(await seed({ window: 'minute', covers: { accountId: caps.accountId, userIds: [userId, 'usr-other'] } })).toBe(
    1_101n,
  );
  caps.clock.set('2026-04-01T00:00:00Z');
  expect(await seed({ window: 'month', covers: { keyId } })).toBe(0n);
});

test('a cap that is switched on again starts from the records, not from where its counter stood', async () => {
  const cap = capOf(100n, { window: 'day' });
  const at = { createdAtMs: caps.clock.nowMs(), keyId: cap.scopeId };
  const settle = async (order: readonly SpendCap[]) => {
    const held = await caps.reserve(30n, order);
    await settled(caps.first.ledger, held, recordOf(held, 30n, at));
  };
  await settle([cap]);
  await settle([]);
  await settle([{ ...cap, sinceMs: 5 }]);
  expect((await caps.counters(cap.scopeId)).map(({ spent }) => spent)).toEqual(['30', '90']);
  expect(await caps.refusal(11n, [{ ...cap, sinceMs: 5 }])).toBe('spend_limit_exceeded');
});

test('what a process had leased under a cap comes back when it leaves, and what it charged stays counted', async () => {
  const leaving = await caps.startAnother();
  const cap = capOf(100n);
  await caps.spend(30n, [cap], leaving);
  await caps.reserve(70n, [cap], leaving);
  expect(await caps.refusal(1n, [cap])).toBe('spend_limit_exceeded');
  await leaving.close();
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '30', leased: '0' }]);
  expect(await caps.refusal(70n, [cap])).toBeNull();
  expect(await caps.refusal(71n, [cap])).toBe('spend_limit_exceeded');
});

test('PGLOSS a charge that went through the journal is counted once', async () => {
  const door = await openDoor(caps.bed.url);
  const away = await caps.startAnother(door.url);
  const cap = capOf(100n);
  const held = await Promise.all([1, 2, 3].map(() => caps.reserve(20n, [cap], away)));
  await door.shut();
  await Promise.all(held.map((each) => settled(away.ledger, each, recordOf(each, 15n))));
  await door.open();
  await expect.poll(() => away.ledger.status()).toMatchObject({ isServing: true, journaledSettlements: 0 });
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '45' }]);
  expect(await caps.refusal(55n, [cap])).toBeNull();
  expect(await caps.refusal(56n, [cap])).toBe('spend_limit_exceeded');
  await away.close();
  await door.close();
});

test('CRASH-2 a process that was swept holds on under its new id, and nothing is counted twice', async () => {
  const cap = capOf(100n);
  const held = await caps.reserve(40n, [cap]);
  await caps.bed.rows("update processes set renewed_at = now() - interval '31 seconds'");
  const second = await caps.startAnother();
  // The sweep has returned the slice; the running call still ends properly.
  expect(await caps.refusal(100n, [cap], second)).toBeNull();
  await expect(caps.reserve(61n, [cap])).rejects.toMatchObject({ status: 503 });
  await expect.poll(() => caps.first.ledger.status().isServing).toBe(true);
  expect(await settled(caps.first.ledger, held, recordOf(held, 40n))).toMatchObject({ chargedNanoUsd: 40n });
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '40' }]);
  expect(await caps.refusal(60n, [cap], second)).toBeNull();
  expect(await caps.refusal(61n, [cap], second)).toBe('spend_limit_exceeded');
});

test.each([
  ['spent is $0.000000041, its entries say $0.00000004', 'spent_nano_usd', 41],
  ['leased is $0.000000061, its slices say $0.00000006', 'leased_nano_usd', 61],
])('I3 the audit reports a counter that was spoiled: %s', async (words, column, value) => {
  const cap = capOf(100n);
  await caps.spend(40n, [cap]);
  caps.first.ledger.release(await caps.reserve(60n, [cap]), null);
  await caps.bed.folded();
  await caps.bed.rows(`update spend_counters set ${column} = ${value} where scope_id = $1`, [cap.scopeId]);
  const { ok, discrepancies } = await caps.first.ledger.check('everything');
  expect(ok).toBe(false);
  expect(discrepancies).toEqual([
    expect.stringMatching(`^counter key/${cap.scopeId}/month/.*: ${words.replaceAll('$', '\\$')}$`),
  ]);
  await caps.bed.rows(`update spend_counters set ${column} = ${value - 1} where scope_id = $1`, [cap.scopeId]);
});

test('counters of windows that are long over are forgotten, those in use are not, and both can be used again', async () => {
  const [idle, busy, lasting] = [capOf(100n, { window: 'hour' }), capOf(100n), capOf(100n, { window: 'never' })];
  const second = await caps.startAnother();
  for (const cap of [idle, lasting]) await caps.spend(40n, [cap], second);
  await second.close();
  const held = await caps.reserve(40n, [busy]);
  // The clock of the test is years behind the database's in the one case, and the window never ends in the other.
  await forgetCounters(caps.first.database);
  expect(await caps.counters(idle.scopeId)).toEqual([]);
  expect(await caps.counters(busy.scopeId)).toHaveLength(1);
  expect(await caps.counters(lasting.scopeId)).toMatchObject([{ spent: '40' }]);
  await settled(caps.first.ledger, held, recordOf(held, 40n));
  for (const cap of [busy, lasting]) expect(await caps.refusal(61n, [cap])).toBe('spend_limit_exceeded');
  await caps.spend(10n, [idle]);
  expect(await caps.counters(idle.scopeId)).toMatchObject([{ spent: '10' }]);
});

test('however many windows are over, none of their counters is left', async () => {
  await caps.bed.rows(
    `insert into spend_counters (name, scope, scope_id, time_window, window_start, window_end, seeded_nano_usd, spent_nano_usd)
     select 'past-' || minute, 'user', 'usr-past', 'minute', at, at + interval '1 minute', 0, 0
     from generate_series(0, $1::integer) as minute, lateral (select '2020-01-01Z'::timestamptz + minute * interval '1 minute' as at) t`,
    [FORGOTTEN_TOGETHER],
  );
  await forgetCounters(caps.first.database);
  expect(await caps.counters('usr-past')).toEqual([]);
});

test('a counter that was forgotten under a process that still knows it is opened again', async () => {
  const cap = capOf(100n, { window: 'hour' });
  await caps.spend(100n, [cap]);
  await caps.bed.folded();
  await caps.bed.rows('delete from counter_slices');
  await forgetCounters(caps.first.database);
  expect(await caps.counters(cap.scopeId)).toEqual([]);
  expect(await caps.refusal(100n, [cap])).toBeNull();
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ seeded: '0', spent: '0' }]);
});
