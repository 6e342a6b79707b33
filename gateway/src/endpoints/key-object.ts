// A key as the API shows it: listed field by field, so that nothing of the stored row gets out by being there.

import type { KeyObject } from '../contract/account.ts';
import type { Key } from '../modules/identity/identity.ts';
import { usdNumber } from '../platform/money.ts';

/** What the key has done so far; a new one has done nothing. */
export type KeyActivity = Readonly<{ lastUsedMs: number | null; requestCount: number; totalTokens: number }>;

export const NO_ACTIVITY: KeyActivity = { lastUsedMs: null, requestCount: 0, totalTokens: 0 };

export function keyObject(key: Key, activity: KeyActivity): KeyObject {
  return {
    id: key.id,
    name: key.name,
    keyType: key.keyType,
    keyPrefix: key.prefix,
    keySuffix: key.suffix,
    enabled: key.isEnabled,
    spendLimitUsd: key.spendLimitNanoUsd === null ? null : usdNumber(key.spendLimitNanoUsd),
    spendLimitPeriod: key.spendLimitPeriod,
    expiresAt: isoTime(key.expiresAtMs),
    createdAt: new Date(key.createdAtMs).toISOString(),
    lastUsed: isoTime(activity.lastUsedMs),
    requestCount: activity.requestCount,
    totalTokens: activity.totalTokens,
    allowedCidrs: key.allowedCidrs,
  };
}

export const isoTime = (timeMs: number | null): string | null =>
  timeMs === null ? null : new Date(timeMs).toISOString();
