// Signing up, signing in, and what a person sees of it afterwards. Whether an address has an account is in none of the
// answers.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 1024;
const NAME_LENGTH_MAX = 200;

const email = Type.String({ minLength: 3, maxLength: 320, description: 'an email address' });
const name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
  description: `a line of text of 1 to ${NAME_LENGTH_MAX} characters`,
});
const newPassword = Type.String({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description: `text of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
});
/** A password that is only compared may be anything. */
const password = Type.String({ maxLength: PASSWORD_LENGTH_MAX, description: 'text' });
const token = Type.String({ maxLength: 200, description: 'the token of the mail' });

export const SignUpBody = Type.Object({ email, password: newPassword, name }, strict);
export type SignUpBody = Static<typeof SignUpBody>;

export const VerifyEmailBody = Type.Object({ token }, strict);
export type VerifyEmailBody = Static<typeof VerifyEmailBody>;

export const LoginBody = Type.Object({ email, password }, strict);
export type LoginBody = Static<typeof LoginBody>;

export const ForgotPasswordBody = Type.Object({ email }, strict);
export type ForgotPasswordBody = Static<typeof ForgotPasswordBody>;

export const ResetPasswordBody = Type.Object({ token, password: newPassword }, strict);
export type ResetPasswordBody = Static<typeof ResetPasswordBody>;

export const ChangePasswordBody = Type.Object({ currentPassword: password, newPassword }, strict);
export type ChangePasswordBody = Static<typeof ChangePasswordBody>;

export const ProfileBody = Type.Object({ name }, strict);
export type ProfileBody = Static<typeof ProfileBody>;

/** The same whether or not there is such an account. */
export type MailSentAnswer = Readonly<{ sent: true }>;
export type VerifiedAnswer = Readonly<{ verified: true; email: string }>;
export type ResetAnswer = Readonly<{ reset: true }>;
export type PasswordChangedAnswer = Readonly<{ updated: true }>;
export type SignedOutAnswer = Readonly<{ signedOut: true }>;

export type ProfileAnswer = Readonly<{ id: string; email: string; name: string }>;

/** Who is signed in. */
export type SessionAnswer = Readonly<{
  user: ProfileAnswer;
  organizations: readonly Readonly<{ id: string; name: string; role: string }>[];
}>;

export type SessionEntry = Readonly<{
  id: string;
  /** The one that asks. */
  current: boolean;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  userAgent: string | null;
  ip: string | null;
}>;
export type SessionListAnswer = Readonly<{ sessions: readonly SessionEntry[] }>;
export type SessionEndedAnswer = Readonly<{ deleted: true }>;

/** Other sites whose accounts can be used; `url` is where a browser goes to begin. */
export type ProvidersAnswer = Readonly<{ providers: readonly Readonly<{ id: string; name: string; url: string }>[] }>;
