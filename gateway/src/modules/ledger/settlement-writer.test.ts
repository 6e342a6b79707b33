// How many settlements share a commit, on a clock that the test moves, because it is a matter of milliseconds.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { silentLogger } from '../../platform/logger.ts';
import type { PendingSettlement } from './settlement-entry.ts';
import { SettlementWriter } from './settlement-writer.ts';

const COMMIT_MS = 4;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'clearImmediate', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function openWriter(processCount: number, commitMs = COMMIT_MS) {
  const sizes: number[] = [];
  const writer = new SettlementWriter({
    keepPriceLists: () => null,
    async append() {
      await new Promise((resolve) => setTimeout(resolve, commitMs));
      return true;
    },
    commitClamped: async () => {},
    folding: { add: () => {}, addRecords: () => {}, close: async () => {} },
    journal: {} as never,
    clock: systemClock,
    logger: silentLogger,
    livingProcesses: async () => new Set(),
    isClaimed: () => true,
    untilClaimed: async () => {},
    kept: { add: () => {}, flush: async () => {} },
    processCount: () => processCount,
    onCommitted: (size) => sizes.push(size),
  });
  const waitsMs: number[] = [];
  const add = (underWay = Number.POSITIVE_INFINITY): void => {
    const startedMs = performance.now();
    const settlement: Partial<PendingSettlement> = {
      isBacked: true,
      isSafe: true,
      isUnfolded: false,
      appended: () => waitsMs.push(performance.now() - startedMs),
    };
    writer.add(settlement as PendingSettlement, underWay);
  };
  return { add, sizes, waitsMs };
}

/** One every so often, for half a second. */
async function settleEvery(intervalMs: number, processCount: number) {
  const { add, sizes, waitsMs } = openWriter(processCount);
  for (let timeMs = 0; timeMs < 500; timeMs += intervalMs) {
    add();
    await vi.advanceTimersByTimeAsync(intervalMs);
  }
  await vi.advanceTimersByTimeAsync(100);
  return { commits: sizes.length, calls: waitsMs.length, slowestMs: Math.max(...waitsMs) };
}

test('a process that has the database to itself lets a lone settlement wait for nobody', async () => {
  expect(await settleEvery(5, 1)).toEqual({ commits: 100, calls: 100, slowestMs: COMMIT_MS });
  expect(await settleEvery(5, 2)).toEqual({ commits: 100, calls: 100, slowestMs: COMMIT_MS });
});

test('many processes with few calls each put them together, and none waits long', async () => {
  const { commits, calls, slowestMs } = await settleEvery(5, 16);
  expect(calls).toBe(100);
  expect(commits).toBeLessThan(45);
  expect(slowestMs).toBeLessThanOrEqual(25 + COMMIT_MS);
  // However many they are.
  const crowd = await settleEvery(5, 1_000);
  expect(crowd.commits).toBeLessThan(15);
  expect(crowd.slowestMs).toBeLessThanOrEqual(50 + 5 + COMMIT_MS);
});

test('a call after a pause waits for nobody, however many processes there are', async () => {
  expect(await settleEvery(60, 1_000)).toEqual({ commits: 9, calls: 9, slowestMs: COMMIT_MS });
});

test('settlements wait for calls that are under way, and for nobody where there is none', async () => {
  for (const others of [0, 1]) {
    const { add, sizes, waitsMs } = openWriter(1, 1);
    const settleEight = async (): Promise<void> => {
      for (let underWay = 7; underWay >= 0; underWay -= 1) add(underWay + others);
      await vi.advanceTimersByTimeAsync(1);
    };
    await settleEight();
    await settleEight();
    expect(sizes).toEqual(others === 0 ? [8, 8] : [8]);
    await vi.advanceTimersByTimeAsync(10);
    expect([sizes.length, waitsMs.length]).toEqual([2, 16]);
  }
});
