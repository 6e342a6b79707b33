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
import type { Guess } from '../../modules/signin/throttle.ts';
import { mailboxOf } from '../../platform/mail/mailer.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { deviceCookie } from './login.ts';
import { sendPrivate } from './private-answer.ts';
import { refuseForeignForm } from './same-site.ts';
import { currentSessionId } from './session.ts';
import { staleLink } from './signup.ts';
import { countGuess, emailField, MAIL_ANSWER_MS, sourceOf } from './visitor.ts';

export function forgotPassword(services: AuthServices): Handler {
  const { database, signIn, throttle, devices, clientAddress, clock } = services;
  const readBody = bodyReader(ForgotPasswordBody);
  return async (exchange) => {
    refuseForeignForm(exchange, services);
    const emailNormalized = emailField((await readBody(exchange)).email);
    await countGuess(throttle, [{ kind: 'mail-source', subject: sourceOf(exchange, clientAddress) }]);
    // When it is too soon for another mail the last one still works; a device that the owner has used is counted apart.
    const deviceId = devices.recognize(deviceCookie(exchange, services), emailNormalized);
    const mail: Guess =
      deviceId === null
        ? { kind: 'owner-mail', subject: mailboxOf(emailNormalized) }
        : { kind: 'reset-device', subject: deviceId };
    const send = async (): Promise<void> => {
      // Only sent mails are counted: asking for an address without an account must not use up the count of one in the
      // same mailbox.
      if ((await signIn.findByEmail(database, emailNormalized)) === null) return;
      if ((await throttle.take([mail])) === 0) await signIn.mailReset(emailNormalized, 'new password');
    };
    await Promise.all([send(), clock.sleep(MAIL_ANSWER_MS)]);
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
    const source = sourceOf(exchange, clientAddress);
    const emailNormalized = await signIn.resetPassword({ token, password, source });
    if (emailNormalized === null) throw await staleLink(throttle, source);
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
    const isChanged = await signIn.changePassword({
      userId,
      sessionId,
      currentPassword,
      newPassword,
      source: userId,
    });
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
