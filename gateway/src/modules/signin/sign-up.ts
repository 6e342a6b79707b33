// Signing up. A user comes into being only when the link of the mail is opened, and with the password that is set there:
// whoever typed the address before has proven nothing and leaves nothing behind.

import type { Queryable } from '../../platform/db/database.ts';
import { verificationMail } from './mails.ts';
import type { SignInOptions } from './signin.ts';
import { findByMailbox, lockMailbox } from './store/credentials.ts';
import { dropSignUps, insertSignUp, isSignUpKnown, takeSignUp } from './store/mailed-tokens.ts';
import { hashToken, newMailToken } from './token.ts';

/** Longer than a mailbox ever waits for the next link, so that there is always one in it that works. */
const VERIFICATION_MS = 86_400_000;

export type NewSignUp = Readonly<{ email: string; emailNormalized: string; name: string }>;
export type ConfirmedSignUp = NewSignUp;

/** False where the mailbox has an account: its owner is told, which the answer does not show. */
export async function signUp(request: NewSignUp, options: SignInOptions): Promise<boolean> {
  const { database, mailer, pepper, clock, siteUrl } = options;
  const { email, emailNormalized, name } = request;
  return database.transaction(async (transaction) => {
    if ((await findByMailbox(transaction, emailNormalized)) !== null) return false;
    const token = newMailToken();
    const createdAtMs = clock.nowMs();
    await insertSignUp(transaction, {
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

/** Whether a link may still be used, before a password is hashed for it. */
export const isWaiting = (token: string, { database, pepper, clock }: SignInOptions): Promise<boolean> =>
  isSignUpKnown(database, hashToken(pepper, 'sign-up', token), clock.nowMs());

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
  return { email: row.email, emailNormalized: row.email_normalized, name: row.name };
}
