// What may be left unpaid, how it comes back, how calls under way count, and how restrictions grow.

import { expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../canonical/calendar.ts';
import {
  allowanceOf,
  CLEAN,
  countedCost,
  type ExposureRules,
  isOnRecord,
  isRestricted,
  type Load,
  levelNow,
  type Standing,
  type UnderWay,
  waitForRoom,
  withUnpaid,
} from './exposure-rules.ts';

const USD = 1_000_000_000n;
const START_MS = Date.parse('2026-03-10T12:00:00Z');

const rules: ExposureRules = { baseNanoUsd: USD, paidPercent: 10, recoveryMs: DAY_MS, blockMs: 600_000 };

const add = (standing: Standing, costNanoUsd: bigint, nowMs: number): Standing =>
  withUnpaid(
    standing,
    { costNanoUsd, reason: 'abandoned', isRefused: false, allowanceNanoUsd: 2n * USD },
    rules,
    nowMs,
  );

test('ABT-1 the allowance is a base, a share of the money, and what an operator adds', () => {
  expect(allowanceOf(0n, 0n, rules)).toBe(USD);
  expect(allowanceOf(10n * USD, 0n, rules)).toBe(2n * USD);
  expect(allowanceOf(10n * USD, 5n * USD, rules)).toBe(7n * USD);
});

test('ABT-1 exactly the allowance is allowed, and more than it restricts for ten minutes', () => {
  const full = add(CLEAN, 2n * USD, START_MS);
  expect(isRestricted(full, START_MS)).toBe(false);
  const beyond = add(full, 1n, START_MS);
  expect(beyond).toMatchObject({ restrictions: 1, restrictedUntilMs: START_MS + 600_000, levelNanoUsd: 0n });
  expect(isRestricted(beyond, START_MS + 599_999)).toBe(true);
  expect(isRestricted(beyond, START_MS + 600_000)).toBe(false);
});

test('ABT-1 an allowance comes back evenly within a day', () => {
  const full = add(CLEAN, 2n * USD, START_MS);
  expect(levelNow(full, 2n * USD, rules, START_MS + DAY_MS / 2)).toBe(USD);
  expect(levelNow(full, 2n * USD, rules, START_MS + DAY_MS)).toBe(0n);
  expect(levelNow(full, 2n * USD, rules, START_MS - 1)).toBe(2n * USD);
  expect(isRestricted(add(full, USD, START_MS + DAY_MS / 2), START_MS + DAY_MS / 2)).toBe(false);
});

test('ABT-1 restrictions grow from ten minutes to an hour, a day, and until they are lifted', () => {
  let standing: Standing = CLEAN;
  let nowMs = START_MS;
  for (const lastsMs of [600_000, HOUR_MS, DAY_MS]) {
    standing = add(standing, 3n * USD, nowMs);
    expect(standing.restrictedUntilMs).toBe(nowMs + lastsMs);
    nowMs += lastsMs;
    expect(isRestricted(standing, nowMs)).toBe(false);
  }
  standing = add(standing, 3n * USD, nowMs);
  expect(standing).toMatchObject({ restrictions: 4, restrictedAtMs: nowMs, restrictedUntilMs: null });
  expect(isRestricted(standing, nowMs + 1_000 * DAY_MS)).toBe(true);
});

test('a month without a restriction makes the next one the first again', () => {
  const once = add(CLEAN, 3n * USD, START_MS);
  const laterMs = START_MS + 600_000 + 30 * DAY_MS;
  expect(isOnRecord(once, laterMs - 1)).toBe(true);
  expect(isOnRecord(once, laterMs)).toBe(false);
  expect(add(once, 3n * USD, laterMs)).toMatchObject({ restrictions: 1, restrictedUntilMs: laterMs + 600_000 });
});

test('what ends during a restriction belongs to it', () => {
  const beyond = add(CLEAN, 3n * USD, START_MS);
  expect(add(beyond, 50n * USD, START_MS + 1)).toEqual(beyond);
});

test('a call that has no room restricts where most of the allowance is unpaid, and not where it is only under way', () => {
  const refused = { costNanoUsd: 0n, reason: 'abandoned', isRefused: true, allowanceNanoUsd: 2n * USD };
  const half = add(CLEAN, USD, START_MS);
  expect(isRestricted(withUnpaid(half, refused, rules, START_MS), START_MS)).toBe(true);
  const less = add(CLEAN, USD - 1n, START_MS);
  expect(withUnpaid(less, refused, rules, START_MS)).toEqual(less);
});

test('what the caller did counts whole, what an upstream did little, and what the catalog lacks not at all', () => {
  expect(['abandoned', 'oversize', 'exhausted'].map((reason) => countedCost(USD, reason))).toEqual([USD, USD, USD]);
  expect(countedCost(USD, 'unpriced_turn')).toBe(0n);
  expect(['interrupted', 'implausible'].map((reason) => countedCost(USD, reason))).toEqual([USD / 10n, USD / 10n]);
});

const held = (heldNanoUsd: bigint, leastNanoUsd = heldNanoUsd / 5n): UnderWay => ({ heldNanoUsd, leastNanoUsd });

const load = (changes: Partial<Load>): Load => ({
  levelNanoUsd: 0n,
  underWay: held(0n),
  allowanceNanoUsd: 2n * USD,
  isOnRecord: false,
  ...changes,
});

test('somebody with a clean record has an allowance of what calls at least count under way, and one call of any size', () => {
  expect(waitForRoom(load({}), held(500n * USD), rules)).toBe(0);
  expect(waitForRoom(load({ underWay: held(9n * USD) }), held(USD), rules)).toBe(0);
  expect(waitForRoom(load({ underWay: held(9n * USD) }), held(USD + 5n), rules)).toBe(2_000);
  expect(waitForRoom(load({ underWay: held(USD, USD) }), held(USD, USD), rules)).toBe(0);
  expect(waitForRoom(load({ underWay: held(USD, USD) }), held(USD, USD + 1n), rules)).toBe(2_000);
});

test('the more is unpaid, the more counts what is under way', () => {
  const eighth = { levelNanoUsd: USD / 4n };
  expect(waitForRoom(load({ ...eighth, underWay: held(USD) }), held((5n * USD) / 2n), rules)).toBe(0);
  expect(waitForRoom(load({ ...eighth, underWay: held(USD) }), held((5n * USD) / 2n + 2n), rules)).toBe(2_000);
  const half = { levelNanoUsd: USD };
  expect(waitForRoom(load({ ...half, underWay: held(USD / 2n) }), held(USD / 2n), rules)).toBe(0);
  expect(waitForRoom(load({ ...half, underWay: held(USD / 2n) }), held(USD / 2n + 1n), rules)).toBe(2_000);
  expect(waitForRoom(load(half), held(500n * USD), rules)).toBe(0);
  // More than half is unpaid: even a single call must fit, and the wait is the time until enough has recovered.
  expect(waitForRoom(load({ levelNanoUsd: 2n * USD }), held(USD), rules)).toBe(DAY_MS / 2);
});

test('whoever was restricted lately has one allowance, all told', () => {
  const strict = { isOnRecord: true };
  expect(waitForRoom(load(strict), held(2n * USD), rules)).toBe(0);
  expect(waitForRoom(load({ ...strict, underWay: held(USD) }), held(USD + 1n), rules)).toBe(2_000);
  expect(waitForRoom(load(strict), held(3n * USD), rules)).toBe(DAY_MS / 2);
});
