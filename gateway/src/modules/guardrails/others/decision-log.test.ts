// What guards have decided goes after a month, however much of it there is.

import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { Database, Statement } from '../../../platform/db/database.ts';
import { FORGOTTEN_TOGETHER } from '../../../platform/db/forget.ts';
import { silentLogger } from '../../../platform/logger.ts';
import { createDecisionLog } from './decision-log.ts';

test('old decisions are removed a part at a time, until none is left', async () => {
  const ticks: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    every(_, run) {
      ticks.push(run);
      return () => {};
    },
  };
  let left = 12_000;
  const parts: number[] = [];
  const query: Database['query'] = async <Row extends object>({ text }: Statement) => {
    expect(text).toContain(`LIMIT ${FORGOTTEN_TOGETHER}`);
    const rows = Math.min(left, FORGOTTEN_TOGETHER);
    left -= rows;
    parts.push(rows);
    return [{ rows }] as unknown as Row[];
  };
  createDecisionLog({ database: { query } as Database, clock, logger: silentLogger });
  for (const tick of ticks) tick();
  await expect.poll(() => left).toBe(0);
  expect(parts).toEqual([FORGOTTEN_TOGETHER, FORGOTTEN_TOGETHER, 2_000]);
});
