// The statements on second factors. Every condition names the user but one: the step of a sign-in, which the hash of
// its token finds.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';
import { stillHasPassword } from './credentials.ts';

type TotpRow = Readonly<{ secret: string; isConfirmed: boolean }>;

export type PasskeyRow = Readonly<{
  id: string;
  credentialId: string;
  publicKey: Buffer;
  signCount: bigint;
  transports: readonly string[];
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
}>;

export type StepPurpose = 'sign_in' | 'new_passkey';
type StepRow = Readonly<{ userId: string; challenge: string | null }>;

const findTotpStatement = sql(
  'factors_find_totp',
  'SELECT secret, confirmed_at IS NOT NULL AS "isConfirmed" FROM totp_secrets WHERE user_id = $1',
);

// A confirmed one stays until it is removed.
const putTotpStatement = sql(
  'factors_put_totp',
  `INSERT INTO totp_secrets (user_id, secret, created_at) VALUES ($1, $2, $3)
   ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at, last_step = 0
   WHERE totp_secrets.confirmed_at IS NULL
   RETURNING user_id`,
);

const useTotpStatement = sql(
  'factors_use_totp',
  `UPDATE totp_secrets SET last_step = $2, confirmed_at = coalesce(confirmed_at, $3)
   WHERE user_id = $1 AND last_step < $2 AND (confirmed_at IS NOT NULL) = $4
   RETURNING user_id`,
);

const dropTotpStatement = sql('factors_drop_totp', 'DELETE FROM totp_secrets WHERE user_id = $1');

const dropCodesStatement = sql('factors_drop_codes', 'DELETE FROM recovery_codes WHERE user_id = $1');

const putCodesStatement = sql(
  'factors_put_codes',
  'INSERT INTO recovery_codes (user_id, hash) SELECT $1, unnest($2::bytea[])',
);

const takeCodeStatement = sql(
  'factors_take_code',
  'DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2 RETURNING user_id',
);

const countCodesStatement = sql(
  'factors_count_codes',
  'SELECT count(*)::int AS codes FROM recovery_codes WHERE user_id = $1',
);

const listPasskeysStatement = sql(
  'factors_list_passkeys',
  `SELECT id, credential_id AS "credentialId", public_key AS "publicKey", sign_count AS "signCount", transports, name,
     created_at AS "createdAt", last_used_at AS "lastUsedAt"
   FROM passkeys
   WHERE user_id = $1
   ORDER BY created_at, id`,
);

const insertPasskeyStatement = sql(
  'factors_insert_passkey',
  `INSERT INTO passkeys (credential_id, id, user_id, public_key, sign_count, transports, name, created_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8
   WHERE (SELECT count(*) FROM passkeys WHERE user_id = $3) < $9::int
   ON CONFLICT DO NOTHING
   RETURNING id`,
);

// A counter that does not grow shows a copy of the authenticator; authenticators that do not count stay at zero.
const usePasskeyStatement = sql(
  'factors_use_passkey',
  `UPDATE passkeys SET sign_count = $3, last_used_at = $4
   WHERE user_id = $1 AND id = $2 AND (sign_count < $3 OR (sign_count = 0 AND $3 = 0))
   RETURNING id`,
);

const dropPasskeyStatement = sql(
  'factors_drop_passkey',
  'DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING id',
);

const dropPasskeysStatement = sql('factors_drop_passkeys', 'DELETE FROM passkeys WHERE user_id = $1');

const insertStepStatement = sql(
  'factors_insert_step',
  `INSERT INTO second_steps (hash, user_id, purpose, challenge, expires_at, sign_on_org_id, refresh_token)
   SELECT $1, $2, $3, $4, $5::timestamptz, $6, $7
   WHERE ${stillHasPassword('$2', '$8')}
   RETURNING hash`,
);

const trimStepsStatement = sql(
  'factors_trim_steps',
  `DELETE FROM second_steps
   WHERE user_id = $1 AND hash IN (
     SELECT hash FROM second_steps WHERE user_id = $1 ORDER BY expires_at DESC OFFSET $2
   )`,
);

const findStepStatement = sql(
  'factors_find_step',
  `SELECT user_id AS "userId", challenge FROM second_steps WHERE hash = $1 AND purpose = $2 AND expires_at > $3`,
);

const challengeStepStatement = sql(
  'factors_challenge_step',
  'UPDATE second_steps SET challenge = $2 WHERE hash = $1 RETURNING user_id',
);

// A challenge is used once.
const takeChallengeStatement = sql(
  'factors_take_challenge',
  `UPDATE second_steps s SET challenge = NULL FROM second_steps before
   WHERE s.hash = $1 AND before.hash = s.hash AND s.purpose = $2 AND s.expires_at > $3 AND s.challenge IS NOT NULL
   RETURNING before.user_id AS "userId", before.challenge`,
);

const dropStepStatement = sql(
  'factors_drop_step',
  'DELETE FROM second_steps WHERE hash = $1 RETURNING sign_on_org_id AS "orgId", refresh_token AS "refreshToken"',
);

const forgetSteps = forgetting('factors_forget_steps', 'second_steps', 'expires_at <= $1');

export const findTotp = (queryable: Queryable, userId: string): Promise<TotpRow | null> =>
  firstRow(queryable, findTotpStatement, [userId]);

type NewTotpRow = Readonly<{ userId: string; secret: string; createdAtMs: number }>;

