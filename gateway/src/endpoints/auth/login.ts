// POST /api/auth/login. A wrong password and an unknown address get the same answer after the same work; only a person
// who knows the password learns that an account is suspended. Attempts of a device that has signed in before are
// counted apart, so that strangers who guess cannot lock the owner out. A person with a second factor gets 202 here,
// and no session yet.

import { LoginBody } from '../../contract/auth.ts';
import type { SecondFactorAnswer } from '../../contract/factors.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { DEVICE_AGE_MAX_MS } from '../../modules/signin/devices.ts';
import type { Guess } from '../../modules/signin/throttle.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { readCookie, setCookie } from './cookies.ts';
import { openSession, wrongPassword } from './open-session.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { beginSecondStep } from './second-step.ts';
import { sessionAnswer } from './session.ts';
import { countGuess, emailField, sourceOf } from './visitor.ts';

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
    if (check.outcome === 'wrong') throw wrongPassword();
    await throttle.forgive(guesses);
    if (check.person.isSuspended)
      throw new ApiError('http_403', 'This account is suspended. Ask the operator of this gateway.');
    const { passwordHash } = check;
    const { userId } = check.person;
    const device = knownDevice(services, emailNormalized);
    const step = await beginSecondStep(services, userId, { passwordHash });
    if (step !== null) {
      const { hasTotp, passkeys } = await services.secondFactors.of(userId);
      const answer: SecondFactorAnswer = { secondFactor: { code: hasTotp, passkey: passkeys.length > 0 } };
      sendPrivate(exchange, 202, answer, [...step, ...device]);
      return;
    }
    const cookie = await openSession(exchange, services, userId, { hasSecondFactor: false, passwordHash });
    sendPrivate(exchange, 200, await sessionAnswer(services, userId), [...cookie, ...device]);
  };
}

/** The device's cookie; null when it has never signed in here. */
export const deviceCookie = ({ request }: Exchange, { siteUrl }: AuthServices): string | null =>
  readCookie(request, siteUrl(), 'tollgate_device');

function knownDevice({ devices, siteUrl }: AuthServices, emailNormalized: string): readonly [string, string] {
  const value = devices.remember(emailNormalized);
  return setCookie(siteUrl(), { name: 'tollgate_device', value, ageMaxMs: DEVICE_AGE_MAX_MS });
}
