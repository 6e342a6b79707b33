// The statements on keys. Every one names the account of the keys. A revoked key keeps its row, because its history
// refers to it, and none of these statements finds it.

import type { KeyType } from '../../../canonical/caller.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';

/** A key as its managers see it: everything but the secret. */
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
  expiresAt: Date | null;
  spendLimitNanoUsd: NanoUsd | null;
  spendLimitPeriod: string | null;
  allowedCidrs: readonly string[];
  /** Calls beyond the quota of a free model go on at the paid price. */
  hasFreeFallback: boolean;
  /** How long answers to its calls are kept to be given again; 0 for never. */
  cacheTtlSeconds: number | null;
  /** When the key was first seen in public. */
  leakedAt: Date | null;
  /** The place where it was seen, if that was reported. */
  leakPlace: string | null;
  /** The key is switched off when it is seen in public. */
  isDisabledWhenLeaked: boolean;
  createdAt: Date;
}>;

export const KEY_COLUMNS = `k.id, k.name, k.key_type AS "keyType", k.user_id AS "userId", k.account_id AS "accountId",
  k.team_id AS "teamId", k.prefix, k.suffix, k.is_enabled AND k.revoked_at IS NULL AS "isEnabled",
  k.expires_at AS "expiresAt", k.spend_limit_nano_usd AS "spendLimitNanoUsd",
  k.spend_limit_period AS "spendLimitPeriod", k.allowed_cidrs AS "allowedCidrs", k.free_fallback AS "hasFreeFallback",
  k.cache_ttl_seconds AS "cacheTtlSeconds", k.leaked_at AS "leakedAt", k.leak_place AS "leakPlace",
  k.disable_when_leaked AS "isDisabledWhenLeaked", k.created_at AS "createdAt"`;

/** Selects keys: all of the account, only those of one holder, or only those that a team's administrator manages. */
export type KeyScope = Readonly<{ accountId: string; userId?: string | undefined; teamId?: string | undefined }>;

// A team's administrator does not manage the keys of an organization's administrator who is in the team.
const IN_SCOPE = `k.account_id = $1 AND k.revoked_at IS NULL AND ($2::text IS NULL OR k.user_id = $2)
   AND ($3::text IS NULL OR EXISTS (
     SELECT FROM org_members m
     WHERE m.org_id = k.account_id AND m.user_id = k.user_id AND m.team_id = $3 AND m.role <> 'org_admin'))`;

const scopeValues = ({ accountId, userId, teamId }: KeyScope): unknown[] => [accountId, userId ?? null, teamId ?? null];

// Counted in the same statement; a few more through inserts at the same moment do no harm. A revoked key stays, because
// records name it, so those of a day are counted too: nobody fills the table with keys that are made and revoked.
const insertKeyStatement = sql(
  'identity_insert_key',
  `INSERT INTO api_keys AS k (id, hash, name, key_type, user_id, account_id, team_id, prefix, suffix, expires_at,
     spend_limit_nano_usd, spend_limit_period, allowed_cidrs, free_fallback, cache_ttl_seconds, disable_when_leaked)
   SELECT $2, $3::bytea, $4, $5, $6, $7, $8, $9, $10, $11::timestamptz, $12::bigint, $13, $14::text[], $15::boolean,
     $16::integer, $17::boolean
   FROM (
     SELECT count(*) FILTER (WHERE o.revoked_at IS NULL) AS live,
       count(*) FILTER (WHERE o.created_at > now() - interval '1 day') AS of_day
     FROM api_keys o WHERE o.user_id = $6 AND o.account_id = $7
   ) kept
   WHERE kept.live < $1 AND kept.of_day < 20 * $1
   RETURNING ${KEY_COLUMNS}`,
);

const listKeysStatement = sql(
  'identity_list_keys',
  `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE ${IN_SCOPE} ORDER BY k.created_at, k.id`,
);

const findKeyStatement = sql(
  'identity_find_key',
  `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE ${IN_SCOPE} AND k.id = $4`,
);

// Locked, so that the state reported as before the change is the true one.
const lockKeyStatement = sql(
  'identity_lock_key',
  `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE ${IN_SCOPE} AND k.id = $4 FOR UPDATE OF k`,
);

const listKeysOfUserStatement = sql(
  'identity_list_keys_of_user',
  `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE k.user_id = $1 AND k.revoked_at IS NULL ORDER BY k.created_at, k.id`,
);

const findKeyAccountStatement = sql(
  'identity_find_key_account',
  'SELECT account_id FROM api_keys WHERE id = $1 AND revoked_at IS NULL',
);

