// Hits are written soon, counted in between, and none is lost when the gateway stops or the database was away.

import { expect, test } from 'vitest';
import type { AuditEntry } from '../../../canonical/audit-entry.ts';
import type { Caller } from '../../../canonical/caller.ts';
import { silentLogger } from '../../../platform/logger.ts';
import { createHitLog } from './hit-log.ts';
import type { FilterRule } from './rule.ts';

const rule = { id: 'flt-1', orgId: 'org-1', name: 'Rule', type: 'keyword', action: 'flag' } as FilterRule;
const caller = (keyId: string): Caller => ({ keyId, userId: 'usr-1' }) as Caller;

function bed() {
  let nowMs = 1_000;
  let sweep = (): void => undefined;
  let isAway = false;
  const entries: AuditEntry[] = [];
  const log = createHitLog({
    clock: {
      nowMs: () => nowMs,
      monotonicMs: () => nowMs,
      every: (_, run) => {
        sweep = run;
        return () => undefined;
      },
      sleep: async () => undefined,
    },
    logger: silentLogger,
    record: async (entry) => {
      if (isAway) throw new Error('away');
      entries.push(entry);
    },
  });
  const requests = (): unknown[] => entries.map(({ after }) => after?.requests);
  const pass = async (ms: number): Promise<void> => {
    nowMs += ms;
    sweep();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { log, entries, requests, pass, setAway: (value: boolean) => (isAway = value) };
}

test('ALOG-03 the first hit at once, those of the next minute together', async () => {
  const { log, requests, pass, entries } = bed();
  for (let time = 0; time < 1_000; time += 1) log.note(rule, caller('key-1'));
  await pass(0);
  expect(requests()).toEqual([1]);
  await pass(30_000);
  expect(requests()).toEqual([1]);
  await pass(31_000);
  expect(requests()).toEqual([1, 999]);
  log.note(rule, caller('key-2'));
  await pass(0);
  expect(entries.at(-1)).toMatchObject({
    orgId: 'org-1',
    action: 'org.filter.hit',
    actor: { keyId: 'key-2', kind: 'key' },
  });
  await pass(120_000);
  log.note(rule, caller('key-1'));
  await pass(0);
  expect(requests()).toEqual([1, 999, 1, 1]);
});

test('FILT-05 ALOG-03 a hit after the action of a rule was changed is written at once, under the new one', async () => {
  const { log, pass, entries } = bed();
  for (const action of ['block', 'flag'] as const) log.note({ ...rule, action }, caller('key-1'));
  await pass(0);
  expect(entries.map(({ after }) => [after?.action, after?.requests])).toEqual([
    ['block', 1],
    ['flag', 1],
  ]);
});

test('ALOG-03 what was counted is written at the end, and what could not be written is tried again', async () => {
  const { log, requests, pass, setAway } = bed();
  setAway(true);
  log.note(rule, caller('key-1'));
  log.note(rule, caller('key-1'));
  await pass(61_000);
  expect(requests()).toEqual([]);
  setAway(false);
  await log.close();
  expect(requests()).toEqual([2]);
});
