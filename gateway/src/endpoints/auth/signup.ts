// POST /api/auth/signup and POST /api/auth/verify-email. The answer to a sign-up is the same whether or not the address
// has an account; the mail tells its owner which it was.

import { type MailSentAnswer, SignUpBody, type VerifiedAnswer, VerifyEmailBody } from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { openUser } from '../open-user.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { countGuess, emailField, sourceOf } from './visitor.ts';

export function signUp(services: AuthServices): Handler {
  const { signIn, throttle, clientAddress } = services;
  const readBody = bodyReader(SignUpBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { email, name, password } = await readBody(exchange);
    const emailNormalized = emailField(email);
    await countGuess(throttle, [
      { kind: 'mail-source', subject: sourceOf(exchange, clientAddress) },
      { kind: 'mail-address', subject: emailNormalized },
    ]);
    await signIn.signUp({ email: email.trim(), emailNormalized, name: name.trim(), password });
    const answer: MailSentAnswer = { sent: true };
    sendPrivate(exchange, 202, answer);
  };
}

export function verifyEmail(services: AuthServices): Handler {
  const { database, throttle, clientAddress } = services;
  const readBody = bodyReader(VerifyEmailBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { token } = await readBody(exchange);
    await countGuess(throttle, [{ kind: 'token-source', subject: sourceOf(exchange, clientAddress) }]);
    const email = await database.transaction((transaction) => confirm(services, transaction, token));
    if (email === null) throw staleLink();
    const answer: VerifiedAnswer = { verified: true, email };
    sendPrivate(exchange, 200, answer);
  };
}

export const staleLink = (): ApiError =>
  new ApiError('http_400', 'token: this link was used already or has expired. Ask for a new one.');

/** Whoever holds the mailbox may also set the first password of an account that the operator opened for it. */
async function confirm(services: AuthServices, transaction: Queryable, token: string): Promise<string | null> {
  const { signIn } = services;
  const confirmed = await signIn.confirmSignUp(transaction, token);
  if (confirmed === null) return null;
  const { email, emailNormalized, name, passwordHash } = confirmed;
  const owner = await signIn.findByEmail(transaction, emailNormalized);
  const userId = owner?.userId ?? (await openUser(services, transaction, { email, name })).id;
  if (owner === null || !owner.hasPassword) await signIn.setPasswordHash(transaction, userId, passwordHash);
  return email;
}
