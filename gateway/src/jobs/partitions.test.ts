// The job that makes months ahead: a round that fails stops neither the start nor the next round,
// and what fails of it stops nothing else.

import { expect, test } from 'vitest';
import type { Clock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startPartitions } from './partitions.ts';

test('a round that fails is only reported, and the next one is made an hour later', async () => {
  const ticks: (() => void)[] = [];
  let nowMs = 1_000;
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    every(intervalMs, run) {
      expect(intervalMs).toBe(3_600_000);
      ticks.push(run);
      return () => ticks.splice(0);
    },
  };
  const asked: number[] = [];
  const forgotten: number[] = [];
  let ahead = 0;
  const warnings: string[] = [];
  const stop = await startPartitions({
    clock,
    logger: { ...silentLogger, warn: (_, words) => warnings.push(String(words)) },
    hoursKeepDays: 400,
    audit: { forget: async () => 0 },
    auditKeepDays: 0,
    books: {
      async ensureMonths() {
        ahead += 1;
        return [];
      },
    },
    usageUpkeep: {
      forgetHours: async () => forgotten.push(nowMs),
      ensureMonths(atMs) {
        asked.push(atMs);
        return asked.length === 1 ? Promise.reject(new Error('away')) : Promise.resolve(['2026-05-01']);
      },
    },
  });
  expect(warnings).toHaveLength(1);
  nowMs = 2_000;
  ticks[0]?.();
  await stop();
  expect(asked).toEqual([1_000, 2_000]);
  expect(forgotten).toEqual([1_000, 2_000]);
  expect(ahead).toBe(2);
  expect(warnings).toHaveLength(1);
  expect(ticks).toEqual([]);
});
