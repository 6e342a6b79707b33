// The job that completes payments: however long the statements of a month or the answer of a
// provider take, payments are completed meanwhile.

import { expect, test } from 'vitest';
import type { Clock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startPaymentCompletion } from './complete-payments.ts';

test('statements that take long, and a provider that hangs, hold up neither payments nor the end', async () => {
  const ticks: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    monotonicMs: () => 0,
    sleep: () => Promise.resolve(),
    every(_, run) {
      ticks.push(run);
      return () => {};
    },
  };
  const done: string[] = [];
  const note = (what: string) => async () => void done.push(what);
  const stop = startPaymentCompletion({
    payments: {
      completeUnfinished: note('completed'),
      lookUpUnheard: () => new Promise(() => {}),
      automatic: { run: note('bought') },
    },
    statements: { catchUp: () => new Promise(() => {}) },
    clock,
    logger: silentLogger,
  });
  await expect.poll(() => done).toEqual(['completed', 'bought']);
  for (const tick of ticks) tick();
  await expect.poll(() => done).toEqual(['completed', 'bought', 'completed', 'bought']);
  await stop();
});
