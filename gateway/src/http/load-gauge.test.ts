// The gauge with a clock of the test's own: what counts as a pile, how much is refused for it, and when that ends.

import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { LoadGauge } from './load-gauge.ts';

function gauge(latenessMsMax: number) {
  let nowMs = 0;
  let workedMs = 0;
  let turnsMs = 0;
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
    () => turnsMs,
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
    turnsMs = ownersWaiting;
  };
  return { made, ticks, refused, wait };
}

test('one late tick is nothing, and so is a little lateness for ever', () => {
  const { ticks, refused } = gauge(100);
  ticks(3, 130);
  ticks(1, 0);
  ticks(1, 390);
  ticks(100, 90);
  expect(refused(1_000)).toBe(0);
});

test('once very late is no pile, and neither is waiting for a processor', () => {
  const { ticks, refused } = gauge(100);
  ticks(1, 2_000);
  expect(refused(100)).toBe(0);
  ticks(1, 0);
  ticks(50, 2_000, 40);
  expect(refused(100)).toBe(0);
});

test('a pile refuses a growing share, never all, and is forgotten when it is gone', () => {
  const { made, ticks, refused } = gauge(100);
  ticks(2, 300);
  expect(refused(100)).toBe(25);
  ticks(1, 300);
  expect(refused(100)).toBe(50);
  ticks(50, 300);
  expect(refused(100)).toBe(95);
  ticks(10, 0);
  expect(refused(100)).toBe(0);
  expect(made.refusedCount).toBe(170);
});

test('accounts that wait for their turns are a pile, though no timer is late', () => {
  const { ticks, refused, wait } = gauge(100);
  wait(100);
  ticks(50, 0);
  expect(refused(100)).toBe(0);
  wait(300);
  ticks(3, 0);
  expect(refused(100)).toBe(50);
  wait(0);
  ticks(5, 0);
  expect(refused(100)).toBe(0);
});

test('zero switches it off', () => {
  const { ticks, refused } = gauge(0);
  ticks(50, 10_000);
  expect(refused(100)).toBe(0);
});
