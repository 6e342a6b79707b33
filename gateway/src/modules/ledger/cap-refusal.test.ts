// The message of each cap and breaker, and after what time it asks the caller to come back.

import { expect, test } from 'vitest';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { capRefusal } from './cap-refusal.ts';

const NOW_MS = Date.parse('2026-03-10T12:34:20.500Z');

function refusalOf(changes: Partial<SpendCap>) {
  const cap: SpendCap = {
    kind: 'cap',
    scope: 'key',
    scopeId: 'any',
    window: 'month',
    limitNanoUsd: 1n,
    sinceMs: 0,
    covers: {},
    ...changes,
  };
  const { code, status, message, retryAfterSeconds, isTerminal } = capRefusal(cap, NOW_MS);
  return { code, status, message, retryAfterSeconds, isTerminal };
}

test.each<[SpendCap['scope'], string, RegExp]>([
  ['key', 'spend_limit_exceeded', /this key's monthly spend limit/],
  ['member', 'budget_cap_reached', /your monthly budget/],
  ['team', 'budget_cap_reached', /your team's monthly budget/],
  ['org', 'budget_cap_reached', /the account's monthly spend cap/],
  ['account', 'budget_cap_reached', /the account's monthly spend cap/],
  ['user', 'budget_cap_reached', /the account's monthly spend cap/],
])('ERR-16 ERR-19 BILL-15 a cap of the %s is a 402 with the code %s', (scope, code, words) => {
  expect(refusalOf({ scope })).toMatchObject({ code, status: 402, message: expect.stringMatching(words) });
});

test.each<[SpendCap['scope']]>([['org'], ['team'], ['member'], ['user']])(
  'BRK-07 BRK-11 AMB-15 a breaker of the %s is a numeric 429 that names scope and window',
  (scope) => {
    expect(refusalOf({ kind: 'breaker', scope, window: 'minute' })).toEqual({
      code: 'http_429',
      status: 429,
      message: `Spend circuit breaker tripped (scope: ${scope}, window: minute)`,
      retryAfterSeconds: 40,
      isTerminal: false,
    });
    expect(refusalOf({ kind: 'breaker', scope, window: 'hour' })).toEqual({
      code: 'http_429',
      status: 429,
      message: `Spend circuit breaker tripped (scope: ${scope}, window: hour)`,
      retryAfterSeconds: 1540,
      isTerminal: true,
    });
  },
);

test("EDU-11 a student's session that has spent its quota gets a numeric 429, and no retry helps", () => {
  expect(refusalOf({ scope: 'session', window: 'never' })).toMatchObject({
    code: 'http_429',
    status: 429,
    message: expect.stringContaining("this session's spending quota"),
    retryAfterSeconds: undefined,
    isTerminal: true,
  });
});

test('BRK-12 the platform brake is a numeric 503 that asks for 30 or 300 seconds', () => {
  const brake = { kind: 'breaker', scope: 'platform' } as const;
  expect(refusalOf({ ...brake, window: 'minute' })).toMatchObject({ code: 'http_503', retryAfterSeconds: 30 });
  expect(refusalOf({ ...brake, window: 'hour' })).toMatchObject({ retryAfterSeconds: 300, isTerminal: true });
});
