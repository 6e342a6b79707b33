// The statements on users and keys. A key is always read together with its user and its organization, because a
// suspension of either stops the key.

import type { KeyType } from '../../canonical/caller.ts';
import { type Queryable, sql } from '../../platform/db/database.ts';

export type UserRow = Readonly<{
  id: string;
  email: string;
  name: string;
  is_suspended: boolean;
  created_at: Date;
}>;

export type KeyRow = Readonly<{
  id: string;
  name: string;
  key_type: KeyType;
  user_id: string;
  account_id: string;
  prefix: string;
  suffix: string;
  is_enabled: boolean;
  revoked_at: Date | null;
  expires_at: Date | null;
  spend_limit_nano_usd: bigint | null;
  spend_limit_period: string | null;
  allowed_cidrs: string[];
  created_at: Date;
}>;

export type BreakerRow = Readonly<{
  is_enabled: boolean | null;
  minute_nano_usd: bigint | null;
  hour_nano_usd: bigint | null;
  enabled_at: Date;
}>;

export type CallerRow = KeyRow &
  Readonly<{
    is_suspended: boolean;
    spend_limit_since: Date;
    breaker_is_enabled: boolean | null;
    breaker_minute_nano_usd: bigint | null;
    breaker_hour_nano_usd: bigint | null;
    breaker_enabled_at: Date | null;
  }>;

const insertUserStatement = sql(
  'identity_insert_user',
  `INSERT INTO users (id, email, email_normalized, name, password_hash)
   VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (email_normalized) DO NOTHING
   RETURNING id, email, name, is_suspended, created_at`,
);

const findUserStatement = sql(
  'identity_find_user',
  'SELECT id, email, name, is_suspended, created_at FROM users WHERE id = $1',
);

const setSuspendedStatement = sql(
  'identity_set_suspended',
  'UPDATE users SET is_suspended = $2 WHERE id = $1 RETURNING id, email, name, is_suspended, created_at',
);

const KEY_COLUMNS = `k.id, k.name, k.key_type, k.user_id, k.account_id, k.prefix, k.suffix, k.is_enabled, k.revoked_at,
  k.expires_at, k.spend_limit_nano_usd, k.spend_limit_period, k.allowed_cidrs, k.created_at`;

const insertKeyStatement = sql(
  'identity_insert_key',
  `INSERT INTO api_keys AS k
     (id, hash, name, key_type, user_id, account_id, prefix, suffix, expires_at, allowed_cidrs)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   RETURNING ${KEY_COLUMNS}`,
);

const findCallerStatement = sql(
  'identity_find_caller',
  `SELECT ${KEY_COLUMNS}, u.is_suspended OR coalesce(o.is_suspended, false) AS is_suspended, k.spend_limit_since,
     b.is_enabled AS breaker_is_enabled, b.minute_nano_usd AS breaker_minute_nano_usd,
     b.hour_nano_usd AS breaker_hour_nano_usd, b.enabled_at AS breaker_enabled_at
   FROM api_keys k JOIN users u ON u.id = k.user_id LEFT JOIN organizations o ON o.id = k.account_id
     LEFT JOIN user_breakers b ON b.user_id = k.user_id
   WHERE k.hash = $1`,
);

const findKeyStatement = sql(
  'identity_find_key',
  `SELECT ${KEY_COLUMNS} FROM api_keys k WHERE k.id = $1 AND k.user_id = $2`,
);

const setEnabledStatement = sql(
  'identity_set_key_enabled',
  'UPDATE api_keys SET is_enabled = $3 WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id',
);

const revokeKeyStatement = sql(
  'identity_revoke_key',
  'UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL RETURNING id',
);

const findBreakerStatement = sql(
  'identity_find_breaker',
  'SELECT is_enabled, minute_nano_usd, hour_nano_usd, enabled_at FROM user_breakers WHERE user_id = $1',
);