/** False when there is a confirmed one. */
export const putTotp = (queryable: Queryable, { userId, secret, createdAtMs }: NewTotpRow): Promise<boolean> =>
  hasRow(queryable, putTotpStatement, [userId, secret, new Date(createdAtMs)]);

type UsedTotp = Readonly<{ userId: string; step: bigint; nowMs: number; isConfirmed: boolean }>;

/** False for a code that was used before. */
export const useTotp = (queryable: Queryable, { userId, step, nowMs, isConfirmed }: UsedTotp): Promise<boolean> =>
  hasRow(queryable, useTotpStatement, [userId, step, new Date(nowMs), isConfirmed]);

export async function dropTotp(queryable: Queryable, userId: string): Promise<void> {
  await queryable.query(dropTotpStatement, [userId]);
}

/** Replaces the existing ones. */
export async function putCodes(queryable: Queryable, userId: string, hashes: readonly Buffer[]): Promise<void> {
  await queryable.query(dropCodesStatement, [userId]);
  await queryable.query(putCodesStatement, [userId, hashes]);
}

export async function dropCodes(queryable: Queryable, userId: string): Promise<void> {
  await queryable.query(dropCodesStatement, [userId]);
}

export const takeCode = (queryable: Queryable, userId: string, hash: Buffer): Promise<boolean> =>
  hasRow(queryable, takeCodeStatement, [userId, hash]);

export async function countCodes(queryable: Queryable, userId: string): Promise<number> {
  const [row] = await queryable.query<{ codes: number }>(countCodesStatement, [userId]);
  return row?.codes ?? 0;
}

export const listPasskeys = (queryable: Queryable, userId: string): Promise<PasskeyRow[]> =>
  queryable.query<PasskeyRow>(listPasskeysStatement, [userId]);

type NewPasskeyRow = Omit<PasskeyRow, 'lastUsedAt'> & Readonly<{ userId: string }>;

/** False when it is stored already, or the user has too many. */
export async function insertPasskey(queryable: Queryable, row: NewPasskeyRow, keptMax: number): Promise<boolean> {
  const { credentialId, id, userId, publicKey, signCount, transports, name, createdAt } = row;
  const values = [credentialId, id, userId, publicKey, signCount, transports, name, createdAt, keptMax];
  return hasRow(queryable, insertPasskeyStatement, values);
}

type UsedPasskey = Readonly<{ userId: string; id: string; signCount: bigint; nowMs: number }>;

/** False when its counter went back. */
export async function usePasskey(queryable: Queryable, used: UsedPasskey): Promise<boolean> {
  const values = [used.userId, used.id, used.signCount, new Date(used.nowMs)];
  return hasRow(queryable, usePasskeyStatement, values);
}

export const dropPasskey = (queryable: Queryable, userId: string, id: string): Promise<boolean> =>
  hasRow(queryable, dropPasskeyStatement, [userId, id]);

export async function dropPasskeys(queryable: Queryable, userId: string): Promise<void> {
  await queryable.query(dropPasskeysStatement, [userId]);
}

type NewStepRow = Readonly<{
  hash: Buffer;
  userId: string;
  purpose: StepPurpose;
  challenge: string | null;
  expiresAtMs: number;
  signOn: StepSignOn | null;
  /** Of the password that was shown. */
  passwordHash: string | null;
}>;

/** What an issuer has already authenticated. */
export type StepSignOn = Readonly<{ orgId: string; refreshToken: string | null }>;

/** False when the person has another password by now. */
export async function insertStep(queryable: Queryable, step: NewStepRow, keptMax: number): Promise<boolean> {
  const { hash, userId, purpose, challenge, expiresAtMs, signOn, passwordHash } = step;
  const values = [
    hash,
    userId,
    purpose,
    challenge,
    new Date(expiresAtMs),
    signOn?.orgId ?? null,
    signOn?.refreshToken ?? null,
    passwordHash,
  ];
  const isBegun = await hasRow(queryable, insertStepStatement, values);
  if (isBegun) await queryable.query(trimStepsStatement, [userId, keptMax]);
  return isBegun;
}

type SoughtStep = Readonly<{ hash: Buffer; purpose: StepPurpose; nowMs: number }>;

export const findStep = (queryable: Queryable, { hash, purpose, nowMs }: SoughtStep): Promise<StepRow | null> =>
  firstRow(queryable, findStepStatement, [hash, purpose, new Date(nowMs)]);

export async function challengeStep(queryable: Queryable, hash: Buffer, challenge: string): Promise<void> {
  await queryable.query(challengeStepStatement, [hash, challenge]);
}

/** The step with its challenge, which is removed. */
export const takeChallenge = (queryable: Queryable, { hash, purpose, nowMs }: SoughtStep): Promise<StepRow | null> =>
  firstRow(queryable, takeChallengeStatement, [hash, purpose, new Date(nowMs)]);

export type EndedStep = Readonly<{ signOn: StepSignOn | null }>;

/** Null for a step that was used before. */
export async function dropStep(queryable: Queryable, hash: Buffer): Promise<EndedStep | null> {
  type Row = Readonly<{ orgId: string | null; refreshToken: string | null }>;
  const [row] = await queryable.query<Row>(dropStepStatement, [hash]);
  if (row === undefined) return null;
  return { signOn: row.orgId === null ? null : { orgId: row.orgId, refreshToken: row.refreshToken } };
}

export async function forgetExpiredSteps(queryable: Queryable, nowMs: number): Promise<void> {
  await forgetSteps(queryable, [new Date(nowMs)]);
}
