// Keys as their managers see them: everything but the secret, which leaves this module once, when the key is made.

import type { KeyType } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { isAllowListEntry } from './client-address.ts';
import { hashKeySecret, keyHints, newKeySecret } from './key-secret.ts';
import { insertKey, type KeyRow } from './store/keys.ts';

export type Key = Readonly<{
  id: string;
  name: string;
  keyType: KeyType;
  userId: string;
  accountId: string;
  /** The team that the key belongs to; null for a person's own key and for the organization's. */
  teamId: string | null;
  prefix: string;
  suffix: string;
  isEnabled: boolean;
  expiresAtMs: number | null;
  spendLimitNanoUsd: NanoUsd | null;
  spendLimitPeriod: string | null;
  allowedCidrs: readonly string[];
  /** Calls beyond the quota of a free model go on at the paid price. */
  hasFreeFallback: boolean;
  /** How long answers to its calls are kept to be given again; 0 for never. */
  cacheTtlSeconds: number | null;
  /** When the key was first seen in public. */
  leakedAtMs: number | null;
  /** The place where it was seen, if that was reported. */
  leakPlace: string | null;
  /** The key is switched off when it is seen in public. */
  isDisabledWhenLeaked: boolean;
  createdAtMs: number;
}>;

export type NewKey = Readonly<{
  name: string;
  keyType: KeyType;
  userId: string;
  accountId: string;
  teamId?: string | null | undefined;
  expiresAtMs?: number | null | undefined;
  spendLimitNanoUsd?: NanoUsd | null | undefined;
  spendLimitPeriod?: string | null | undefined;
  allowedCidrs?: readonly string[] | undefined;
  hasFreeFallback?: boolean | undefined;
  cacheTtlSeconds?: number | null | undefined;
  isDisabledWhenLeaked?: boolean | undefined;
}>;

/** Only this answer contains the secret. */
export type CreatedKey = Readonly<{ key: Key; secret: string }>;

/** For one holder in one account: far more than anyone needs, and still a list that can be read. */
const KEYS_MAX = 1_000;

export async function createKey(queryable: Queryable, pepper: Buffer, key: NewKey): Promise<CreatedKey> {
  const allowedCidrs = key.allowedCidrs ?? [];
  assert(allowedCidrs.every(isAllowListEntry), 'the entries of an address list were checked before');
  const secret = newKeySecret(pepper);
  const newRow = {
    id: newId('key'),
    hash: hashKeySecret(pepper, secret),
    name: key.name,
    keyType: key.keyType,
    userId: key.userId,
    accountId: key.accountId,
    teamId: key.teamId ?? null,
    ...keyHints(secret),
    expiresAt: typeof key.expiresAtMs === 'number' ? new Date(key.expiresAtMs) : null,
    spendLimitNanoUsd: key.spendLimitNanoUsd ?? null,
    spendLimitPeriod: key.spendLimitPeriod ?? null,
    allowedCidrs,
    hasFreeFallback: key.hasFreeFallback ?? true,
    cacheTtlSeconds: key.cacheTtlSeconds ?? null,
    isDisabledWhenLeaked: key.isDisabledWhenLeaked ?? false,
  };
  const row = await insertKey(queryable, newRow, KEYS_MAX);
  if (row === null) {
    throw new ApiError(
      'http_409',
      `There are ${KEYS_MAX} keys already, or twenty times as many were made within a day: delete those that are not needed, or try again tomorrow.`,
    );
  }
  return { key: toKey(row), secret };
}

export const toKey = (row: KeyRow): Key => ({
  id: row.id,
  name: row.name,
  keyType: row.key_type,
  userId: row.user_id,
  accountId: row.account_id,
  teamId: row.team_id,
  prefix: row.prefix,
  suffix: row.suffix,
  isEnabled: row.is_enabled && row.revoked_at === null,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  spendLimitNanoUsd: row.spend_limit_nano_usd,
  spendLimitPeriod: row.spend_limit_period,
  allowedCidrs: row.allowed_cidrs,
  hasFreeFallback: row.free_fallback,
  cacheTtlSeconds: row.cache_ttl_seconds,
  leakedAtMs: row.leaked_at?.getTime() ?? null,
  leakPlace: row.leak_place,
  isDisabledWhenLeaked: row.disable_when_leaked,
  createdAtMs: row.created_at.getTime(),
});
