// A burst of refusals asks the log once, and the log decides; the answer is remembered no longer than it is valid.

import { expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import { HOUR_MS } from '../../canonical/calendar.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { silentLogger } from '../../platform/logger.ts';
import { createBreakerTrips } from './breaker-trips.ts';

const breaker = (change: Partial<SpendCap> = {}): SpendCap => ({
  kind: 'breaker',
  scope: 'team',
  scopeId: 'team-1',
  window: 'minute',
  limitNanoUsd: 2_500_000_000n,
  sinceMs: 0,
  covers: { accountId: 'org-1', teamId: 'team-1' },
  ...change,
});

function start(answer: () => Promise<boolean> = async () => true) {
  const clock = new MovableClock('2026-03-10T12:00:30Z');
  const asked: { action: string; targetId: string; subject: string; after: unknown; perMs: number }[] = [];
  const trips = createBreakerTrips({
    clock,
    logger: silentLogger,
    recordOnce({ action, targetId, after }, { subject, perMs }) {
      asked.push({ action, targetId, after, subject, perMs });
      return answer();
    },
  });
  /** Waits for the requests that are under way. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, trips, asked, settle };
}

test('ALOG-01 10,000 refusals ask once, and again when an hour has passed', async () => {
  const { clock, trips, asked, settle } = start();
  for (let call = 0; call < 10_000; call += 1) trips.note(breaker());
  await settle();
  clock.move(HOUR_MS - 1);
  trips.note(breaker());
  expect(asked).toEqual([
    {
      action: 'team.cb.tripped',
      targetId: 'team-1',
      subject: 'cb.tripped/team/team-1/minute',
      perMs: HOUR_MS,
      after: { window: 'minute', thresholdUsd: 2.5, resetsAt: '2026-03-10T12:01:00.000Z' },
    },
  ]);
  clock.move(1);
  trips.note(breaker());
  expect(asked).toHaveLength(2);
});

test('ALOG-01 each scope and window is a subject of its own', () => {
  const { trips, asked } = start();
  const caps = [
    breaker(),
    breaker({ window: 'hour' }),
    breaker({ scopeId: 'team-2' }),
    breaker({ scope: 'org', scopeId: 'org-1' }),
    breaker({ scope: 'member', scopeId: 'mem-1' }),
  ];
  for (const cap of [...caps, ...caps]) trips.note(cap);
  expect(asked.map(({ action }) => action)).toEqual([
    'team.cb.tripped',
    'team.cb.tripped',
    'team.cb.tripped',
    'org.cb.tripped',
    'org_member.cb.tripped',
  ]);
  expect(new Set(asked.map(({ subject }) => subject)).size).toBe(5);
});

test('ALOG-01 what another process has logged is asked about again after a minute', async () => {
  const { clock, trips, asked, settle } = start(async () => false);
  trips.note(breaker());
  await settle();
  clock.move(59_999);
  trips.note(breaker());
  expect(asked).toHaveLength(1);
  clock.move(1);
  trips.note(breaker());
  expect(asked).toHaveLength(2);
});

test('ALOG-01 a log that fails is tried again soon, but not by every call', async () => {
  const { clock, trips, asked, settle } = start(() => Promise.reject(new Error('away')));
  for (let call = 0; call < 100; call += 1) trips.note(breaker());
  await settle();
  for (let call = 0; call < 100; call += 1) trips.note(breaker());
  expect(asked).toHaveLength(1);
  clock.move(10_000);
  trips.note(breaker());
  expect(asked).toHaveLength(2);
});

test('ALOG-01 breakers of people and of the platform are in no log', () => {
  const { trips, asked } = start();
  trips.note(breaker({ scope: 'user', scopeId: 'usr-1', covers: { userIds: ['usr-1'] } }));
  trips.note(breaker({ scope: 'platform', scopeId: 'all', covers: {} }));
  expect(asked).toEqual([]);
});

test('what is remembered is bounded, and what tripped last stays known', async () => {
  const { trips, asked, settle } = start();
  for (let team = 0; team < 25_000; team += 1) trips.note(breaker({ scopeId: `team-${team}` }));
  await settle();
  trips.note(breaker({ scopeId: 'team-24999' }));
  expect(asked).toHaveLength(25_000);
  trips.note(breaker({ scopeId: 'team-0' }));
  expect(asked).toHaveLength(25_001);
});
