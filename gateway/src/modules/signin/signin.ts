// How people prove who they are: passwords, mailed links, accounts at other sites. Opening the account that pays is not
// done here; whoever confirms a sign-up does both in one transaction.

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
import { dropSignUps, forgetExpiredTokens } from './store/mailed-tokens.ts';
import { newMailToken } from './token.ts';

export type SignIn = Readonly<{
  /** Mails a link to an address that has no account yet; false where there is one. */
  signUp(request: NewSignUp): Promise<boolean>;
  /** That somebody wants to sign up with the address of an account. */
  /** The hash of a first password; null for a link that was used or has expired. */
  hashForSignUp(first: NewPassword): Promise<string | null>;
  /** Null for a link that was used or has expired. */
  confirmSignUp(queryable: Queryable, token: string): Promise<ConfirmedSignUp | null>;
  findByEmail(queryable: Queryable, emailNormalized: string): Promise<KnownPerson | null>;
  findByExternal(queryable: Queryable, account: credentials.ExternalAccount): Promise<KnownPerson | null>;
  linkExternal(queryable: Queryable, account: credentials.ExternalAccount, userId: string): Promise<void>;
  setPasswordHash(queryable: Queryable, userId: string, passwordHash: string): Promise<void>;
  /** An address was proven by other means: whoever signed up with it before may no longer confirm it. */
  dropSignUps(queryable: Queryable, emailNormalized: string): Promise<void>;
  /** Costs one comparison of passwords whatever is known of the address. */
  checkPassword(claimed: ClaimedPassword): Promise<PasswordCheck>;
  /** True also where there is none. */
  isOwnPassword(own: OwnPassword): Promise<boolean>;
  /** Sends a mail where the address has an account. */
  mailReset(emailNormalized: string, wish: 'new password' | 'sign-up'): Promise<void>;
  /** The address whose password is new, in its normal form; null for a link that was used or has expired. */
  resetPassword(next: NewPassword): Promise<string | null>;
  /** False when the current password is another one. Other sessions end. */
  changePassword(change: PasswordChange): Promise<boolean>;
  rename(userId: string, name: string): Promise<credentials.ProfileRow | null>;
  forgetExpired(): Promise<void>;
}>;

export async function createSignIn(options: SignInOptions): Promise<SignIn> {
  const { database, clock } = options;
  // What a password is compared with where there is none, so that the comparison takes as long as any.
  const nobodysHash = await options.passwords.hash(newMailToken(), 'start');
  return {
    signUp: (request) => signUp(request, options),
    hashForSignUp: async ({ token, password, source }) =>
      (await isWaiting(token, options)) ? options.passwords.hash(password, source) : null,
    dropSignUps,
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
    checkPassword: (claimed) => checkPassword(claimed, nobodysHash, options),
    isOwnPassword: (own) => isOwnPassword(own, options),
    mailReset: (emailNormalized, wish) => mailReset(emailNormalized, wish, options),
    resetPassword: (next) => resetPassword(next, options),
    changePassword: (change) => changePassword(change, options),
    rename: (userId, name) => credentials.renameUser(database, userId, name),
    forgetExpired: () => forgetExpiredTokens(database, clock.nowMs()),
  };
}
