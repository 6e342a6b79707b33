// Passwords: compared, reset, changed, and set for the first time after a sign-up. A new password ends the sessions
// that the old one opened, and its owner is told by mail.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { accountExistsMail, passwordChangedMail, resetMail, verificationMail } from './mails.ts';
import type { Sessions } from './sessions.ts';
import * as credentials from './store/credentials.ts';
import * as mailedTokens from './store/mailed-tokens.ts';
import { hashToken, newMailToken } from './token.ts';

export type SignInOptions = Readonly<{
  database: Database;
  sessions: Sessions;
  mailer: Mailer;
  passwords: Passwords;
  /** The key of the tokens' hashes, derived for this purpose alone. */
  pepper: Buffer;
  clock: Clock;
  /** Without a trailing slash. */
  siteUrl(): string;
}>;

/** Longer than the longest wait between two mails, so that a mailbox always has one link that works. */
const RESET_MS = DAY_MS;

/** Slow hashes, which another module makes. Requests wait in the queue of their source. */
export type Passwords = Readonly<{
  hash(password: string, source: string): Promise<string>;
  /** Takes as long where nothing is stored. */
  verify(password: string, stored: string | null, source: string): Promise<boolean>;
}>;

export type KnownPerson = Readonly<{ userId: string; isSuspended: boolean; hasPassword: boolean }>;

export type PasswordCheck =
  | Readonly<{
      outcome: 'right';
      person: KnownPerson;
      /** Comparing takes long: what it opens is opened only while this is still stored. */
      passwordHash: string;
    }>
  | Readonly<{ outcome: 'wrong' }>;

export const toPerson = (row: credentials.CredentialRow): KnownPerson => ({
  userId: row.id,
  isSuspended: row.is_suspended,
  hasPassword: row.password_hash !== null,
});

export type ClaimedPassword = Readonly<{ emailNormalized: string; password: string; source: string }>;

/** Compares once, whatever is known of the address. */
export async function checkPassword(
  { emailNormalized, password, source }: ClaimedPassword,
  { database, passwords }: SignInOptions,
): Promise<PasswordCheck> {
  const row = await credentials.findByEmail(database, emailNormalized);
  const isRight = await passwords.verify(password, row?.password_hash ?? null, source);
  if (!isRight || row === null || row.password_hash === null) return { outcome: 'wrong' };
  return { outcome: 'right', person: toPerson(row), passwordHash: row.password_hash };
}

export type OwnPassword = Readonly<{ userId: string; password: string; source: string }>;

/** A person without a password is not asked for one. */
export async function isOwnPassword(
  { userId, password, source }: OwnPassword,
  { database, passwords }: SignInOptions,
): Promise<boolean> {
  const stored = (await credentials.findById(database, userId))?.password_hash ?? null;
  return stored === null || passwords.verify(password, stored, source);
}

/** The mail says what was asked for: a new password, or a sign-up with the address. */
export async function mailReset(
  emailNormalized: string,
  wish: 'new password' | 'sign-up',
  options: SignInOptions,
): Promise<void> {
  const { database, mailer, pepper, clock, siteUrl } = options;
  await database.transaction(async (transaction) => {
    const row = await credentials.findByMailbox(transaction, emailNormalized);
    if (row === null) return;
    const token = newMailToken();
    const hash = hashToken(pepper, 'reset', token);
    await mailedTokens.putReset(transaction, { userId: row.id, hash, expiresAtMs: clock.nowMs() + RESET_MS });
    const mailOf = wish === 'sign-up' ? accountExistsMail : resetMail;
    await mailer.send(mailOf(row.email, siteUrl(), token), transaction);
  });
}

export type NewPassword = Readonly<{ token: string; password: string; source: string }>;

