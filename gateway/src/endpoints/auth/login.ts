// POST /api/auth/login. A wrong password and an unknown address get the same answer after the same work. That an account
// is suspended learns only who knows the password. A device that has signed in before is counted by itself, so that
// strangers who guess at the address do not lock its owner out.

import { LoginBody } from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { DEVICE_AGE_MAX_MS } from '../../modules/signin/devices.ts';
import { SESSION_AGE_MAX_MS } from '../../modules/signin/sessions.ts';
import type { Guess } from '../../modules/signin/throttle.ts';
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
    const source = sourceOf(exchange, clientAddress);
    const deviceId = services.devices.recognize(deviceCookie(exchange, services), emailNormalized);
    const guesses: readonly Guess[] =
      deviceId === null
        ? [
            { kind: 'login-source', subject: source },
            { kind: 'login-address', subject: emailNormalized },
          ]
        : [{ kind: 'login-device', subject: deviceId }];
    await countGuess(throttle, guesses);
    const check = await signIn.checkPassword({ emailNormalized, password, source: deviceId ?? source });
    if (check.outcome === 'wrong') throw new ApiError('http_401', 'The email address or the password is wrong.');
    await throttle.forgive(guesses);
    if (check.person.isSuspended) throw new ApiError('http_403', 'This account is suspended.');
    const { userId } = check.person;
    const cookies = [...(await beginSession(exchange, services, userId)), ...knownDevice(services, emailNormalized)];
    sendPrivate(exchange, 200, await sessionAnswer(services, userId), cookies);
  };
}

/** What the browser shows the next time; null when it has never signed in here. */
export const deviceCookie = ({ request }: Exchange, { siteUrl }: AuthServices): string | null =>
  readCookie(request, siteUrl(), 'tollgate_device');

function knownDevice({ devices, siteUrl }: AuthServices, emailNormalized: string): readonly [string, string] {
  const value = devices.remember(emailNormalized);
  return setCookie(siteUrl(), { name: 'tollgate_device', value, ageMaxMs: DEVICE_AGE_MAX_MS });
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
