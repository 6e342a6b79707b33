import { expect, test } from 'vitest';
import type { Key } from '../../api/keys.ts';
import { changesBetween, changesOf, isExpired, NEW_KEY, periodWords, valuesOf, wishOf } from './key-values.ts';

const KEY: Key = {
  id: 'key-1',
  name: 'laptop',
  keyType: 'standard',
  keyPrefix: 'sk-tg-abcd',
  keySuffix: 'wxyz',
  enabled: true,
  spendLimitUsd: 12.5,
  spendLimitPeriod: 'month',
  spendLimitUsedUsd: 3,
  expiresAt: '2031-05-06T05:08:09.000Z',
  createdAt: '2030-01-01T00:00:00.000Z',
  lastUsed: null,
  requestCount: 0,
  totalTokens: 0,
  spentUsd: 0,
  allowedCidrs: ['10.0.0.0/8', '2001:db8::1'],
  freeFallback: false,
  cacheTtlSeconds: 300,
  disableWhenLeaked: true,
  leakedAt: null,
  leakPlace: null,
};

test('empty fields mean none, and addresses may be parted by lines, spaces or commas', () => {
  expect(wishOf({ ...NEW_KEY, name: ' ci ', addresses: '10.0.0.1, 10.0.0.2\n\n10.0.0.3 ' })).toEqual({
    name: 'ci',
    keyType: 'standard',
    limit: null,
    limit_reset: null,
    expires_at: null,
    allowedCidrs: ['10.0.0.1', '10.0.0.2', '10.0.0.3'],
    freeFallback: true,
    cacheTtlSeconds: null,
    disableWhenLeaked: false,
  });
});

test('a key that is opened and saved again keeps what it had, to the minute', () => {
  expect(changesOf(valuesOf(KEY))).toEqual({
    spendLimitUsd: 12.5,
    spendLimitPeriod: 'monthly',
    expiresAt: '2031-05-06T05:08:00Z',
    allowedCidrs: ['10.0.0.0/8', '2001:db8::1'],
    freeFallback: false,
    cacheTtlSeconds: 300,
    disableWhenLeaked: true,
  });
});

test('what was not changed is not sent, so that an expired key can be changed and a moment keeps its seconds', () => {
  const before = valuesOf(KEY);
  expect(changesBetween(before, before)).toEqual({});
  expect(changesBetween(before, { ...before, cacheTtl: '60' })).toEqual({ cacheTtlSeconds: 60 });
  expect(changesBetween(before, { ...before, limit: '' })).toEqual({ spendLimitUsd: null, spendLimitPeriod: null });
  expect(changesBetween(before, { ...before, addresses: '10.0.0.0/8' })).toEqual({ allowedCidrs: ['10.0.0.0/8'] });
});

test('a limit of zero is a limit, and without a limit there is no period', () => {
  expect(changesOf({ ...NEW_KEY, limit: '0', period: 'daily' })).toMatchObject({
    spendLimitUsd: 0,
    spendLimitPeriod: 'daily',
  });
  expect(changesOf({ ...NEW_KEY, limit: '', period: 'daily' }).spendLimitPeriod).toBeNull();
});

test('periods read the same however they were spelled', () => {
  expect(periodWords(KEY)).toBe('a month');
  expect(periodWords({ ...KEY, spendLimitPeriod: null })).toBe('in all');
});

test('a key is expired from its moment on', () => {
  const momentMs = Date.parse('2031-05-06T05:08:09.000Z');
  expect([isExpired(KEY, momentMs - 1), isExpired(KEY, momentMs)]).toEqual([false, true]);
  expect(isExpired({ ...KEY, expiresAt: null }, momentMs)).toBe(false);
});
