// How many calls over own upstreams a day has room for, for a person and for all of an account.

import { expect, test } from 'vitest';
import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import { systemClock } from '../../platform/clock.ts';
import { OwnCalls } from './own-calls.ts';

function open(perDay: number, credited: readonly string[] = []) {
  let nowMs = Date.UTC(2026, 0, 1, 23, 59);
  const clock = { ...systemClock, nowMs: () => nowMs };
  const hasHadCredit = async (accountId: string): Promise<boolean> => credited.includes(accountId);
  const calls = new OwnCalls({ clock, perDay: () => perDay, hasHadCredit });
  const person = (accountId: string, userId: string) => ({ accountId, userId });
  return {
    nextDay: () => {
      nowMs += DAY_MS;
    },
    /** So many calls end; then, whether one more begins, or after how many seconds it may. */
    async make(accountId: string, userId: string, count: number): Promise<unknown> {
      for (let call = 0; call < count; call += 1) calls.note(person(accountId, userId));
      try {
        await calls.admit(person(accountId, userId));
        return true;
      } catch (error) {
        return error instanceof ApiError ? [error.status, error.retryAfterSeconds] : error;
      }
    },
    hasRoom: (accountId: string, userId: string) => calls.hasRoom(person(accountId, userId)),
  };
}

test('DOS-1 a person who used up theirs waits for the next day, and others of the account do not', async () => {
  const { make, nextDay } = open(10, ['org-1']);
  expect(await make('org-1', 'usr-1', 9)).toBe(true);
  expect(await make('org-1', 'usr-1', 1)).toEqual([429, 60]);
  expect(await make('org-1', 'usr-2', 9)).toBe(true);
  expect(await make('org-2', 'usr-1', 9)).toBe(true);
  nextDay();
  expect(await make('org-1', 'usr-1', 0)).toBe(true);
});

test('DOS-1 an account has room for five people who use up theirs', async () => {
  const { make, hasRoom } = open(10, ['org-1']);
  for (let user = 0; user < 5; user += 1) await make('org-1', `usr-${user}`, 10);
  expect(await make('org-1', 'usr-new', 0)).toEqual([429, 60]);
  expect(hasRoom('org-1', 'usr-new')).toBe(false);
});

test('DOS-1 before its first credit an account has fewer', async () => {
  const { make } = open(100_000, ['org-paid']);
  expect(await make('org-new', 'usr-1', 1_999)).toBe(true);
  expect(await make('org-new', 'usr-1', 1)).toEqual([429, 60]);
  expect(await make('org-paid', 'usr-1', 2_000)).toBe(true);
});
