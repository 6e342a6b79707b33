// POST /api/auth/login. A wrong password and an unknown address get the same answer after the same work. That an address
// is still to be confirmed, or suspended, learns only who knows the password.

import { LoginBody } from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { PasswordCheck } from '../../modules/signin/password-flows.ts';
import { SESSION_AGE_MAX_MS } from '../../modules/signin/sessions.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { readCookie, setCookie } from './cookies.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { sessionAnswer } from './session.ts';
import { countGuess, deviceOf, emailField, sourceOf } from './visitor.ts';

export function logIn(services: AuthServices): Handler {
  const { signIn, throttle, clientAddress } = services;
  const readBody = bodyReader(LoginBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { email, password } = await readBody(exchange);
    const emailNormalized = emailField(email);
    const guesses = [
      { kind: 'login-source', subject: sourceOf(exchange, clientAddress) },
      { kind: 'login-address', subject: emailNormalized },
    ] as const;
    await countGuess(throttle, guesses);
    const check = await signIn.checkPassword(emailNormalized, password);
    if (check.outcome === 'wrong') throw new ApiError('http_401', 'The email address or the password is wrong.');
    await throttle.forgive(guesses);
    const userId = admittedUser(check);
    const cookie = await beginSession(exchange, services, userId);
    sendPrivate(exchange, 200, await sessionAnswer(services, userId), cookie);
  };
}

function admittedUser(check: Exclude<PasswordCheck, Readonly<{ outcome: 'wrong' }>>): string {
  if (check.outcome !== 'right') {
    throw new ApiError(
      'http_403',
      'This email address is not verified yet: open the link in the mail that was sent to it, or sign up again for a new one.',
    );
  }
  if (check.person.isSuspended) throw new ApiError('http_403', 'This account is suspended.');
  return check.person.userId;
}

/** The header that gives the browser its session. Every sign-in makes a new one and ends the one it had. */
export async function beginSession(
  exchange: Exchange,
  { database, openSessions, siteUrl, clientAddress }: AuthServices,
  userId: string,
): Promise<readonly [string, string]> {
  const before = readCookie(exchange.request, siteUrl(), 'tollgate_session');
  const replaced = before === null ? null : await openSessions.find(before);
  if (replaced !== null) await openSessions.end(replaced.userId, replaced.sessionId);
  const value = await openSessions.open(database, userId, deviceOf(exchange, clientAddress));
  return setCookie(siteUrl(), { name: 'tollgate_session', value, ageMaxMs: SESSION_AGE_MAX_MS });
}
