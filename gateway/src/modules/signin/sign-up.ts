// Signing up. A user comes into being only when the link of the mail is used; until then there is a sign-up, with the
// password that was typed for it.

import type { Queryable } from '../../platform/db/database.ts';
import { accountExistsMail, verificationMail } from './mails.ts';
import type { SignInOptions } from './signin.ts';
import { findByMailbox, lockMailbox } from './store/credentials.ts';
import { dropSignUps, insertSignUp, takeSignUp } from './store/mailed-tokens.ts';
import { hashToken, newMailToken } from './token.ts';

const VERIFICATION_MS = 86_400_000;

export type NewSignUp = Readonly<{ email: string; emailNormalized: string; name: string; password: string }>;
export type ConfirmedSignUp = Readonly<{ email: string; emailNormalized: string; name: string; passwordHash: string }>;

/** Hashes the password and sends a mail in any case: neither the answer nor its delay tells whether there is an account. */
export async function signUp(request: NewSignUp, options: SignInOptions): Promise<void> {
  const { database, mailer, passwords, pepper, clock, siteUrl } = options;
  const { email, emailNormalized, name } = request;
  const passwordHash = await passwords.hash(request.password);
  await database.transaction(async (transaction) => {
    const owner = await findByMailbox(transaction, emailNormalized);
    if (owner !== null) {
      await mailer.send(accountExistsMail(owner.email, siteUrl()), transaction);
      return;
    }
    const token = newMailToken();
    const createdAtMs = clock.nowMs();
    await insertSignUp(transaction, {
      hash: hashToken(pepper, 'sign-up', token),
      email,
      emailNormalized,
      name,
      passwordHash,
      createdAtMs,
      expiresAtMs: createdAtMs + VERIFICATION_MS,
    });
    await mailer.send(verificationMail(email, siteUrl(), token), transaction);
  });
}

/** Null for a link that was used or has expired. The address is proven, so its other sign-ups are void. */
export async function confirmSignUp(
  queryable: Queryable,
  token: string,
  { pepper, clock }: SignInOptions,
): Promise<ConfirmedSignUp | null> {
  const row = await takeSignUp(queryable, hashToken(pepper, 'sign-up', token), clock.nowMs());
  if (row === null) return null;
  // Several spellings of one mailbox may have waited side by side.
  await lockMailbox(queryable, row.email_normalized);
  const owner = await findByMailbox(queryable, row.email_normalized);
  if (owner !== null && owner.email_normalized !== row.email_normalized) return null;
  await dropSignUps(queryable, row.email_normalized);
  return {
    email: row.email,
    emailNormalized: row.email_normalized,
    name: row.name,
    passwordHash: row.password_hash,
  };
}
