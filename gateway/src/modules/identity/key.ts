// Makes keys. The secret leaves this module once, when its key is made.

import type { KeyType } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { isAllowListEntry } from './client-address.ts';
import { hashKeySecret, keyHints, newKeySecret } from './key-secret.ts';
import { insertKey, type Key } from './store/keys.ts';

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
  const created = await insertKey(queryable, {
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
    keysMax: KEYS_MAX,
  });
  if (created === null) {
    throw new ApiError(
      'http_409',
      `There are ${KEYS_MAX} keys already, or twenty times as many were made within a day: delete those that are not needed, or try again tomorrow.`,
    );
  }
  return { key: created, secret };
}
