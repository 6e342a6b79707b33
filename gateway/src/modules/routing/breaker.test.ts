// A breaker opens on five failures in a row, stays open for a while that grows, and lets one probe through at a time.

import { expect, test } from 'vitest';
import { Breaker } from './breaker.ts';

const noJitter = (): number => 0;

function failTimes(breaker: Breaker, times: number, nowMs: number): boolean[] {
  return Array.from({ length: times }, () => breaker.failed(false, nowMs));
}

test('ROUTE-12 five failures in a row open it for 30 s, four do not, and a success begins the count anew', () => {
  const breaker = new Breaker(noJitter);
  expect(failTimes(breaker, 4, 0)).toEqual([false, false, false, false]);
  breaker.succeeded();
  expect(failTimes(breaker, 4, 0)).toEqual([false, false, false, false]);
  expect(breaker.stateAt(0)).toBe('closed');
  expect(failTimes(breaker, 1, 1_000)).toEqual([true]);
  expect(breaker.stateAt(30_999)).toBe('open');
  expect(breaker.waitMs(1_000)).toBe(30_000);
  expect(breaker.stateAt(31_000)).toBe('half_open');
});

test('ROUTE-12 half open, one probe at a time; its success closes', () => {
  const breaker = new Breaker(noJitter);
  failTimes(breaker, 5, 0);
  expect(breaker.waitMs(30_000)).toBe(0);
  expect(breaker.begin(30_000)).toBe(true);
  expect(breaker.waitMs(30_001)).toBeGreaterThan(0);
  breaker.probeSucceeded();
  expect(breaker.stateAt(30_002)).toBe('closed');
  expect(breaker.begin(30_003)).toBe(false);
  expect(failTimes(breaker, 4, 30_004)).toEqual([false, false, false, false]);
});

test('ROUTE-12 each failed probe doubles the time, up to five minutes; a success forgets', () => {
  const breaker = new Breaker(noJitter);
  failTimes(breaker, 5, 0);
  let nowMs = 0;
  for (const periodMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
    expect(breaker.waitMs(nowMs)).toBe(periodMs);
    nowMs += periodMs;
    expect(breaker.begin(nowMs)).toBe(true);
    expect(breaker.failed(true, nowMs)).toBe(true);
  }
  nowMs += 300_000;
  breaker.begin(nowMs);
  breaker.probeSucceeded();
  failTimes(breaker, 5, nowMs);
  expect(breaker.waitMs(nowMs)).toBe(30_000);
});

test('ROUTE-12 calls from before it opened neither close it nor hold it open longer', () => {
  const breaker = new Breaker(noJitter);
  failTimes(breaker, 5, 0);
  expect(failTimes(breaker, 20, 10_000)).not.toContain(true);
  breaker.succeeded();
  expect(breaker.stateAt(10_000)).toBe('open');
  expect(breaker.waitMs(10_000)).toBe(20_000);
});

test('ROUTE-12 a probe that told nothing, and one that was lost, make room for the next', () => {
  const breaker = new Breaker(noJitter);
  failTimes(breaker, 5, 0);
  breaker.begin(30_000);
  breaker.probeWasted();
  expect(breaker.waitMs(30_000)).toBe(0);
  breaker.begin(30_000);
  expect(breaker.waitMs(600_000)).toBeGreaterThan(0);
  expect(breaker.waitMs(630_000)).toBe(0);
});

test('ROUTE-12 jitter only ever shortens', () => {
  const breaker = new Breaker(() => 0.999);
  failTimes(breaker, 5, 0);
  expect(breaker.waitMs(0)).toBeGreaterThan(26_900);
  expect(breaker.waitMs(0)).toBeLessThan(30_000);
});
