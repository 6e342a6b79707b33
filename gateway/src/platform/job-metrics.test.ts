// Which background work counts as late, also when the wall clock jumps.

import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { createJobMetrics } from './job-metrics.ts';

test('work is late once several of its turns have passed, and not because the clock was set anew', async () => {
  let [nowMs, monotonicMs] = [0, 0];
  const clock = { ...systemClock, nowMs: () => nowMs, monotonicMs: () => monotonicMs };
  const jobs = createJobMetrics(new Registry());
  const countRound = jobs.job('tidying', 60_000, clock);
  nowMs += 27 * 86_400_000;
  expect(jobs.late(monotonicMs)).toEqual([]);
  monotonicMs += 6 * 60_000;
  expect(jobs.late(monotonicMs)).toEqual(['tidying']);
  await expect(countRound(Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(jobs.late(monotonicMs)).toEqual(['tidying']);
  await countRound(Promise.resolve());
  expect(jobs.late(monotonicMs)).toEqual([]);
});
