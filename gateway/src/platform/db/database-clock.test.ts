// The database's clock, while the machine's own is set to another time.

import { beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../logger.ts';
import type { Queryable } from './database.ts';
import { followDatabase } from './database-clock.ts';

const DAY_MS = 86_400_000;
const START_MS = 1_000 * DAY_MS;

/** Time that passes for everybody, what the machine's clock shows besides, and whether the database answers. */
let passedMs: number;
let shiftMs: number;
let isAway: boolean;
let asked: number;

const machine = {
  nowMs: () => START_MS + passedMs + shiftMs,
  monotonicMs: () => passedMs,
  every: () => () => {},
  sleep: async () => {},
};
const database = {
  async query() {
    asked += 1;
    if (isAway) throw new Error('away');
    return [{ nowMs: START_MS + passedMs }];
  },
} as unknown as Queryable;

beforeEach(() => {
  [passedMs, shiftMs, isAway, asked] = [0, 0, false, 0];
});

test.each([DAY_MS, -DAY_MS, 3_600_000, -300_000])('a step of %i ms is never seen', async (stepMs) => {
  const { clock, measure } = followDatabase(machine, database, silentLogger);
  await measure();
  passedMs = 5_000;
  shiftMs = stepMs;
  expect(clock.nowMs()).toBe(START_MS + 5_000);
  // The database was asked at once, and its answer is used from now on.
  await expect.poll(() => asked).toBe(2);
  passedMs = 6_000;
  expect(clock.nowMs()).toBe(START_MS + 6_000);
  expect(asked).toBe(2);
});

test('nor is one while the database is away, which is asked now and then', async () => {
  const { clock, measure } = followDatabase(machine, database, silentLogger);
  await measure();
  [shiftMs, isAway] = [DAY_MS, true];
  for (passedMs = 0; passedMs < 2_000; passedMs += 10) expect(clock.nowMs()).toBe(START_MS + passedMs);
  expect(asked).toBe(5);
});

test('a wrong machine is corrected from the first measurement on', async () => {
  shiftMs = 600_000;
  const { clock, measure } = followDatabase(machine, database, silentLogger);
  expect(clock.nowMs()).toBe(START_MS + 600_000);
  await measure();
  expect(clock.nowMs()).toBe(START_MS);
});
