// The rate limit while Redis answers too late: what it counts nevertheless is counted once.

import { beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { LateAnswerError, type Redis, type ScriptCall } from '../../platform/redis/redis.ts';
import type { RateDecision, RateLimiter } from './rate-limit.ts';
import { createRedisRateLimiter } from './redis-rate-limit.ts';

const LIMIT = 10;

/** Counts as the script does. While it is late, answers wait until the test sends them. */
let count: number;
let isLate: boolean;
let isDeaf: boolean;
let waiting: Readonly<{ call: ScriptCall; reply: unknown }>[];
let limiters: readonly [RateLimiter, RateLimiter];

const redis = {
  state: () => 'ready',
  awayMs: () => 0,
  async run(call: ScriptCall) {
    const [limit = 0, told = 0, own = 0] = call.parameters.map(Number);
    const before = Math.max(count, told) + own;
    const isAllowed = before < limit;
    if (!isDeaf) count = isAllowed ? before + 1 : before;
    const reply = [isAllowed ? 'allowed' : 'exceeded', count, 0];
    if (!isLate) return reply;
    waiting.push({ call, reply });
    throw new LateAnswerError();
  },
} as unknown as Redis;

beforeEach(() => {
  [count, isLate, isDeaf, waiting] = [0, false, false, []];
  const clock = { ...systemClock, nowMs: () => 0 };
  const open = (): RateLimiter =>
    createRedisRateLimiter({ name: 'calls', redis, shareOf: (room) => room, clock, hasPenalty: false });
  limiters = [open(), open()];
});

const take = async (calls: number, process = 0): Promise<number> => {
  const asked = Array.from({ length: calls }, () => limiters[process]?.take('user', LIMIT));
  const decisions = (await Promise.all(asked)) as RateDecision[];
  return decisions.filter(({ outcome }) => outcome === 'allowed').length;
};

test('calls that were allowed while Redis was late are not counted a second time by the next', async () => {
  isLate = true;
  expect(await take(6)).toBe(6);
  isLate = false;
  // The late answers are still on their way.
  expect(await take(3)).toBe(3);
  for (const { call, reply } of waiting) call.onLate?.(reply);
  expect(await take(3)).toBe(1);
  expect(count).toBe(LIMIT);
});

test('a call that Redis had no room for, and was allowed meanwhile, is counted', async () => {
  expect(await take(LIMIT - 1)).toBe(LIMIT - 1);
  isLate = true;
  expect(await take(1, 1)).toBe(1);
  expect(await take(1, 1)).toBe(1);
  isLate = false;
  for (const { call, reply } of waiting) call.onLate?.(reply);
  await take(1, 1);
  expect(count).toBe(LIMIT + 1);
});

test('a call that was refused here, while Redis had room, leaves its place to another', async () => {
  isLate = true;
  expect(await take(LIMIT + 2)).toBe(LIMIT);
  // Others were given back meanwhile, as far as Redis knows.
  for (const { call } of waiting.slice(0, LIMIT)) call.onLate?.(['allowed', 1, 0]);
  for (const { call } of waiting.slice(LIMIT)) call.onLate?.(['allowed', 2, 0]);
  [isLate, count] = [false, LIMIT];
  expect(await take(4)).toBe(2);
});

test('calls whose answers are lost are reported with the next', async () => {
  [isLate, isDeaf] = [true, true];
  expect(await take(6)).toBe(6);
  [isLate, isDeaf] = [false, false];
  for (const { call } of waiting) call.onLost?.();
  expect(await take(6)).toBe(4);
  expect(count).toBe(LIMIT);
});
