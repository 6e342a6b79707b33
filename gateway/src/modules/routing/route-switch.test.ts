// The switch of a route opens on five failures in a row, stays open for a while that grows, and lets one probe through
// at a time.

import { expect, test } from 'vitest';
import { RouteSwitch } from './route-switch.ts';

const noJitter = (): number => 0;

function failTimes(routeSwitch: RouteSwitch, times: number, nowMs: number): boolean[] {
  return Array.from({ length: times }, () => routeSwitch.failed(false, nowMs));
}

test('ROUTE-12 five failures in a row open it for 30 s, four do not, and a success begins the count anew', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  expect(failTimes(routeSwitch, 4, 0)).toEqual([false, false, false, false]);
  routeSwitch.succeeded(0);
  expect(failTimes(routeSwitch, 4, 0)).toEqual([false, false, false, false]);
  expect(routeSwitch.stateAt(0)).toBe('closed');
  expect(failTimes(routeSwitch, 1, 1_000)).toEqual([true]);
  expect(routeSwitch.stateAt(30_999)).toBe('open');
  expect(routeSwitch.waitMs(1_000)).toBe(30_000);
  expect(routeSwitch.stateAt(31_000)).toBe('half_open');
});

test('ROUTE-12 half open, one probe at a time; its success closes', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  failTimes(routeSwitch, 5, 0);
  expect(routeSwitch.waitMs(30_000)).toBe(0);
  expect(routeSwitch.begin(30_000)).toBe(true);
  expect(routeSwitch.waitMs(30_001)).toBeGreaterThan(0);
  routeSwitch.probeSucceeded();
  expect(routeSwitch.stateAt(30_002)).toBe('closed');
  expect(routeSwitch.begin(30_003)).toBe(false);
  expect(failTimes(routeSwitch, 4, 30_004)).toEqual([false, false, false, false]);
});

test('ROUTE-12 each failed probe doubles the time, up to five minutes; a success forgets', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  failTimes(routeSwitch, 5, 0);
  let nowMs = 0;
  for (const periodMs of [30_000, 60_000, 120_000, 240_000, 300_000, 300_000]) {
    expect(routeSwitch.waitMs(nowMs)).toBe(periodMs);
    nowMs += periodMs;
    expect(routeSwitch.begin(nowMs)).toBe(true);
    expect(routeSwitch.failed(true, nowMs)).toBe(true);
  }
  nowMs += 300_000;
  routeSwitch.begin(nowMs);
  routeSwitch.probeSucceeded();
  failTimes(routeSwitch, 5, nowMs);
  expect(routeSwitch.waitMs(nowMs)).toBe(30_000);
});

test('ROUTE-12 calls from before it opened neither close it nor hold it open longer', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  failTimes(routeSwitch, 5, 0);
  expect(failTimes(routeSwitch, 20, 10_000)).not.toContain(true);
  routeSwitch.succeeded(0);
  expect(routeSwitch.stateAt(10_000)).toBe('open');
  expect(routeSwitch.waitMs(10_000)).toBe(20_000);
});

test('ROUTE-12 a probe that told nothing, and one that was lost, make room for the next', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  failTimes(routeSwitch, 5, 0);
  routeSwitch.begin(30_000);
  routeSwitch.probeWasted();
  expect(routeSwitch.waitMs(30_000)).toBe(0);
  routeSwitch.begin(30_000);
  expect(routeSwitch.waitMs(600_000)).toBeGreaterThan(0);
  expect(routeSwitch.waitMs(630_000)).toBe(0);
});

test('ROUTE-12 jitter only ever shortens', () => {
  const routeSwitch = new RouteSwitch(() => 0.999);
  failTimes(routeSwitch, 5, 0);
  expect(routeSwitch.waitMs(0)).toBeGreaterThan(26_900);
  expect(routeSwitch.waitMs(0)).toBeLessThan(30_000);
});

test('ROUTE-12 DOS-1 failures of four accounts open it for them, and those of a fifth for everybody', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  const waits = (...accountIds: string[]): number[] => accountIds.map((id) => routeSwitch.waitMs(1_000, id));
  for (let call = 0; call < 5; call += 1) routeSwitch.failed(false, 0, `usr-${call % 2}`);
  expect(waits('usr-0', 'usr-1', 'usr-2')).toEqual([29_000, 29_000, 0]);
  // The probes of those that it is open for do not keep it open for others.
  expect(routeSwitch.begin(30_000, 'usr-0')).toBe(true);
  expect(routeSwitch.begin(30_000, 'usr-2')).toBe(false);
  expect(['usr-2', 'usr-3'].map((id) => routeSwitch.failed(false, 0, id))).toEqual([false, false]);
  expect(waits('usr-3', 'usr-4')).toEqual([29_000, 0]);
  expect(routeSwitch.failed(false, 0, 'usr-4')).toBe(true);
  expect(waits('usr-5')).toEqual([29_000]);
});

test('ROUTE-12 a later success of an account that it is not open for closes it, and an earlier one does not', () => {
  const routeSwitch = new RouteSwitch(noJitter);
  for (let call = 0; call < 5; call += 1) routeSwitch.failed(false, 5_000, 'usr-0');
  routeSwitch.succeeded(4_000, 'usr-1');
  expect(routeSwitch.waitMs(5_000, 'usr-0')).toBe(30_000);
  routeSwitch.succeeded(6_000, 'usr-1');
  expect(routeSwitch.waitMs(6_000, 'usr-0')).toBe(0);
});
