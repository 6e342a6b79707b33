// A key's settings as a form has them, and as the gateway takes them. Creating and changing name the fields
// differently, as the interface has it. An empty field means none; times are typed and shown in UTC.

import type { Key, KeyChanges, KeyWish } from '../../api/keys.ts';

export type KeyValues = Readonly<{
  name: string;
  keyType: 'standard' | 'management';
  limit: string;
  period: '' | 'daily' | 'weekly' | 'monthly';
  expiry: string;
  addresses: string;
  hasFreeFallback: boolean;
  /** In seconds; empty where it is not set. */
  cacheTtl: string;
  isDisabledWhenLeaked: boolean;
}>;

export const NEW_KEY: KeyValues = {
  name: '',
  keyType: 'standard',
  limit: '',
  period: '',
  expiry: '',
  addresses: '',
  hasFreeFallback: true,
  cacheTtl: '',
  isDisabledWhenLeaked: false,
};

/** `2030-01-31T12:00` is what the browser's field for a time takes. */
const MINUTE_LENGTH = 16;

const PERIODS: Readonly<Record<string, KeyValues['period']>> = {
  day: 'daily',
  daily: 'daily',
  week: 'weekly',
  weekly: 'weekly',
  month: 'monthly',
  monthly: 'monthly',
};

export function valuesOf(key: Key): KeyValues {
  return {
    name: key.name,
    keyType: key.keyType,
    limit: key.spendLimitUsd === null ? '' : String(key.spendLimitUsd),
    period: PERIODS[key.spendLimitPeriod ?? ''] ?? '',
    expiry: key.expiresAt?.slice(0, MINUTE_LENGTH) ?? '',
    addresses: key.allowedCidrs.join('\n'),
    hasFreeFallback: key.freeFallback,
    cacheTtl: key.cacheTtlSeconds === null ? '' : String(key.cacheTtlSeconds),
    isDisabledWhenLeaked: key.disableWhenLeaked,
  };
}

export function wishOf(values: KeyValues): KeyWish {
  return {
    name: values.name.trim(),
    keyType: values.keyType,
    limit: limitOf(values),
    limit_reset: periodOf(values),
    expires_at: momentOf(values.expiry),
    allowedCidrs: linesOf(values.addresses),
    freeFallback: values.hasFreeFallback,
    cacheTtlSeconds: secondsOf(values),
    disableWhenLeaked: values.isDisabledWhenLeaked,
  };
}

export function changesOf(values: KeyValues): KeyChanges {
  return {
    spendLimitUsd: limitOf(values),
    spendLimitPeriod: periodOf(values),
    expiresAt: momentOf(values.expiry),
    allowedCidrs: linesOf(values.addresses),
    freeFallback: values.hasFreeFallback,
    cacheTtlSeconds: secondsOf(values),
    disableWhenLeaked: values.isDisabledWhenLeaked,
  };
}

/** Only what was changed: a moment to the second, or one that has passed, is not touched by a change of something else. */
export function changesBetween(before: KeyValues, after: KeyValues): KeyChanges {
  const earlier = new Map<string, unknown>(Object.entries(changesOf(before)));
  const changed = Object.entries(changesOf(after)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(earlier.get(name)),
  );
  return Object.fromEntries(changed);
}

const secondsOf = ({ cacheTtl }: KeyValues): number | null => (cacheTtl === '' ? null : Number(cacheTtl));
const limitOf = ({ limit }: KeyValues): number | null => (limit === '' ? null : Number(limit));
const periodOf = ({ limit, period }: KeyValues): string | null => (limit === '' || period === '' ? null : period);
const momentOf = (text: string): string | null => (text === '' ? null : `${text.slice(0, MINUTE_LENGTH)}:00Z`);
const linesOf = (text: string): string[] => text.split(/[\s,]+/).filter((line) => line !== '');

const PERIOD_WORDS: Readonly<Record<KeyValues['period'], string>> = {
  '': 'in all',
  daily: 'a day',
  weekly: 'a week',
  monthly: 'a month',
};

/** How a limit's period reads after its amount. */
export const periodWords = (key: Key): string => PERIOD_WORDS[valuesOf(key).period];

export const isExpired = (key: Key, nowMs: number): boolean =>
  key.expiresAt !== null && Date.parse(key.expiresAt) <= nowMs;
