// A person's own second factors: GET /api/auth/factors, and adding and removing them below it. A person with a second
// factor must have shown it in this session, and a person with a password must give it: a session that was left open
// must not be enough.

import {
  ConfirmTotpBody,
  type FactorChangedAnswer,
  type FactorsAnswer,
  NewPasskeyBody,
  type PasskeyOptionsAnswer,
  PasswordProofBody,
  type RecoveryCodesAnswer,
  type TotpSecretAnswer,
} from '../../contract/factors.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { NewPasskey } from '../../modules/signin/factors/passkeys.ts';
import { STEP_MS } from '../../modules/signin/factors/steps.ts';
import { secondFactorMail } from '../../modules/signin/mails.ts';
import { unauthorized } from '../../pipeline/authenticate.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { clearCookie, readCookie, setCookie } from './cookies.ts';
import { sendPrivate } from './private-answer.ts';
import { originOf } from './same-site.ts';
import { currentSessionId } from './session.ts';
import { countGuess } from './visitor.ts';

export const readFactors =
  ({ secondFactors }: AuthServices): PrincipalHandler =>
  async (exchange, { userId, hasSecondFactor }) => {
    const { hasTotp, passkeys, recoveryCodes } = await secondFactors.of(userId);
    const answer: FactorsAnswer = {
      totp: hasTotp,
      passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
      recoveryCodes,
      shownInSession: hasSecondFactor,
    };
    sendPrivate(exchange, 200, answer);
  };

export function beginTotp(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(PasswordProofBody);
  return async (exchange, principal) => {
    await requireProof(services, principal, (await readBody(exchange)).password);
    const begun = await services.secondFactors.beginTotp(await personOf(services, principal.userId));
    if (begun === null) throw new ApiError('http_409', 'There is an authenticator app already: remove it first.');
    const answer: TotpSecretAnswer = begun;
    sendPrivate(exchange, 200, answer);
  };
}

export function confirmTotp(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(ConfirmTotpBody);
  return async (exchange, { userId, hasSecondFactor }) => {
    const { code } = await readBody(exchange);
    const { secondFactors, throttle } = services;
    const isFirst = !(await secondFactors.hasAny(userId));
    if (!isFirst && !hasSecondFactor) throw notShown();
    const guesses = [{ kind: 'factor-user', subject: userId }] as const;
    await countGuess(throttle, guesses);
    if (!(await secondFactors.confirmTotp(userId, code.trim()))) {
      throw new ApiError('http_400', 'code: this is not the code that the app shows now.');
    }
    await throttle.forgive(guesses);
    await finishAdding(exchange, services, userId, isFirst);
  };
}

export function removeTotp(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(PasswordProofBody);
  return async (exchange, principal) => {
    await requireProof(services, principal, (await readBody(exchange)).password);
    await services.secondFactors.removeTotp(principal.userId);
    await finishRemoving(exchange, services, principal.userId);
  };
}

export function renewRecoveryCodes(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(PasswordProofBody);
  return async (exchange, principal) => {
    await requireProof(services, principal, (await readBody(exchange)).password);
    const { secondFactors } = services;
    if (!(await secondFactors.hasAny(principal.userId))) {
      throw new ApiError('http_409', 'You get recovery codes with your first second factor. Set one up first.');
    }
    const answer: RecoveryCodesAnswer = { recoveryCodes: await secondFactors.renewCodes(principal.userId) };
    sendPrivate(exchange, 200, answer);
  };
}

export function beginPasskey(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(PasswordProofBody);
  return async (exchange, principal) => {
    await requireProof(services, principal, (await readBody(exchange)).password);
    const person = await personOf(services, principal.userId);
    const { options, token } = await services.secondFactors.passkeys.beginNew(person, originOf(exchange, services));
    const cookie = { name: 'tollgate_step', value: token, ageMaxMs: STEP_MS } as const;
    const answer: PasskeyOptionsAnswer = { options: { ...options } };
    sendPrivate(exchange, 200, answer, setCookie(services.siteUrl(), cookie));
  };
}

export function finishPasskey(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(NewPasskeyBody);
  return async (exchange, { userId }) => {
    const { name, passkey } = await readBody(exchange);
    const { secondFactors, siteUrl } = services;
    const isFirst = !(await secondFactors.hasAny(userId));
    const token = readCookie(exchange.request, siteUrl(), 'tollgate_step') ?? '';
    const response = passkey as unknown as NewPasskey['response'];
    const origin = originOf(exchange, services);
    const id = await secondFactors.passkeys.finishNew({ userId, token, origin, name: name.trim(), response });
    if (id === null) {
      throw new ApiError(
        'http_400',
        'passkey: it could not be added. Begin again, with another passkey if this one is known already.',
      );
    }
    await finishAdding(exchange, services, userId, isFirst);
  };
}

export function removePasskey(services: AuthServices): PrincipalHandler {
  const readBody = bodyReader(PasswordProofBody);
  return async (exchange, principal) => {
    await requireProof(services, principal, (await readBody(exchange)).password);
    if (!(await services.secondFactors.removePasskey(principal.userId, exchange.params.id ?? ''))) {
      throw new ApiError('http_404', 'There is no such passkey.');
    }
    await finishRemoving(exchange, services, principal.userId);
  };
}

/** Ends sessions that were opened without it; this one counts as opened with it. */
async function finishAdding(
  exchange: Exchange,
  services: AuthServices,
  userId: string,
  isFirst: boolean,
): Promise<void> {
  const { secondFactors, openSessions, siteUrl } = services;
  const sessionId = await currentSessionId(exchange, services);
  await openSessions.strengthen(userId, sessionId);
  if (isFirst) await openSessions.endAll(userId, sessionId);
  await tellOwner(services, userId, 'added');
  const answer: FactorChangedAnswer = { recoveryCodes: isFirst ? await secondFactors.renewCodes(userId) : null };
  sendPrivate(exchange, 200, answer, clearCookie(siteUrl(), 'tollgate_step'));
}

async function finishRemoving(exchange: Exchange, services: AuthServices, userId: string): Promise<void> {
  await tellOwner(services, userId, 'removed');
  const answer: FactorChangedAnswer = { recoveryCodes: null };
  sendPrivate(exchange, 200, answer);
}

async function tellOwner(services: AuthServices, userId: string, change: 'added' | 'removed'): Promise<void> {
  const { email } = await personOf(services, userId);
  await services.mailer.send(secondFactorMail(email, services.siteUrl(), change), services.database);
}

const notShown = (): ApiError =>
  new ApiError('http_403', 'Sign in again with your second factor before you change it.');

async function requireProof(
  { secondFactors, signIn, throttle, identity }: AuthServices,
  { userId, hasSecondFactor }: Readonly<{ userId: string; hasSecondFactor: boolean }>,
  password: string | undefined,
): Promise<void> {
  if (!hasSecondFactor && (await secondFactors.hasAny(userId))) throw notShown();
  const guesses = [{ kind: 'password-user', subject: userId }] as const;
  await countGuess(throttle, guesses);
  const user = await identity.findUser(userId);
  if (user === null) throw unauthorized();
  if (!(await signIn.isOwnPassword({ userId, password: password ?? '', source: userId }))) {
    throw new ApiError('http_403', 'password: this is not your password.');
  }
  await throttle.forgive(guesses);
}

async function personOf(
  { identity }: AuthServices,
  userId: string,
): Promise<Readonly<{ userId: string; email: string }>> {
  const user = await identity.findUser(userId);
  if (user === null) throw unauthorized();
  return { userId, email: user.email };
}