/** The address whose password was reset, in its normal form; null for a link that was used or has expired. */
export async function resetPassword(
  { token, password, source }: NewPassword,
  options: SignInOptions,
): Promise<string | null> {
  const { database, sessions, mailer, passwords, pepper, clock, siteUrl } = options;
  const hash = hashToken(pepper, 'reset', token);
  if (!(await mailedTokens.isResetKnown(database, hash, clock.nowMs()))) return null;
  // Outside the transaction: waiting in the queue for a hash must not occupy a database connection.
  const passwordHash = await passwords.hash(password, source);
  const row = await database.transaction(async (transaction) => {
    const userId = await mailedTokens.takeReset(transaction, hash, clock.nowMs());
    const owner = userId === null ? null : await credentials.findById(transaction, userId);
    if (owner === null) return null;
    await credentials.setPasswordHash(transaction, owner.id, passwordHash);
    await mailedTokens.dropReset(transaction, owner.id);
    await mailedTokens.dropSignUps(transaction, owner.email_normalized);
    await sessions.endAllIn(transaction, owner.id, null);
    await mailer.send(passwordChangedMail(owner.email, siteUrl()), transaction);
    return owner;
  });
  if (row === null) return null;
  await sessions.announce(row.id);
  return row.email_normalized;
}

export type PasswordChange = Readonly<{
  userId: string;
  /** The session that stays open. */
  sessionId: string;
  currentPassword: string;
  newPassword: string;
  source: string;
}>;

/** False when the current password is wrong, or there is none yet. */
export async function changePassword(change: PasswordChange, options: SignInOptions): Promise<boolean> {
  const { database, sessions, mailer, passwords, siteUrl } = options;
  const { userId, sessionId, source } = change;
  const row = await credentials.findById(database, userId);
  const stored = row?.password_hash ?? null;
  if (row === null || stored === null || !(await passwords.verify(change.currentPassword, stored, source))) {
    return false;
  }
  const passwordHash = await passwords.hash(change.newPassword, source);
  const isChanged = await database.transaction(async (transaction) => {
    // Both hashes take long, and meanwhile the owner may have set another password by mail.
    if (!(await credentials.replacePasswordHash(transaction, userId, { from: stored, to: passwordHash }))) return false;
    await sessions.endAllIn(transaction, userId, sessionId);
    await mailedTokens.dropReset(transaction, userId);
    await mailer.send(passwordChangedMail(row.email, siteUrl()), transaction);
    return true;
  });
  if (isChanged) await sessions.announce(userId);
  return isChanged;
}

// Signing up. A user is created only when the link in the mail is opened, with the password that is set there: the
// person who typed the address before has proven nothing, and nothing of theirs is kept.

/** Longer than the longest wait between two mails, so that a mailbox always has one link that works. */
const VERIFICATION_MS = DAY_MS;

export type NewSignUp = Readonly<{ email: string; emailNormalized: string; name: string }>;
export type ConfirmedSignUp = NewSignUp;

/** False where the mailbox has an account: its owner is told by mail, and the answer to the client is the same. */
export async function signUp(request: NewSignUp, options: SignInOptions): Promise<boolean> {
  const { database, mailer, pepper, clock, siteUrl } = options;
  const { email, emailNormalized, name } = request;
  return database.transaction(async (transaction) => {
    if ((await credentials.findByMailbox(transaction, emailNormalized)) !== null) return false;
    const token = newMailToken();
    const createdAtMs = clock.nowMs();
    await mailedTokens.insertSignUp(transaction, {
      hash: hashToken(pepper, 'sign-up', token),
      email,
      emailNormalized,
      name,
      createdAtMs,
      expiresAtMs: createdAtMs + VERIFICATION_MS,
    });
    await mailer.send(verificationMail(email, siteUrl(), token), transaction);
    return true;
  });
}

/** Whether a link may still be used, checked before a password is hashed for it. */
export const isWaiting = (token: string, { database, pepper, clock }: SignInOptions): Promise<boolean> =>
  mailedTokens.isSignUpKnown(database, hashToken(pepper, 'sign-up', token), clock.nowMs());

/** Null for a link that was used or has expired. The address is verified now, so its other sign-ups become void. */
export async function confirmSignUp(
  queryable: Queryable,
  token: string,
  { pepper, clock }: SignInOptions,
): Promise<ConfirmedSignUp | null> {
  const row = await mailedTokens.takeSignUp(queryable, hashToken(pepper, 'sign-up', token), clock.nowMs());
  if (row === null) return null;
  // Several spellings of one mailbox may have been waiting.
  await credentials.lockMailbox(queryable, row.email_normalized);
  const owner = await credentials.findByMailbox(queryable, row.email_normalized);
  if (owner !== null && owner.email_normalized !== row.email_normalized) return null;
  await mailedTokens.dropSignUps(queryable, row.email_normalized);
  return { email: row.email, emailNormalized: row.email_normalized, name: row.name };
}
