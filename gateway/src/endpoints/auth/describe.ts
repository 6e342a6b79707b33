// OpenAPI descriptions of signing up and in. Sessions are cookies: a change made with one must prove that it comes from
// this site.

import { Type } from '@sinclair/typebox';
import { ExchangeAnswer, ExchangeBody, GrantAnswer, GrantBody } from '../../contract/applications.ts';
import {
  ChangePasswordBody,
  ForgotPasswordBody,
  LoginBody,
  MailSentAnswer,
  PasswordChangedAnswer,
  ProfileAnswer,
  ProfileBody,
  ProvidersAnswer,
  ResetAnswer,
  ResetPasswordBody,
  SessionAnswer,
  SessionEndedAnswer,
  SessionListAnswer,
  SignedOutAnswer,
  SignUpBody,
  VerifiedAnswer,
  VerifyEmailBody,
} from '../../contract/auth.ts';
import { SecondFactorAnswer } from '../../contract/factors.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Descriptions } from '../docs/description.ts';
import { optional } from '../docs/queries.ts';

/** Forms of other sites are refused, and guessing is slowed down. */
const OF_FORMS: readonly ErrorCode[] = ['http_403', 'http_429'];

export const authDescriptions: Descriptions = {
  'POST /api/auth/signup': {
    tag: 'Sign-in',
    summary: 'Sign up',
    notes:
      'You set the password with the link in the mail. The answer is the same when the address already has an account.',
    body: SignUpBody,
    answers: { 202: { json: MailSentAnswer } },
    errors: OF_FORMS,
    example: { body: { email: 'ada@example.com', name: 'Ada' } },
  },
  'POST /api/auth/verify-email': {
    tag: 'Sign-in',
    summary: 'Confirm an email address',
    notes: 'With the token of the mail and the new password; afterwards you can sign in.',
    body: VerifyEmailBody,
    answers: { 200: { json: VerifiedAnswer } },
    errors: OF_FORMS,
    example: { body: { token: '$TOKEN_OF_THE_MAIL', password: '$NEW_PASSWORD' } },
  },
  'POST /api/auth/login': {
    tag: 'Sign-in',
    summary: 'Sign in',
    notes:
      'The session is the cookie of the answer. A user with a second factor gets 202 instead, and shows the factor with the cookie of that answer.',
    body: LoginBody,
    answers: { 200: { json: SessionAnswer }, 202: { json: SecondFactorAnswer } },
    errors: [...OF_FORMS, 'http_401'],
    example: { body: { email: '$EMAIL', password: '$PASSWORD' }, options: ['-c cookies.txt'] },
  },
  'POST /api/auth/forgot-password': {
    tag: 'Sign-in',
    summary: 'Ask for a mail with a link to set a password',
    notes: 'The answer is the same when the account does not exist.',
    body: ForgotPasswordBody,
    answers: { 202: { json: MailSentAnswer } },
    errors: OF_FORMS,
    example: { body: { email: 'ada@example.com' } },
  },
  'POST /api/auth/reset-password': {
    tag: 'Sign-in',
    summary: 'Set a password with the link of a mail',
    body: ResetPasswordBody,
    answers: { 200: { json: ResetAnswer } },
    errors: OF_FORMS,
    example: { body: { token: '$TOKEN_OF_THE_MAIL', password: '$NEW_PASSWORD' } },
  },
  'GET /api/auth/providers': {
    tag: 'Sign-in',
    summary: 'List sites to sign in with',
    answers: { 200: { json: ProvidersAnswer } },
  },
  'GET /auth': {
    tag: 'Applications',
    summary: 'Ask a user for a key',
    notes:
      "An application opens this in the user's browser with `callback_url`, `code_challenge` and `code_challenge_method=S256`. The user agrees, with what the key may spend and for how long, and the browser goes to `callback_url` with `code`.",
    query: Type.Object({
      callback_url: optional("Where the code is sent: https:, http://localhost, or a scheme of the application's own."),
      code_challenge: optional('The SHA-256 of the verifier in base64url.'),
      code_challenge_method: optional('S256.'),
      limit: optional('What the application would like to spend, in USD; the user decides.'),
    }),
    answers: { 302: {} },
  },
  'POST /v1/auth/keys': {
    tag: 'Applications',
    summary: 'Exchange a code for a key',
    notes:
      'A code works once, within ten minutes, with the `code_verifier` that the challenge was made from. After a wrong verifier it no longer works.',
    body: ExchangeBody,
    answers: { 200: { json: ExchangeAnswer } },
    errors: ['http_403', 'http_409', 'http_429'],
    example: { body: { code: '$CODE', code_verifier: '$CODE_VERIFIER', code_challenge_method: 'S256' } },
  },
  'POST /api/account/applications': {
    tag: 'Applications',
    summary: 'Agree that an application gets a key',
    notes: 'The key is an ordinary key of your account: when you delete it, the application can no longer call.',
    body: GrantBody,
    answers: { 200: { json: GrantAnswer } },
    errors: ['http_403', 'http_429'],
    example: {
      body: {
        callbackUrl: 'https://app.example/callback',
        codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        codeChallengeMethod: 'S256',
        limitUsd: 10,
        limitReset: 'monthly',
        expiresInDays: 90,
      },
    },
  },
  'GET /api/auth/oauth/:provider': {
    tag: 'Sign-in',
    summary: 'Begin to sign in with another site',
    notes: 'For browsers: the answer redirects to that site.',
    query: Type.Object({ returnTo: optional('The page of this site to return to.') }),
    answers: { 302: {} },
  },
  'GET /api/auth/oauth/:provider/callback': {
    tag: 'Sign-in',
    summary: 'Return from another site',
    notes: 'For browsers: the answer redirects to the console, with a reason if the sign-in failed.',
    query: Type.Object({ code: optional('Sent by the other site.'), state: optional('Sent by the other site.') }),
    answers: { 302: {} },
  },
  'POST /api/auth/logout': {
    tag: 'Sign-in',
    summary: 'Sign out',
    answers: { 200: { json: SignedOutAnswer } },
  },
  'POST /api/auth/logout-all': {
    tag: 'Sign-in',
    summary: 'Sign out everywhere',
    answers: { 200: { json: SignedOutAnswer } },
  },
  'POST /api/auth/change-password': {
    tag: 'Sign-in',
    summary: 'Change your password',
    notes: 'Your other sessions end.',
    body: ChangePasswordBody,
    answers: { 200: { json: PasswordChangedAnswer } },
    example: { body: { currentPassword: '$PASSWORD', newPassword: '$NEW_PASSWORD' } },
  },
  'PATCH /api/auth/profile': {
    tag: 'Sign-in',
    summary: 'Change your name',
    body: ProfileBody,
    answers: { 200: { json: ProfileAnswer } },
    example: { body: { name: 'Ada' } },
  },
  'GET /api/auth/session': {
    tag: 'Sign-in',
    summary: 'Read who is signed in',
    answers: { 200: { json: SessionAnswer } },
  },
  'GET /api/auth/sessions': {
    tag: 'Sign-in',
    summary: 'List your sessions',
    answers: { 200: { json: SessionListAnswer } },
  },
  'DELETE /api/auth/sessions/:id': {
    tag: 'Sign-in',
    summary: 'End one of your sessions',
    answers: { 200: { json: SessionEndedAnswer } },
  },
};
