// The second step of a sign-in: POST /api/auth/second-factor, and the challenge for a passkey, POST
// /api/auth/second-factor/passkey. The person has shown a password, or signed in at another site; a cookie names the
// step, and only the factor opens a session.

import { type PasskeyOptionsAnswer, SecondFactorBody } from '../../contract/factors.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { Shown } from '../../modules/signin/factors/passkeys.ts';
import { STEP_MS } from '../../modules/signin/factors/steps.ts';
import type { SignOnProof } from '../../modules/signin/sessions.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { openSession, wrongPassword } from './open-session.ts';
import { sendPrivate } from './private-answer.ts';
import { originOf, refuseForeignForm } from './same-site.ts';
import { sessionAnswer } from './session.ts';
import { countGuess } from './visitor.ts';

/** The header that lets the browser go on; null where the person has no second factor. */
export async function beginSecondStep(
  { secondFactors, siteUrl }: AuthServices,
  userId: string,
  shown: Readonly<{ signOn?: SignOnProof | null; passwordHash?: string }> = {},
): Promise<readonly [string, string] | null> {
  if (!(await secondFactors.hasAny(userId))) return null;
  const value = await secondFactors.steps.begin(userId, 'sign_in', shown);
  if (value === null) throw wrongPassword();
  return setCookie(siteUrl(), { name: 'tollgate_step', value, ageMaxMs: STEP_MS });
}

export function finishSecondStep(services: AuthServices): Handler {
  const { secondFactors, throttle, identity, siteUrl } = services;
  const readBody = bodyReader(SecondFactorBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { code, passkey } = await readBody(exchange);
    const { token, userId } = await currentStep(exchange, services);
    const guesses = [{ kind: 'factor-user', subject: userId }] as const;
    await countGuess(throttle, guesses);
    const isRight =
      passkey === undefined
        ? await secondFactors.checkCode(userId, (code ?? '').trim())
        : (await secondFactors.passkeys.finishShow({
            token,
            origin: originOf(exchange, services),
            response: passkey as unknown as Shown['response'],
          })) === userId;
    if (!isRight)
      throw new ApiError('http_401', 'This was not the right code or passkey. Try the next code, or a recovery code.');
    // Of two right answers at once, one opens a session.
    const ended = await secondFactors.steps.end(token);
    if (ended === null) throw stepEnded();
    await throttle.forgive(guesses);
    const user = await identity.findUser(userId);
    if (user === null || user.isSuspended)
      throw new ApiError('http_403', 'This account is suspended. Ask the operator of this gateway.');
    const cookie = await openSession(exchange, services, userId, { hasSecondFactor: true, signOn: ended.signOn });
    const cookies = [...cookie, ...clearCookie(siteUrl(), 'tollgate_step')];
    sendPrivate(exchange, 200, await sessionAnswer(services, userId), cookies);
  };
}

export const readPasskeyChallenge =
  (services: AuthServices): Handler =>
  async (exchange) => {
    refuseForeignForm(exchange, services);
    const { secondFactors } = services;
    const { token } = await currentStep(exchange, services);
    const options = await secondFactors.passkeys.beginShow(token, originOf(exchange, services));
    if (options === null) throw new ApiError('http_404', 'There is no passkey.');
    const answer: PasskeyOptionsAnswer = { options: { ...options } };
    sendPrivate(exchange, 200, answer);
  };

const stepEnded = (): ApiError => new ApiError('http_401', 'This sign-in has taken too long. Begin again.');

async function currentStep(
  { request }: Exchange,
  { secondFactors, siteUrl }: AuthServices,
): Promise<Readonly<{ token: string; userId: string }>> {
  const token = readCookie(request, siteUrl(), 'tollgate_step') ?? '';
  const userId = await secondFactors.steps.find(token);
  if (userId === null) throw stepEnded();
  return { token, userId };
}
