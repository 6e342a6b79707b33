// The gauge with a clock of the test's own: what counts as a pile, how much is refused for it, and when that ends.

import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { LoadGauge } from './load-gauge.ts';

function gauge(latenessMsMax: number) {
  let nowMs = 0;
  let workedMs = 0;
  let owners = 0;
  let tick = (): void => {};
  const clock = {
    ...systemClock,
    monotonicMs: () => nowMs,
    every(_intervalMs: number, run: () => void) {
      tick = run;
      return () => {};
    },
  };
  const made = new LoadGauge(
    clock,
    latenessMsMax,
    () => workedMs,
    () => owners,
  );
  const ticks = (count: number, latenessMs: number, ownMs = latenessMs): void => {
    for (let index = 0; index < count; index += 1) {
      nowMs += 50 + latenessMs;
      workedMs += 50 + ownMs;
      tick();
    }
  };
  const refused = (calls: number): number => Array.from({ length: calls }, () => made.refuses()).filter(Boolean).length;
  const wait = (ownersWaiting: number): void => {
    owners = ownersWaiting;
  };
  return { made, ticks, refused, wait };
}

test('late now and then is nothing, and so is a little lateness for ever', () => {
  const { ticks, refused } = gauge(20);
  for (let turn = 0; turn < 50; turn += 1) {
    ticks(4, 300);
    ticks(1, 0);
  }
  ticks(100, 19);
  expect(refused(1_000)).toBe(0);
});

test('once very late is no pile, and neither is waiting for a processor', () => {
  const { ticks, refused } = gauge(20);
  ticks(1, 2_000);
  expect(refused(100)).toBe(0);
  ticks(1, 0);
  ticks(50, 2_000, 15);
  expect(refused(100)).toBe(0);
});

test('a pile refuses a growing share, never all, and is forgotten within a second of its end', () => {
  const { made, ticks, refused } = gauge(20);
  ticks(5, 30);
  expect(refused(100)).toBe(10);
  ticks(1, 30);
  expect(refused(100)).toBe(20);
  ticks(50, 30);
  expect(refused(100)).toBe(95);
  ticks(19, 0);
  expect(refused(100)).toBe(0);
  expect(made.refusedCount).toBe(125);
});

test('the share settles where the process is just in time', () => {
  const { ticks, refused } = gauge(20);
  ticks(9, 30);
  ticks(1, 0);
  // Still a pile: one late tick is enough to refuse more again.
  ticks(1, 30);
  expect(refused(100)).toBe(55);
});

test('accounts that wait for their turns are a pile, though no timer is late', () => {
  const { ticks, refused, wait } = gauge(20);
  wait(150);
  ticks(50, 0);
  expect(refused(100)).toBe(0);
  wait(151);
  ticks(9, 0);
  expect(refused(100)).toBe(50);
  wait(0);
  ticks(10, 0);
  expect(refused(100)).toBe(0);
});

test('zero switches it off', () => {
  const { ticks, refused } = gauge(0);
  ticks(50, 10_000);
  expect(refused(100)).toBe(0);
});
