// Traces that callers ask for: a few, and then no more than their share.

import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { ForcedShare } from './forced-share.ts';

test('of many calls that all ask for a trace, a tenth and a few are traced', () => {
  let nowMs = 0;
  const share = new ForcedShare({ ...systemClock, monotonicMs: () => nowMs });
  const forced = (calls: number): number => {
    let traced = 0;
    for (let call = 0; call < calls; call += 1) {
      share.count();
      if (share.take()) traced += 1;
    }
    return traced;
  };
  expect(forced(5)).toBe(5);
  expect(forced(995)).toBeLessThanOrEqual(110);
  nowMs = 60_000;
  expect(forced(5)).toBe(5);
});
