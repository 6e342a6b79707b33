// Sign-ups and password resets that wait for the link in their mail. Taking one removes it, so that a link works once,
// however often it is pressed.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';
import { forgetting } from '../../../platform/db/forget.ts';

type SignUpRow = Readonly<{ email: string; email_normalized: string; name: string }>;

const insertSignUpStatement = sql(
  'signin_insert_sign_up',
  `INSERT INTO sign_ups (hash, email, email_normalized, name, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6)`,
);

const isSignUpKnownStatement = sql(
  'signin_is_sign_up_known',
  'SELECT hash FROM sign_ups WHERE hash = $1 AND expires_at > $2',
);

const takeSignUpStatement = sql(
  'signin_take_sign_up',
  `DELETE FROM sign_ups WHERE hash = $1 AND expires_at > $2 RETURNING email, email_normalized, name`,
);

const dropSignUpsStatement = sql('signin_drop_sign_ups', 'DELETE FROM sign_ups WHERE email_normalized = $1');

const putResetStatement = sql(
  'signin_put_reset',
  'INSERT INTO password_resets (user_id, hash, expires_at) VALUES ($1, $2, $3)',
);

const isResetKnownStatement = sql(
  'signin_is_reset_known',
  'SELECT user_id FROM password_resets WHERE hash = $1 AND expires_at > $2',
);

const takeResetStatement = sql(
  'signin_take_reset',
  'DELETE FROM password_resets WHERE hash = $1 AND expires_at > $2 RETURNING user_id',
);

const dropResetStatement = sql('signin_drop_reset', 'DELETE FROM password_resets WHERE user_id = $1');

const dropForeignResetsStatement = sql(
  'signin_drop_foreign_resets',
  `DELETE FROM password_resets r USING users u
   WHERE r.user_id = $1 AND u.id = r.user_id AND u.email_normalized <> $2`,
);

const forgetSignUps = forgetting('signin_forget_sign_ups', 'sign_ups', 'expires_at <= $1');

const forgetResets = forgetting('signin_forget_resets', 'password_resets', 'expires_at <= $1');

type NewSignUpRow = Readonly<{
  hash: Buffer;
  email: string;
  emailNormalized: string;
  name: string;
  createdAtMs: number;
  expiresAtMs: number;
}>;

export async function insertSignUp(queryable: Queryable, signUp: NewSignUpRow): Promise<void> {
  await queryable.query(insertSignUpStatement, [
    signUp.hash,
    signUp.email,
    signUp.emailNormalized,
    signUp.name,
    new Date(signUp.createdAtMs),
    new Date(signUp.expiresAtMs),
  ]);
}

export const isSignUpKnown = (queryable: Queryable, hash: Buffer, nowMs: number): Promise<boolean> =>
  hasRow(queryable, isSignUpKnownStatement, [hash, new Date(nowMs)]);

export const takeSignUp = (queryable: Queryable, hash: Buffer, nowMs: number): Promise<SignUpRow | null> =>
  firstRow(queryable, takeSignUpStatement, [hash, new Date(nowMs)]);

export async function dropSignUps(queryable: Queryable, emailNormalized: string): Promise<void> {
  await queryable.query(dropSignUpsStatement, [emailNormalized]);
}

type NewResetRow = Readonly<{ userId: string; hash: Buffer; expiresAtMs: number }>;

export async function putReset(queryable: Queryable, reset: NewResetRow): Promise<void> {
  await queryable.query(putResetStatement, [reset.userId, reset.hash, new Date(reset.expiresAtMs)]);
}

export const isResetKnown = (queryable: Queryable, hash: Buffer, nowMs: number): Promise<boolean> =>
  hasRow(queryable, isResetKnownStatement, [hash, new Date(nowMs)]);

/** The user whose password may be set, or null. */
export async function takeReset(queryable: Queryable, hash: Buffer, nowMs: number): Promise<string | null> {
  const [row] = await queryable.query<{ user_id: string }>(takeResetStatement, [hash, new Date(nowMs)]);
  return row?.user_id ?? null;
}

export async function dropReset(queryable: Queryable, userId: string): Promise<void> {
  await queryable.query(dropResetStatement, [userId]);
}

/** Of a user who is about to get this address, unless it is theirs already. */
export async function dropForeignResets(queryable: Queryable, userId: string, emailNormalized: string): Promise<void> {
  await queryable.query(dropForeignResetsStatement, [userId, emailNormalized]);
}

export async function forgetExpiredTokens(queryable: Queryable, nowMs: number): Promise<void> {
  await forgetSignUps(queryable, [new Date(nowMs)]);
  await forgetResets(queryable, [new Date(nowMs)]);
}
