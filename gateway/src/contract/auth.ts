// Signing up, signing in, and a person's own view of it. No answer tells whether an address has an account.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

const PASSWORD_LENGTH_MIN = 8;
const PASSWORD_LENGTH_MAX = 1024;

const email = Type.String({ minLength: 3, maxLength: 320, description: 'an email address' });
const name = nameField(200);
const newPassword = Type.String({
  minLength: PASSWORD_LENGTH_MIN,
  maxLength: PASSWORD_LENGTH_MAX,
  description: `text of ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`,
});
/** A password that is only compared may be any text. */
const password = Type.String({ maxLength: PASSWORD_LENGTH_MAX, description: 'text' });
const token = Type.String({ maxLength: 200, description: 'the token of the mail' });

export const SignUpBody = Type.Object({ email, name }, { ...strict, title: 'SignUpBody' });
export type SignUpBody = Static<typeof SignUpBody>;

/** The person who opens the link sets the password, and may change the name. */
export const VerifyEmailBody = Type.Object(
  { token, password: newPassword, name: Type.Optional(name) },
  { ...strict, title: 'VerifyEmailBody' },
);
export type VerifyEmailBody = Static<typeof VerifyEmailBody>;

export const LoginBody = Type.Object({ email, password }, { ...strict, title: 'LoginBody' });
export type LoginBody = Static<typeof LoginBody>;

export const ForgotPasswordBody = Type.Object({ email }, { ...strict, title: 'ForgotPasswordBody' });
export type ForgotPasswordBody = Static<typeof ForgotPasswordBody>;

export const ResetPasswordBody = Type.Object(
  { token, password: newPassword },
  { ...strict, title: 'ResetPasswordBody' },
);
export type ResetPasswordBody = Static<typeof ResetPasswordBody>;

export const ChangePasswordBody = Type.Object(
  { currentPassword: password, newPassword },
  { ...strict, title: 'ChangePasswordBody' },
);
export type ChangePasswordBody = Static<typeof ChangePasswordBody>;

export const ProfileBody = Type.Object({ name }, { ...strict, title: 'ProfileBody' });
export type ProfileBody = Static<typeof ProfileBody>;

/** The same whether or not there is such an account. */
export const MailSentAnswer = Type.Object({ sent: Type.Literal(true) }, named('MailSent'));
export type MailSentAnswer = Shape<typeof MailSentAnswer>;

export const VerifiedAnswer = Type.Object(
  { verified: Type.Literal(true), email: text('The address that is confirmed now.') },
  named('EmailVerified'),
);
export type VerifiedAnswer = Shape<typeof VerifiedAnswer>;

export const ResetAnswer = Type.Object({ reset: Type.Literal(true) }, named('PasswordReset'));
export type ResetAnswer = Shape<typeof ResetAnswer>;

export const PasswordChangedAnswer = Type.Object({ updated: Type.Literal(true) }, named('PasswordChanged'));
export type PasswordChangedAnswer = Shape<typeof PasswordChangedAnswer>;

export const SignedOutAnswer = Type.Object({ signedOut: Type.Literal(true) }, named('SignedOut'));
export type SignedOutAnswer = Shape<typeof SignedOutAnswer>;

export const ProfileAnswer = Type.Object(
  { id: text("The user's id."), email: text('Where mail goes.'), name: text('The name of the user.') },
  named('Profile'),
);
export type ProfileAnswer = Shape<typeof ProfileAnswer>;

/** Who is signed in. */
export const SessionAnswer = Type.Object(
  {
    user: ProfileAnswer,
    organizations: listOf(
      Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
      'Where the user is a member.',
    ),
    operatorRole: orNull(text('What the user may do as an operator of this gateway: owner, support or read_only.')),
  },
  named('Session'),
);
export type SessionAnswer = Shape<typeof SessionAnswer>;

export const SessionEntry = Type.Object(
  {
    id: text('The id of the session, used in paths.'),
    current: flag('True for the session that makes this request.'),
    createdAt: moment('When it began.'),
    lastSeenAt: moment('When it was last used.'),
    expiresAt: moment('When it ends.'),
    userAgent: orNull(text('The User-Agent of the browser.')),
    ip: orNull(text('Where it was last used from.')),
  },
  named('SessionEntry'),
);
export type SessionEntry = Shape<typeof SessionEntry>;

export const SessionListAnswer = Type.Object({ sessions: listOf(SessionEntry) }, named('SessionList'));
export type SessionListAnswer = Shape<typeof SessionListAnswer>;

export const SessionEndedAnswer = Type.Object({ deleted: Type.Literal(true) }, named('SessionEnded'));
export type SessionEndedAnswer = Shape<typeof SessionEndedAnswer>;

/** Other sites whose accounts can be used. */
export const ProvidersAnswer = Type.Object(
  {
    providers: listOf(
      Type.Object({
        id: text('The id of the site, used in paths.'),
        name: text('The name, for people.'),
        url: text('Where a browser goes to begin.'),
      }),
    ),
  },
  named('SignInProviders'),
);
export type ProvidersAnswer = Shape<typeof ProvidersAnswer>;
