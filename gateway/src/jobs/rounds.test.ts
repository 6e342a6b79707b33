// Rounds of background work go on whatever one of them does, and never two at once.

import { expect, test } from 'vitest';
import type { Clock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

function start(round: () => Promise<unknown>) {
  let tick = (): void => {};
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    every(_, run) {
      tick = run;
      return () => {
        tick = () => {};
      };
    },
  };
  const rounds = startRounds(round, { intervalMs: 1_000, failure: 'a round failed', clock, logger: silentLogger });
  return { ...rounds, tick: () => tick() };
}

test.each([
  ['throws at once', () => expect.fail('at once')],
  ['fails', () => Promise.reject(new Error('later'))],
  ['succeeds', () => Promise.resolve()],
])('a round that %s is followed by others', async (_, round) => {
  let count = 0;
  const { now, tick, stop } = start(() => {
    count += 1;
    return round();
  });
  await now();
  tick();
  await now();
  expect(count).toBe(2);
  await now();
  expect(count).toBe(3);
  await stop();
  tick();
  expect(count).toBe(3);
});

test('a round is not overtaken by the next, and the end waits for it', async () => {
  let count = 0;
  let end = (): void => {};
  const { tick, stop } = start(() => {
    count += 1;
    return new Promise<void>((resolve) => {
      end = resolve;
    });
  });
  tick();
  tick();
  let isStopped = false;
  const stopping = stop().then(() => {
    isStopped = true;
  });
  await Promise.resolve();
  expect({ count, isStopped }).toEqual({ count: 1, isStopped: false });
  end();
  await stopping;
});
