// The job that closes months: where the journal's cannot be closed, those of usage are added up all the same.

import { expect, test } from 'vitest';
import type { Clock } from '../platform/clock.ts';
import { silentLogger } from '../platform/logger.ts';
import { startClosingMonths } from './close-months.ts';

test('what fails of a round is reported and keeps nothing else from being done', async () => {
  const clock: Clock = { nowMs: () => 0, monotonicMs: () => 0, sleep: () => Promise.resolve(), every: () => () => {} };
  const done: string[] = [];
  const stop = startClosingMonths({
    books: {
      closeMonths: () => Promise.reject(new Error('a sum is out of range')),
      beginMonths: async () => void done.push('begun'),
      inSession: (run) => run({} as never),
      stop: async () => {},
    },
    usageUpkeep: {
      async addUpMonths() {
        done.push('added up');
        return [];
      },
    },
    clock,
    logger: { ...silentLogger, error: ({ error }) => done.push(String((error as Error).message)) },
  });
  await expect.poll(() => done).toEqual(['begun', 'added up', 'a sum is out of range']);
  await stop();
});
