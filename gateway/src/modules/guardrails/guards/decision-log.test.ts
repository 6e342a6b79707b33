// What guards have decided goes after a month, however much of it there is, and of one organization there is not too much.

import { expect, test } from 'vitest';
import type { Caller } from '../../../canonical/caller.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { Database, Statement } from '../../../platform/db/database.ts';
import { FORGOTTEN_TOGETHER } from '../../../platform/db/forget.ts';
import { silentLogger } from '../../../platform/logger.ts';
import type { Decision } from './ask.ts';
import { createDecisionLog } from './decision-log.ts';
import type { Guard } from './guard.ts';

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

test('DOS-1 of one organization so many decisions are kept in an hour, and those of others beside them', async () => {
  let nowMs = 0;
  const ticks: (() => void)[] = [];
  const clock: Clock = {
    ...{ ...systemClock, nowMs: () => nowMs, monotonicMs: () => nowMs },
    every(_, run) {
      ticks.push(run);
      return () => {};
    },
  };
  const kept = new Map<string, number>();
  const query: Database['query'] = async <Row extends object>(_: Statement, [orgIds = []]: readonly unknown[] = []) => {
    for (const orgId of orgIds as readonly string[]) kept.set(orgId, (kept.get(orgId) ?? 0) + 1);
    return [] as Row[];
  };
  const log = createDecisionLog({ database: { query } as Database, clock, logger: silentLogger });
  const note = (orgId: string): void =>
    log.note({ id: 'grd-1', name: 'Guard', orgId } as Guard, { keyId: 'key-1' } as Caller, 'before', {
      outcome: 'block',
      reason: null,
      durationMs: 1,
    } as unknown as Decision);
  for (let round = 1; round <= 5; round += 1) {
    for (let index = 0; index < 5_000; index += 1) note('org-loud');
    for (const tick of ticks) tick();
    await expect.poll(() => kept.get('org-loud')).toBe(Math.min(round * 5_000, 20_000));
  }
  note('org-quiet');
  nowMs += 3_600_000;
  note('org-loud');
  await log.close();
  expect([...kept]).toEqual([
    ['org-loud', 20_001],
    ['org-quiet', 1],
  ]);
});
