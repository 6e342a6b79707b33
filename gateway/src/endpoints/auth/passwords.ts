// POST /api/auth/forgot-password, POST /api/auth/reset-password and POST /api/auth/change-password.

import {
  ChangePasswordBody,
  ForgotPasswordBody,
  type MailSentAnswer,
  type PasswordChangedAnswer,
  type ResetAnswer,
  ResetPasswordBody,
} from '../../contract/auth.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { currentSessionId } from './session.ts';
import { staleLink } from './signup.ts';
import { countGuess, emailField, sourceOf } from './visitor.ts';

/** Longer than the work for an address that has an account, so that the delay does not tell which have one. */
const FORGOT_ANSWER_MS = 150;

export function forgotPassword(services: AuthServices): Handler {
  const { signIn, throttle, clientAddress, clock } = services;
  const readBody = bodyReader(ForgotPasswordBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const emailNormalized = emailField((await readBody(exchange)).email);
    await countGuess(throttle, [
      { kind: 'mail-source', subject: sourceOf(exchange, clientAddress) },
      { kind: 'mail-address', subject: emailNormalized },
    ]);
    await Promise.all([signIn.requestReset(emailNormalized), clock.sleep(FORGOT_ANSWER_MS)]);
    const answer: MailSentAnswer = { sent: true };
    sendPrivate(exchange, 202, answer);
  };
}

export function resetPassword(services: AuthServices): Handler {
  const { signIn, throttle, clientAddress } = services;
  const readBody = bodyReader(ResetPasswordBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const { token, password } = await readBody(exchange);
    await countGuess(throttle, [{ kind: 'token-source', subject: sourceOf(exchange, clientAddress) }]);
    const emailNormalized = await signIn.resetPassword(token, password);
    if (emailNormalized === null) throw staleLink();
    await throttle.forgive([{ kind: 'login-address', subject: emailNormalized }]);
    const answer: ResetAnswer = { reset: true };
    sendPrivate(exchange, 200, answer);
  };
}

export function changePassword(services: AuthServices): PrincipalHandler {
  const { signIn, throttle } = services;
  const readBody = bodyReader(ChangePasswordBody);
  return async (exchange, { userId }) => {
    const { currentPassword, newPassword } = await readBody(exchange);
    const sessionId = await currentSessionId(exchange, services);
    const guesses = [{ kind: 'password-user', subject: userId }] as const;
    await countGuess(throttle, guesses);
    const isChanged = await signIn.changePassword({ userId, sessionId, currentPassword, newPassword });
    if (!isChanged) {
      throw new ApiError(
        'http_403',
        'currentPassword: this is not the current password. Where there is none yet, ask for a mail to set one.',
      );
    }
    await throttle.forgive(guesses);
    const answer: PasswordChangedAnswer = { updated: true };
    sendPrivate(exchange, 200, answer);
  };
}
