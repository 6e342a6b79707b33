// What a person signs in with: the password, and accounts at other sites. Nothing else in the program reads or writes
// these.

import { firstRow, hasRow, type Queryable, sql } from '../../../platform/db/database.ts';

/**
 * A condition of a statement that opens something for a person who has shown a password: it still is this one, and
 * stays so until the transaction ends. Null: no password was shown.
 */
export const stillHasPassword = (userId: string, passwordHash: string): string =>
  `(${passwordHash}::text IS NULL
    OR EXISTS (SELECT FROM users u WHERE u.id = ${userId} AND u.password_hash = ${passwordHash} FOR SHARE))`;

export type CredentialRow = Readonly<{
  id: string;
  email: string;
  email_normalized: string;
  password_hash: string | null;
  is_suspended: boolean;
}>;

const findByEmailStatement = sql(
  'signin_find_by_email',
  'SELECT id, email, email_normalized, password_hash, is_suspended FROM users WHERE email_normalized = $1',
);

/** A user with exactly this address comes first. */
const findByMailboxStatement = sql(
  'signin_find_by_mailbox',
  `SELECT id, email, email_normalized, password_hash, is_suspended FROM users
   WHERE mailbox_of(email_normalized) = mailbox_of($1)
   ORDER BY email_normalized <> $1, created_at LIMIT 1`,
);

const lockMailboxStatement = sql(
  'signin_lock_mailbox',
  'SELECT pg_advisory_xact_lock(hashtextextended(mailbox_of($1), 0))',
);

const findByIdStatement = sql(
  'signin_find_by_id',
  'SELECT id, email, email_normalized, password_hash, is_suspended FROM users WHERE id = $1',
);

const setPasswordStatement = sql('signin_set_password', 'UPDATE users SET password_hash = $2 WHERE id = $1');

const replacePasswordStatement = sql(
  'signin_replace_password',
  'UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2 RETURNING id',
);

const renameStatement = sql('signin_rename', 'UPDATE users SET name = $2 WHERE id = $1 RETURNING id, email, name');

const findExternalStatement = sql(
  'signin_find_external',
  `SELECT u.id, u.email, u.email_normalized, u.password_hash, u.is_suspended
   FROM external_logins e JOIN users u ON u.id = e.user_id
   WHERE e.provider = $1 AND e.subject = $2`,
);

const insertExternalStatement = sql(
  'signin_insert_external',
  `INSERT INTO external_logins (provider, subject, user_id) VALUES ($1, $2, $3)
   ON CONFLICT (provider, subject) DO NOTHING`,
);

export const findByEmail = (queryable: Queryable, emailNormalized: string): Promise<CredentialRow | null> =>
  firstRow(queryable, findByEmailStatement, [emailNormalized]);

/** Also finds a user by another spelling of the same mailbox. */
export const findByMailbox = (queryable: Queryable, emailNormalized: string): Promise<CredentialRow | null> =>
  firstRow(queryable, findByMailboxStatement, [emailNormalized]);

/** Until the transaction ends, no other account can be created with this mailbox. */
export async function lockMailbox(queryable: Queryable, emailNormalized: string): Promise<void> {
  await queryable.query(lockMailboxStatement, [emailNormalized]);
}

export const findById = (queryable: Queryable, userId: string): Promise<CredentialRow | null> =>
  firstRow(queryable, findByIdStatement, [userId]);

export async function setPasswordHash(queryable: Queryable, userId: string, passwordHash: string): Promise<void> {
  await queryable.query(setPasswordStatement, [userId, passwordHash]);
}

/** False when another password has been set since. */
export const replacePasswordHash = (
  queryable: Queryable,
  userId: string,
  { from, to }: Readonly<{ from: string; to: string }>,
): Promise<boolean> => hasRow(queryable, replacePasswordStatement, [userId, from, to]);

export type ProfileRow = Readonly<{ id: string; email: string; name: string }>;

export const renameUser = (queryable: Queryable, userId: string, name: string): Promise<ProfileRow | null> =>
  firstRow(queryable, renameStatement, [userId, name]);

/** An account at another site, by that site's own id of it. */
export type ExternalAccount = Readonly<{ provider: string; subject: string }>;

export const findByExternal = (queryable: Queryable, account: ExternalAccount): Promise<CredentialRow | null> =>
  firstRow(queryable, findExternalStatement, [account.provider, account.subject]);

export async function linkExternal(queryable: Queryable, account: ExternalAccount, userId: string): Promise<void> {
  await queryable.query(insertExternalStatement, [account.provider, account.subject, userId]);
}
