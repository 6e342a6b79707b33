// Breakers in the ledger: below the threshold calls of any size pass, at the threshold none does, and running calls are
// not stopped.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
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

test('BRK-05 a breaker does not stop a call that runs: it is extended and charged, and counted in full', async () => {
  const cap = breakerOf(10n);
  const held = await caps.reserve(8n, [cap]);
  expect(await caps.first.ledger.extend(held, 20n)).toBe(true);
  expect(await settled(caps.first.ledger, held, recordOf(held, 25n))).toMatchObject({ chargedNanoUsd: 25n });
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '25', leased: '0' }]);
  expect(await caps.refusal(1n, [cap])).toBe('http_429');
});

test('BRK-05 calls that cost nothing need room and take none of it', async () => {
  const cap = breakerOf(10n);
  const free = [await caps.reserve(0n, [cap]), await caps.reserve(0n, [cap])];
  const held = await caps.reserve(9n, [cap]);
  const last = await caps.reserve(1n, [cap]);
  expect(await caps.refusal(0n, [cap])).toBe('http_429');
  for (const each of [...free, held, last]) caps.first.ledger.release(each, null);
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '0' }]);
});

test('BRK-05 a call that costs far more than was held for it trips the breaker for the very next one', async () => {
  const [minute, hour] = [breakerOf(100n), breakerOf(1_000n)];
  const held = await caps.reserve(1n, [minute, hour]);
  await settled(caps.first.ledger, held, recordOf(held, 120n));
  expect(await caps.refusal(1n, [minute, hour])).toBe('http_429');
  const rest = await caps.reserve(880n, [hour]);
  expect(await caps.refusal(1n, [hour])).toBe('http_429');
  caps.first.ledger.release(rest, null);
});

/** All of a limit of 100 is leased here, and nothing is held. */
async function leaseAll(cap: SpendCap): Promise<void> {
  for (const amount of [60n, 100n]) caps.first.ledger.release(await caps.reserve(amount, [cap]), null);
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ leased: '100' }]);
}

test('BRK-05 what a call costs beyond its hold is no longer there for others', async () => {
  const cap = breakerOf(100n);
  await leaseAll(cap);
  const held = await caps.reserve(10n, [cap]);
  await settled(caps.first.ledger, held, recordOf(held, 40n));
  const last = await caps.reserve(60n, [cap]);
  expect(await caps.refusal(1n, [cap])).toBe('http_429');
  caps.first.ledger.release(last, null);
});

test('BRK-05 what a call costs beyond all that is free does not come out of what others hold', async () => {
  const second = await caps.startAnother();
  const cap = breakerOf(100n);
  await leaseAll(cap);
  const [small, large] = [await caps.reserve(10n, [cap]), await caps.reserve(90n, [cap])];
  await settled(caps.first.ledger, small, recordOf(small, 40n));
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '40', leased: '90' }]);
  caps.first.ledger.release(large, null);
  expect(await caps.refusal(60n, [cap], second)).toBeNull();
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '40', leased: '60' }]);
});

test('BRK-05 what calls free lets in no other call before the last one that was let in has its estimate', async () => {
  const cap = breakerOf(100n);
  const { ledger } = caps.first;
  const running = await Promise.all(Array.from({ length: 8 }, () => caps.reserve(12n, [cap])));
  const last = await caps.reserve(12n, [cap]);
  expect(await caps.refusal(1n, [cap])).toBe('http_429');
  for (const held of running.slice(0, 4)) await settled(ledger, held, recordOf(held, 10n));
  expect(await caps.refusal(1n, [cap])).toBe('http_429');
  for (const held of running.slice(4)) await settled(ledger, held, recordOf(held, 10n));
  await settled(ledger, last, recordOf(last, 12n));
  expect(await caps.counters(cap.scopeId)).toMatchObject([{ spent: '92' }]);
  expect(await caps.refusal(8n, [cap])).toBeNull();
});

test('BRK-05 what a running call lacks is not lent to another process either', async () => {
  const second = await caps.startAnother();
  const cap = breakerOf(100n);
  const running = await caps.reserve(90n, [cap]);
  const last = await caps.reserve(100n, [cap]);
  caps.first.ledger.release(running, null);
  expect(await caps.refusal(1n, [cap], second)).toBe('http_429');
  caps.first.ledger.release(last, null);
  expect(await caps.refusal(1n, [cap], second)).toBeNull();
});

test('BRK-05 below the threshold a call of any size passes; at the threshold none does', async () => {
  const cap = breakerOf(10n);
  await caps.spend(9n, [cap]);
  await caps.spend(50n, [cap]);
  expect(await caps.refusal(1n, [cap])).toBe('http_429');
  const exact = breakerOf(10n);
  await caps.spend(10n, [exact]);
  expect(await caps.refusal(0n, [exact])).toBe('http_429');
});

test('BRK-13 the first cap that refuses is the one that is heard, in the order given', async () => {
  const [breaker, key, team] = [breakerOf(1n), capOf(1n), capOf(1n, { scope: 'team' })];
  const order = [breaker, key, team];
  expect(await caps.refusal(1n, order)).toBeNull();
  await caps.spend(1n, [team]);
  expect(await caps.refusal(1n, order)).toBe('budget_cap_reached');
  await caps.spend(1n, [key]);
  expect(await caps.refusal(1n, order)).toBe('spend_limit_exceeded');
  await caps.spend(1n, [breaker]);
  expect(await caps.refusal(1n, order)).toBe('http_429');
});
