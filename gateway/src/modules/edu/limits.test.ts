// The limits on asking for codes, at their edges.

import { expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import { createProcessLimits, type EduLimit } from './limits.ts';

function start() {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const limits = createProcessLimits(clock);
  const takeAll = (limit: EduLimit, count: number): unknown[] =>
    Array.from({ length: count }, () => limits.take(limit, 'subject'));
  return { clock, limits, takeAll };
}

test('EDU-04 ten requests of a source in any fifteen minutes', () => {
  const { clock, limits, takeAll } = start();
  expect(takeAll('request-source', 9)).toEqual(Array(9).fill(0));
  clock.move(14 * 60_000);
  expect(limits.take('request-source', 'subject')).toBe(0);
  expect(limits.take('request-source', 'subject')).toBe(60);
  expect(limits.take('request-source', 'other')).toBe(0);
  clock.move(60_000);
  // Nine requests have left the window and one has not: a new window does not forget it.
  expect(takeAll('request-source', 10)).toEqual([...Array(9).fill(0), 14 * 60]);
});

test('EDU-04 a hundred requests of a key in any hour', () => {
  const { clock, takeAll } = start();
  expect(takeAll('request-key', 101)).toEqual([...Array(100).fill(0), 3_600]);
  clock.move(3_599_999);
  expect(takeAll('request-key', 1)).toEqual([1]);
  clock.move(1);
  expect(takeAll('request-key', 1)).toEqual([0]);
});

test('EDU-04 whoever is told to wait is not counted again', () => {
  const { clock, takeAll } = start();
  takeAll('request-source', 10);
  clock.move(14 * 60_000);
  takeAll('request-source', 50);
  clock.move(60_000);
  expect(takeAll('request-source', 1)).toEqual([0]);
});

test('a clock that is set back starts anew instead of locking everybody out', () => {
  const { clock, takeAll } = start();
  takeAll('request-source', 10);
  clock.move(-3_600_000);
  expect(takeAll('request-source', 1)).toEqual([0]);
});
