// Requests for signing up and in. No answer tells whether an address has an account.

import { queryOptions } from '@tanstack/react-query';
import type {
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
  SessionEndedAnswer,
  SessionListAnswer,
  SignUpBody,
  VerifiedAnswer,
  VerifyEmailBody,
} from '../../../gateway/src/contract/auth.ts';
import type { SecondFactorAnswer } from '../../../gateway/src/contract/factors.ts';
import { request } from './request.ts';
import type { Session } from './session.ts';

export const signUp = (body: SignUpBody) => request<MailSentAnswer>('POST', '/api/auth/signup', { body });
/** A person with a second factor is asked for it before there is a session. */
export const signIn = (body: LoginBody) => request<Session | SecondFactorAnswer>('POST', '/api/auth/login', { body });

export const verifyEmail = (body: VerifyEmailBody) =>
  request<VerifiedAnswer>('POST', '/api/auth/verify-email', { body });

export const forgotPassword = (body: ForgotPasswordBody) =>
  request<MailSentAnswer>('POST', '/api/auth/forgot-password', { body });

export const resetPassword = (body: ResetPasswordBody) =>
  request<ResetAnswer>('POST', '/api/auth/reset-password', { body });

export const changePassword = (body: ChangePasswordBody) =>
  request<PasswordChangedAnswer>('POST', '/api/auth/change-password', { body });

export const changeProfile = (body: ProfileBody) => request<ProfileAnswer>('PATCH', '/api/auth/profile', { body });

export const providersQuery = queryOptions({
  queryKey: ['sign-in-providers'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async () => (await request<ProvidersAnswer>('GET', '/api/auth/providers')).providers,
});

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async () => (await request<SessionListAnswer>('GET', '/api/auth/sessions')).sessions,
});

export const endSession = (id: string) =>
  request<SessionEndedAnswer>('DELETE', `/api/auth/sessions/${encodeURIComponent(id)}`);