// A field whose flag is false keeps its value.
const changeKeyStatement = sql(
  'identity_change_key',
  `UPDATE api_keys AS k SET
     is_enabled = CASE WHEN $3 THEN $4 ELSE k.is_enabled END,
     spend_limit_nano_usd = CASE WHEN $5 THEN $6 ELSE k.spend_limit_nano_usd END,
     spend_limit_period = CASE WHEN $7 THEN $8 ELSE k.spend_limit_period END,
     allowed_cidrs = CASE WHEN $9 THEN $10 ELSE k.allowed_cidrs END,
     expires_at = CASE WHEN $11 THEN $12 ELSE k.expires_at END,
     free_fallback = CASE WHEN $13 THEN $14 ELSE k.free_fallback END,
     cache_ttl_seconds = CASE WHEN $15 THEN $16::integer ELSE k.cache_ttl_seconds END,
     disable_when_leaked = CASE WHEN $17 THEN $18 ELSE k.disable_when_leaked END
   WHERE k.account_id = $1 AND k.id = $2 AND k.revoked_at IS NULL
   RETURNING ${KEY_COLUMNS}`,
);

const revokeKeysStatement = sql(
  'identity_revoke_keys',
  `UPDATE api_keys AS k SET revoked_at = now()
   WHERE k.account_id = $1 AND k.revoked_at IS NULL AND ($2::text IS NULL OR k.user_id = $2)
     AND ($3::text IS NULL OR k.team_id = $3) AND ($4::text IS NULL OR k.id = $4)
   RETURNING ${KEY_COLUMNS}`,
);

type NewKeyRow = Omit<Key, 'isEnabled' | 'leakedAt' | 'leakPlace' | 'createdAt'> &
  Readonly<{ hash: Buffer; keysMax: number }>;

/** Null when the holder has as many keys of this account as allowed, or has made twenty times as many within a day. */
export const insertKey = (queryable: Queryable, key: NewKeyRow): Promise<Key | null> =>
  firstRow(queryable, insertKeyStatement, [
    key.keysMax,
    key.id,
    key.hash,
    key.name,
    key.keyType,
    key.userId,
    key.accountId,
    key.teamId,
    key.prefix,
    key.suffix,
    key.expiresAt,
    key.spendLimitNanoUsd,
    key.spendLimitPeriod,
    key.allowedCidrs,
    key.hasFreeFallback,
    key.cacheTtlSeconds,
    key.isDisabledWhenLeaked,
  ]);

export function listKeys(queryable: Queryable, scope: KeyScope): Promise<Key[]> {
  return queryable.query<Key>(listKeysStatement, scopeValues(scope));
}

/** Of all accounts, for the operator. */
export function listKeysOfUser(queryable: Queryable, userId: string): Promise<Key[]> {
  return queryable.query<Key>(listKeysOfUserStatement, [userId]);
}

export const findKey = (queryable: Queryable, scope: KeyScope, keyId: string): Promise<Key | null> =>
  firstRow(queryable, findKeyStatement, [...scopeValues(scope), keyId]);

export const lockKey = (queryable: Queryable, scope: KeyScope, keyId: string): Promise<Key | null> =>
  firstRow(queryable, lockKeyStatement, [...scopeValues(scope), keyId]);

export async function findKeyAccount(queryable: Queryable, keyId: string): Promise<string | null> {
  const [row] = await queryable.query<{ account_id: string }>(findKeyAccountStatement, [keyId]);
  return row?.account_id ?? null;
}

/** A field that is left out stays as it is. */
export type KeyChanges = Readonly<{
  isEnabled?: boolean;
  spendLimitNanoUsd?: bigint | null;
  spendLimitPeriod?: string | null;
  allowedCidrs?: readonly string[];
  expiresAtMs?: number | null;
  hasFreeFallback?: boolean;
  cacheTtlSeconds?: number | null;
  isDisabledWhenLeaked?: boolean;
}>;

export async function changeKey(
  queryable: Queryable,
  key: Readonly<{ accountId: string; keyId: string }>,
  changes: KeyChanges,
): Promise<Key | null> {
  const { isEnabled, spendLimitNanoUsd, spendLimitPeriod, allowedCidrs, expiresAtMs } = changes;
  const { hasFreeFallback, cacheTtlSeconds, isDisabledWhenLeaked } = changes;
  const expiresAt = typeof expiresAtMs === 'number' ? new Date(expiresAtMs) : expiresAtMs;
  const fields = [
    isEnabled,
    spendLimitNanoUsd,
    spendLimitPeriod,
    allowedCidrs,
    expiresAt,
    hasFreeFallback,
    cacheTtlSeconds,
    isDisabledWhenLeaked,
  ];
  const values = fields.flatMap((value) => [value !== undefined, value ?? null]);
  return firstRow<Key>(queryable, changeKeyStatement, [key.accountId, key.keyId, ...values]);
}

/** All keys of the account, or only those of one holder, of one team, or a single one. */
type RevokedKeys = Readonly<{
  accountId: string;
  userId?: string | undefined;
  teamId?: string | undefined;
  keyId?: string | undefined;
}>;

export function revokeKeys(queryable: Queryable, keys: RevokedKeys): Promise<Key[]> {
  const values = [keys.accountId, keys.userId ?? null, keys.teamId ?? null, keys.keyId ?? null];
  return queryable.query<Key>(revokeKeysStatement, values);
}
