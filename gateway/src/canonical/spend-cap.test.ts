// The order of checks, which decides what a caller hears when several limits are reached at once.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inCheckingOrder, type SpendCap } from './spend-cap.ts';

const cap = (kind: SpendCap['kind'], scope: SpendCap['scope'], window: SpendCap['window']): SpendCap => ({
  kind,
  scope,
  scopeId: 'any',
  window,
  limitNanoUsd: 1n,
  sinceMs: 0,
  covers: {},
});

const ordered = [
  cap('breaker', 'platform', 'minute'),
  cap('breaker', 'platform', 'hour'),
  cap('breaker', 'org', 'minute'),
  cap('breaker', 'org', 'hour'),
  cap('breaker', 'team', 'minute'),
  cap('breaker', 'member', 'hour'),
  cap('breaker', 'user', 'minute'),
  cap('cap', 'session', 'never'),
  cap('cap', 'key', 'day'),
  cap('cap', 'member', 'month'),
  cap('cap', 'team', 'month'),
  cap('cap', 'account', 'week'),
  cap('cap', 'account', 'month'),
];

test('AMB-16 AMB-17 AMB-46 BRK-13 breakers from the broadest, then money: key, member, team, account', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ordered), (caps) => {
      const frozen = Object.freeze([...caps]);
      expect(inCheckingOrder(frozen)).toEqual(ordered.filter((each) => caps.includes(each)));
    }),
  );
});