// A field whose flag is false keeps its value. Whoever switches the breaker on is counted for from then on.
const changeBreakerStatement = sql(
  'identity_change_breaker',
  `INSERT INTO user_breakers AS b (user_id, is_enabled, minute_nano_usd, hour_nano_usd)
   VALUES ($1, $3, $5, $7)
   ON CONFLICT (user_id) DO UPDATE SET
     is_enabled = CASE WHEN $2 THEN excluded.is_enabled ELSE b.is_enabled END,
     minute_nano_usd = CASE WHEN $4 THEN excluded.minute_nano_usd ELSE b.minute_nano_usd END,
     hour_nano_usd = CASE WHEN $6 THEN excluded.hour_nano_usd ELSE b.hour_nano_usd END,
     enabled_at = CASE WHEN $2 AND excluded.is_enabled AND NOT coalesce(b.is_enabled, false) THEN now()
                       ELSE b.enabled_at END
   RETURNING is_enabled, minute_nano_usd, hour_nano_usd, enabled_at`,
);

export type NewUserRow = Readonly<{
  id: string;
  email: string;
  emailNormalized: string;
  name: string;
  passwordHash: string | null;
}>;

/** Null when the address is taken. */
export async function insertUser(queryable: Queryable, user: NewUserRow): Promise<UserRow | null> {
  const values = [user.id, user.email, user.emailNormalized, user.name, user.passwordHash];
  const [row] = await queryable.query<UserRow>(insertUserStatement, values);
  return row ?? null;
}

export async function findUser(queryable: Queryable, userId: string): Promise<UserRow | null> {
  const [row] = await queryable.query<UserRow>(findUserStatement, [userId]);
  return row ?? null;
}

export async function setSuspended(
  queryable: Queryable,
  userId: string,
  isSuspended: boolean,
): Promise<UserRow | null> {
  const [row] = await queryable.query<UserRow>(setSuspendedStatement, [userId, isSuspended]);
  return row ?? null;
}

export type NewKeyRow = Readonly<{
  id: string;
  hash: Buffer;
  name: string;
  keyType: KeyType;
  userId: string;
  accountId: string;
  prefix: string;
  suffix: string;
  expiresAtMs: number | null;
  allowedCidrs: readonly string[];
}>;

export async function insertKey(queryable: Queryable, key: NewKeyRow): Promise<KeyRow | null> {
  const [row] = await queryable.query<KeyRow>(insertKeyStatement, [
    key.id,
    key.hash,
    key.name,
    key.keyType,
    key.userId,
    key.accountId,
    key.prefix,
    key.suffix,
    key.expiresAtMs === null ? null : new Date(key.expiresAtMs),
    key.allowedCidrs,
  ]);
  return row ?? null;
}

export async function findCallerByHash(queryable: Queryable, hash: Buffer): Promise<CallerRow | null> {
  const [row] = await queryable.query<CallerRow>(findCallerStatement, [hash]);
  return row ?? null;
}

export async function findKey(queryable: Queryable, userId: string, keyId: string): Promise<KeyRow | null> {
  const [row] = await queryable.query<KeyRow>(findKeyStatement, [keyId, userId]);
  return row ?? null;
}

export type KeySwitch = Readonly<{ userId: string; keyId: string; isEnabled: boolean }>;

/** False when the user has no such key. */
export async function setKeyEnabled(queryable: Queryable, change: KeySwitch): Promise<boolean> {
  const rows = await queryable.query(setEnabledStatement, [change.keyId, change.userId, change.isEnabled]);
  return rows.length === 1;
}

export async function revokeKey(queryable: Queryable, userId: string, keyId: string): Promise<boolean> {
  const rows = await queryable.query(revokeKeyStatement, [keyId, userId]);
  return rows.length === 1;
}

export async function findBreaker(queryable: Queryable, userId: string): Promise<BreakerRow | null> {
  const [row] = await queryable.query<BreakerRow>(findBreakerStatement, [userId]);
  return row ?? null;
}

/** A field that is left out stays as it is; null takes the platform's default. */
export type BreakerChange = Readonly<{
  isEnabled?: boolean | null;
  minuteNanoUsd?: bigint | null;
  hourNanoUsd?: bigint | null;
}>;

export async function changeBreaker(
  queryable: Queryable,
  userId: string,
  change: BreakerChange,
): Promise<BreakerRow | null> {
  const fields = [change.isEnabled, change.minuteNanoUsd, change.hourNanoUsd];
  const values = fields.flatMap((value) => [value !== undefined, value ?? null]);
  const [row] = await queryable.query<BreakerRow>(changeBreakerStatement, [userId, ...values]);
  return row ?? null;
}
