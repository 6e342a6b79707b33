// The gauge on a clock of the test's own: what counts as an overload, how many calls are refused, and when that ends.

import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import { LoadGauge } from './load-gauge.ts';

const TICK_MS = 50;

function gauge(roundMsMax: number) {
  let nowMs = 0;
  let work = { processorMs: 0, rounds: 0 };
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
    roundMsMax,
    () => work,
    () => owners,
  );
  const call = (calls: number, bytes = 1_000): number =>
    Array.from({ length: calls }, () => made.refuses(bytes)).filter(Boolean).length;
  return {
    made,
    /** How many of so many calls that arrive at once are refused. */
    async refused(calls: number): Promise<number> {
      await nextRound();
      return call(calls);
    },
    /** So many ticks, with so many calls before each. */
    async ticks(count: number, roundMs: number, { calls = 0, ownShare = 1, bytes = 1_000 } = {}): Promise<void> {
      for (let index = 0; index < count; index += 1) {
        await nextRound();
        call(calls, bytes);
        const elapsedMs = Math.max(TICK_MS, roundMs);
        nowMs += elapsedMs;
        work = { processorMs: work.processorMs + elapsedMs * ownShare, rounds: work.rounds + elapsedMs / roundMs };
        tick();
      }
    },
    wait(ownersWaiting: number): void {
      owners = ownersWaiting;
    },
  };
}

test('long rounds now and then are nothing, and so are rounds that are nearly too long for ever', async () => {
  const { ticks, refused } = gauge(20);
  for (let turn = 0; turn < 10; turn += 1) {
    await ticks(15, 40, { calls: 10 });
    await ticks(1, 5, { calls: 10 });
  }
  await ticks(100, 20, { calls: 10 });
  expect(await refused(1_000)).toBe(0);
});

test('a short row of long rounds is no pile, and neither is waiting for a processor', async () => {
  const { ticks, refused } = gauge(20);
  await ticks(15, 60, { calls: 10 });
  expect(await refused(100)).toBe(0);
  await ticks(1, 1);
  await ticks(50, 200, { calls: 10, ownShare: 0.05 });
  expect(await refused(100)).toBe(0);
  await ticks(1, 1);
  // Three seconds pass over a few rounds of 75 ms of work each, because other programs have the processor.
  await ticks(4, 750, { calls: 10, ownShare: 0.1 });
  expect(await refused(100)).toBe(0);
});

test('a pile lets each round take what it has time for, never nothing, and what it takes follows how long rounds are', async () => {
  const { made, ticks, refused } = gauge(20);
  // 60 ms for each call and one round in a tick: there is time for a tenth of 50 calls.
  await ticks(17, 60, { calls: 50 });
  expect(made.isOverloaded).toBe(true);
  expect(await refused(50)).toBe(45);
  expect(await refused(5)).toBe(0);
  await ticks(1, 4, { calls: 50 });
  expect(await refused(50)).toBe(44);
  await ticks(20, 500, { calls: 50 });
  expect(await refused(50)).toBe(49);
  expect(made.refusedShare).toBeGreaterThan(0.9);
  expect(made.refusedCount).toBeGreaterThan(20 * 40);
});

test('long rounds that take many large bodies are a pile at once, and a few very large ones are not', async () => {
  const { made, ticks } = gauge(20);
  await ticks(10, 20, { calls: 50, bytes: 1_000_000 });
  expect(made.isOverloaded).toBe(false);
  await ticks(5, 60, { calls: 5, bytes: 1_000_000_000 });
  expect(made.isOverloaded).toBe(false);
  await ticks(1, 4);
  await ticks(3, 60, { calls: 100, bytes: 100_000 });
  expect(made.isOverloaded).toBe(false);
  await ticks(1, 60, { calls: 100, bytes: 100_000 });
  expect(made.isOverloaded).toBe(true);
});

test('all are taken again when nobody had to be refused for half a second', async () => {
  const { made, ticks, refused } = gauge(20);
  await ticks(17, 60, { calls: 50 });
  await ticks(9, 4, { calls: 2 });
  expect(made.isOverloaded).toBe(true);
  await ticks(1, 4, { calls: 2 });
  expect(made.isOverloaded).toBe(false);
  expect(made.refusedShare).toBe(0);
  expect(await refused(1_000)).toBe(0);
});

test('accounts that wait for their turns are a pile, though no round is long', async () => {
  const { ticks, refused, wait } = gauge(20);
  wait(150);
  await ticks(50, 1, { calls: 10 });
  expect(await refused(100)).toBe(0);
  wait(151);
  expect(await refused(100)).toBe(95);
  wait(0);
  expect(await refused(100)).toBe(0);
});

test('zero switches it off', async () => {
  const { ticks, refused, wait } = gauge(0);
  wait(1_000);
  await ticks(50, 10_000, { calls: 10 });
  expect(await refused(100)).toBe(0);
});
