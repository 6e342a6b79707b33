import { expect, test } from 'vitest';
import type { LoggedCall } from '../../api/generations.ts';
import { NEWEST_FIRST, sortedCalls } from './sorted-calls.ts';

const call = (id: string, more: Partial<LoggedCall>): LoggedCall => ({ id, ...more }) as LoggedCall;

const CALLS = [
  call('c', { at: '2026-03-03', model: 'b/two', promptTokens: 5, completionTokens: 5, durationMs: 20, costUsd: 0.2 }),
  // A refused call never had a model or tokens.
  call('b', { at: '2026-03-02', model: null, promptTokens: null, completionTokens: null, durationMs: 1, costUsd: 0 }),
  call('a', { at: '2026-03-01', model: 'a/one', promptTokens: 90, completionTokens: 0, durationMs: 300, costUsd: 0.1 }),
];

const ids = (calls: readonly LoggedCall[]): string => calls.map(({ id }) => id).join('');

test('as they came they are the newest first, and are not copied', () => {
  expect(sortedCalls(CALLS, NEWEST_FIRST)).toBe(CALLS);
});

test.each([
  ['at', false, 'abc'],
  ['model', false, 'bac'],
  ['tokens', true, 'acb'],
  ['duration', true, 'acb'],
  ['cost', true, 'cab'],
  ['cost', false, 'bac'],
] as const)('by %s, descending %s', (sort, isDescending, order) => {
  expect(ids(sortedCalls(CALLS, { sort, isDescending }))).toBe(order);
});
