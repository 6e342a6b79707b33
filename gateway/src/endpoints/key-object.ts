// A key as the API shows it: field by field, so that no other column of the row is shown by accident.

import { parsePeriod } from '../canonical/spend-window.ts';
import type { KeyObject } from '../contract/account.ts';
import type { Key } from '../modules/identity/store/keys.ts';
import type { KeyActivity } from '../modules/usage/usage.ts';
import { type NanoUsd, usdNumber } from '../platform/money.ts';

export const NO_ACTIVITY: KeyActivity = {
  lastUsedAt: null,
  requestCount: 0,
  totalTokens: 0,
  spentNanoUsd: { total: 0n, daily: 0n, weekly: 0n, monthly: 0n },
};

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
    spendLimitUsedUsd: key.spendLimitNanoUsd === null ? null : usdNumber(usedOfLimit(key, activity)),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
    lastUsed: activity.lastUsedAt?.toISOString() ?? null,
    requestCount: activity.requestCount,
    totalTokens: activity.totalTokens,
    spentUsd: usdNumber(activity.spentNanoUsd.total),
    allowedCidrs: key.allowedCidrs,
    freeFallback: key.hasFreeFallback,
    cacheTtlSeconds: key.cacheTtlSeconds,
    disableWhenLeaked: key.isDisabledWhenLeaked,
    leakedAt: key.leakedAt?.toISOString() ?? null,
    leakPlace: key.leakPlace,
    ...(key.accountId === key.userId ? {} : { userId: key.userId, teamId: key.teamId }),
  };
}

/** A limit without a period counts everything that the key ever spent. */
const usedOfLimit = ({ spendLimitPeriod }: Key, { spentNanoUsd }: KeyActivity): NanoUsd =>
  spentNanoUsd[parsePeriod(spendLimitPeriod) ?? 'total'];
