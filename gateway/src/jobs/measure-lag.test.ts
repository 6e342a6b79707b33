// The ages of work that is due: a queue that cannot be read hides none of the others.

import { expect, test } from 'vitest';
import type { Clock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startLagMeasuring } from './measure-lag.ts';

test('a queue that cannot be read is a failed round, and the others are shown with their ages', async () => {
  const clock: Clock = {
    nowMs: () => 60_000,
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    every: () => () => {},
  };
  const outcomes: string[] = [];
  const lag = startLagMeasuring({
    queues: {
      mail: () => Promise.reject(new Error('canceling statement due to statement timeout')),
      payments: async () => new Date(0),
    },
    clock,
    logger: { ...silentLogger, error: (_, words) => outcomes.push(String(words)) },
    countRound: (round) => round,
  });
  await lag.stop();
  expect(lag.ageMs('payments')).toBe(60_000);
  expect(lag.ageMs('mail')).toBeNull();
  expect(outcomes).toEqual(['due work could not be looked for']);
});
