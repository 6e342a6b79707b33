// The ledger journals a settlement after a connection failure, and must not do so after a wrong statement: which errors
// are which.

import { expect, test } from 'vitest';
import { isConnectionFailure } from './connection-failure.ts';

const coded = (code: string, extra: object = {}): Error => Object.assign(new Error('some words'), { code }, extra);

test.each([
  '08006',
  '08P01',
  '28P01',
  '3D000',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '25006',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
])('%s means that the database is away', (code) => {
  expect(isConnectionFailure(coded(code))).toBe(true);
});

test.each(['23505', '40001', '40P01', '42601', '57014', '22P02', 'EACCES', 'ERR_INVALID_ARG_TYPE'])(
  '%s does not',
  (code) => {
    expect(isConnectionFailure(coded(code))).toBe(false);
  },
);

test('a missing socket does, a missing file does not', () => {
  expect(isConnectionFailure(coded('ENOENT', { syscall: 'connect' }))).toBe(true);
  expect(isConnectionFailure(coded('ENOENT', { syscall: 'open' }))).toBe(false);
});

test('the words of the driver count only as a whole and only without a code', () => {
  expect(isConnectionFailure(new Error('Connection terminated unexpectedly'))).toBe(true);
  expect(isConnectionFailure(new Error('timeout exceeded when trying to connect'))).toBe(true);
  expect(isConnectionFailure(new Error('timeout exceeded when trying to pay'))).toBe(false);
  expect(isConnectionFailure(Object.assign(new Error('Connection terminated'), { code: '23505' }))).toBe(false);
  expect(isConnectionFailure('Connection terminated')).toBe(false);
});
