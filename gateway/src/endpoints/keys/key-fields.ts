// Turns the bodies that make and change keys into the values that are stored, with the checks that schemas cannot
// express.

import type { ChangeKeyBody, CreateKeyBody } from '../../contract/keys.ts';
import { ApiError } from '../../errors/api-error.ts';
import { isAllowListEntry } from '../../modules/identity/client-address.ts';
import type { NewKey } from '../../modules/identity/key.ts';
import type { KeyChanges } from '../../modules/identity/store/keys.ts';
import { given, usdField } from '../request-fields.ts';
import { momentField } from './read-moment.ts';

export function newKeyFields(body: CreateKeyBody, nowMs: number): Omit<NewKey, 'userId' | 'accountId'> {
  return {
    name: body.name,
    keyType: body.keyType ?? 'standard',
    spendLimitNanoUsd: usdField('limit', body.limit),
    spendLimitPeriod: body.limit_reset,
    expiresAtMs: futureField('expires_at', body.expires_at, nowMs),
    allowedCidrs: checkedCidrs(body.allowedCidrs),
    hasFreeFallback: body.freeFallback,
    cacheTtlSeconds: body.cacheTtlSeconds,
    isDisabledWhenLeaked: body.disableWhenLeaked,
  };
}

export function keyChanges(body: ChangeKeyBody, nowMs: number): KeyChanges {
  return given({
    isEnabled: body.enabled,
    spendLimitNanoUsd: usdField('spendLimitUsd', body.spendLimitUsd),
    spendLimitPeriod: body.spendLimitPeriod,
    expiresAtMs: futureField('expiresAt', body.expiresAt, nowMs),
    allowedCidrs: checkedCidrs(body.allowedCidrs),
    hasFreeFallback: body.freeFallback,
    cacheTtlSeconds: body.cacheTtlSeconds,
    isDisabledWhenLeaked: body.disableWhenLeaked,
  });
}

/** A key that had already expired would only be noticed by those who use it. */
function futureField(name: string, text: string | null | undefined, nowMs: number): number | null | undefined {
  const timeMs = momentField(name, text);
  if (typeof timeMs === 'number' && timeMs <= nowMs) throw new ApiError('http_400', `${name}: must be in the future.`);
  return timeMs;
}

function checkedCidrs(entries: readonly string[] | undefined): readonly string[] | undefined {
  const wrong = entries?.findIndex((entry) => !isAllowListEntry(entry)) ?? -1;
  if (wrong === -1) return entries;
  throw new ApiError(
    'http_400',
    `allowedCidrs.${wrong}: must be an IPv4 address, an IPv4 range such as 10.0.0.0/8, or a whole IPv6 address.`,
  );
}
