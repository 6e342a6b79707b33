// POST /api/auth/signup and POST /api/auth/verify-email. The answer to a sign-up is the same whether or not the address
// has an account; the mail tells its owner.

import { type MailSentAnswer, SignUpBody, type VerifiedAnswer, VerifyEmailBody } from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import type { Throttle } from '../../modules/signin/throttle.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { mailboxOf } from '../../platform/mail/mailer.ts';
import { openUser } from '../open-user.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { countGuess, emailField, MAIL_ANSWER_MS, sourceOf } from './visitor.ts';
import { giveWelcomeCredit } from './welcome.ts';

export function signUp(services: AuthServices): Handler {
  const { signIn, throttle, clientAddress, clock } = services;
  const readBody = bodyReader(SignUpBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { email, name } = await readBody(exchange);
    const emailNormalized = emailField(email);
    await countGuess(throttle, [{ kind: 'mail-source', subject: sourceOf(exchange, clientAddress) }]);
    const subject = mailboxOf(emailNormalized);
    // When it is too soon for another mail the last one still works, and the answer is the same.
    const send = async (): Promise<void> => {
      if ((await throttle.take([{ kind: 'sign-up-mail', subject }])) > 0) return;
      const isNew = await signIn.signUp({ email: email.trim(), emailNormalized, name: name.trim() });
      if (!isNew && (await throttle.take([{ kind: 'owner-mail', subject }])) === 0) {
        await signIn.mailReset(emailNormalized, 'sign-up');
      }
    };
    await Promise.all([send(), clock.sleep(MAIL_ANSWER_MS)]);
    const answer: MailSentAnswer = { sent: true };
    sendPrivate(exchange, 202, answer);
  };
}

export function verifyEmail(services: AuthServices): Handler {
  const { database, signIn, throttle, clientAddress } = services;
  const readBody = bodyReader(VerifyEmailBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { token, password, name } = await readBody(exchange);
    const source = sourceOf(exchange, clientAddress);
    const passwordHash = await signIn.hashForSignUp({ token, password, source });
    if (passwordHash === null) throw await staleLink(throttle, source);
    const first = { token, passwordHash, name: name?.trim() };
    const confirmed = await database.transaction((transaction) => confirm(services, transaction, first));
    if (confirmed === null) throw await staleLink(throttle, source);
    if (confirmed.newUserId !== null) await giveWelcomeCredit(services, confirmed.newUserId, source);
    const answer: VerifiedAnswer = { verified: true, email: confirmed.email };
    sendPrivate(exchange, 200, answer);
  };
}

/** Only invalid links are counted: a valid one works, whatever others at the same source have tried. */
export async function staleLink(throttle: Throttle, source: string): Promise<ApiError> {
  await countGuess(throttle, [{ kind: 'token-source', subject: source }]);
  return new ApiError('http_400', 'token: this link was used already or has expired. Ask for a new one.');
}

/** `newUserId` is null for a person who had an account before. */
type Confirmed = Readonly<{ email: string; newUserId: string | null }>;

type First = Readonly<{ token: string; passwordHash: string; name: string | undefined }>;

/** The holder of a mailbox may also set the first password of an account that was opened for it in another way. */
async function confirm(services: AuthServices, transaction: Queryable, first: First): Promise<Confirmed | null> {
  const { signIn } = services;
  const confirmed = await signIn.confirmSignUp(transaction, first.token);
  if (confirmed === null) return null;
  const { email, emailNormalized } = confirmed;
  const owner = await signIn.findByEmail(transaction, emailNormalized);
  if (owner?.hasPassword === true) return null;
  const name = first.name ?? confirmed.name;
  const newUserId = owner === null ? (await openUser(services, transaction, { email, name })).id : null;
  await signIn.setPasswordHash(transaction, newUserId ?? owner?.userId ?? '', first.passwordHash);
  return { email, newUserId };
}
