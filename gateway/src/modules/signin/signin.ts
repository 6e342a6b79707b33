// How people sign in: passwords, mailed links, accounts at other sites. The account that pays is not opened here; the
// code that confirms a sign-up does both in one transaction.

import type { Queryable } from '../../platform/db/database.ts';
import {
  type ClaimedPassword,
  type ConfirmedSignUp,
  changePassword,
  checkPassword,
  confirmSignUp,
  isOwnPassword,
  isWaiting,
  type KnownPerson,
  mailReset,
  type NewPassword,
  type NewSignUp,
  type OwnPassword,
  type PasswordChange,
  type PasswordCheck,
  resetPassword,
  type SignInOptions,
  signUp,
  toPerson,
} from './password-flows.ts';
import * as credentials from './store/credentials.ts';
import { dropForeignResets, dropSignUps, forgetExpiredTokens } from './store/mailed-tokens.ts';

export type SignIn = Readonly<{
  /** Mails a link to an address that has no account yet; false where there is one. */
  signUp(request: NewSignUp): Promise<boolean>;
  /** The hash of a first password; null for a link that was used or has expired. */
  hashForSignUp(first: NewPassword): Promise<string | null>;
  /** Null for a link that was used or has expired. */
  confirmSignUp(queryable: Queryable, token: string): Promise<ConfirmedSignUp | null>;
  findByEmail(queryable: Queryable, emailNormalized: string): Promise<KnownPerson | null>;
  findByExternal(queryable: Queryable, account: credentials.ExternalAccount): Promise<KnownPerson | null>;
  linkExternal(queryable: Queryable, account: credentials.ExternalAccount, userId: string): Promise<void>;
  setPasswordHash(queryable: Queryable, userId: string, passwordHash: string): Promise<void>;
  /** The address was verified by other means: earlier sign-ups with it can no longer be confirmed. */
  dropSignUps(queryable: Queryable, emailNormalized: string): Promise<void>;
  /** The user is about to get this address: links that were mailed to another one no longer work. */
  dropForeignResets(queryable: Queryable, userId: string, emailNormalized: string): Promise<void>;
  /** Costs one comparison of passwords, whatever is known of the address. */
  checkPassword(claimed: ClaimedPassword): Promise<PasswordCheck>;
  /** True also for a person without a password. */
  isOwnPassword(own: OwnPassword): Promise<boolean>;
  /** Sends a mail where the address has an account. */
  mailReset(emailNormalized: string, wish: 'new password' | 'sign-up'): Promise<void>;
  /** The address whose password was reset, in its normal form; null for a link that was used or has expired. */
  resetPassword(next: NewPassword): Promise<string | null>;
  /** False when the current password is wrong. Other sessions end. */
  changePassword(change: PasswordChange): Promise<boolean>;
  rename(userId: string, name: string): Promise<credentials.ProfileRow | null>;
  forgetExpired(): Promise<void>;
}>;

export function createSignIn(options: SignInOptions): SignIn {
  const { database, clock } = options;
  return {
    signUp: (request) => signUp(request, options),
    hashForSignUp: async ({ token, password, source }) =>
      (await isWaiting(token, options)) ? options.passwords.hash(password, source) : null,
    dropSignUps,
    dropForeignResets,
    confirmSignUp: (queryable, token) => confirmSignUp(queryable, token, options),
    async findByEmail(queryable, emailNormalized) {
      const row = await credentials.findByEmail(queryable, emailNormalized);
      return row === null ? null : toPerson(row);
    },
    async findByExternal(queryable, account) {
      const row = await credentials.findByExternal(queryable, account);
      return row === null ? null : toPerson(row);
    },
    linkExternal: credentials.linkExternal,
    setPasswordHash: credentials.setPasswordHash,
    checkPassword: (claimed) => checkPassword(claimed, options),
    isOwnPassword: (own) => isOwnPassword(own, options),
    mailReset: (emailNormalized, wish) => mailReset(emailNormalized, wish, options),
    resetPassword: (next) => resetPassword(next, options),
    changePassword: (change) => changePassword(change, options),
    rename: (userId, name) => credentials.renameUser(database, userId, name),
    forgetExpired: () => forgetExpiredTokens(database, clock.nowMs()),
  };
}
