import { expect, test } from 'vitest';
import { durationOf, secondsOf } from './durations.ts';

test('a time is shown in the largest unit without a rest, and read back the same', () => {
  for (const [seconds, count, unit] of [
    [2_592_000, 30, 'days'],
    [5_400, 90, 'minutes'],
    [3_600, 1, 'hours'],
    [61, 61, 'seconds'],
  ] as const) {
    expect(durationOf(seconds)).toEqual({ count, unit });
    expect(secondsOf(count, unit)).toBe(seconds);
  }
});
