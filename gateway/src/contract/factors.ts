// Second factors: what is asked for when signing in, and a person's own view of them.

import { type Static, Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

/** As browsers write it (`PublicKeyCredential.toJSON()`); the library that reads it checks the content. */
const credential = Type.Object(
  {
    id: Type.String({ maxLength: 2_000 }),
    rawId: Type.String({ maxLength: 2_000 }),
    type: Type.Literal('public-key'),
    response: Type.Record(Type.String(), Type.Unknown()),
  },
  { description: 'the credential that the browser made, as JSON' },
);

export const SecondFactorBody = Type.Object(
  {
    code: Type.Optional(
      Type.String({ maxLength: 40, description: 'the code of the authenticator app, or a recovery code' }),
    ),
    passkey: Type.Optional(credential),
  },
  { ...strict, title: 'SecondFactorBody' },
);
export type SecondFactorBody = Static<typeof SecondFactorBody>;

/** The password is right, and a second factor is asked for. */
export const SecondFactorAnswer = Type.Object(
  {
    secondFactor: Type.Object({
      code: flag('A code of an authenticator app is taken, as a recovery code always is.'),
      passkey: flag('A passkey is taken.'),
    }),
  },
  named('SecondFactorNeeded'),
);
export type SecondFactorAnswer = Shape<typeof SecondFactorAnswer>;

export const PasskeyOptionsAnswer = Type.Object(
  {
    options: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What the browser hands to the authenticator.',
    }),
  },
  named('PasskeyOptions'),
);
export type PasskeyOptionsAnswer = Shape<typeof PasskeyOptionsAnswer>;

export const FactorsAnswer = Type.Object(
  {
    totp: flag('An authenticator app is set up.'),
    passkeys: listOf(
      Type.Object({
        id: text('Names the passkey in paths.'),
        name: text('As its owner calls it.'),
        createdAt: moment('When it was added.'),
        lastUsedAt: orNull(moment('When it was last used.')),
      }),
    ),
    recoveryCodes: count('How many are left.'),
    shownInSession: flag('This session was opened with a second factor.'),
  },
  named('SecondFactors'),
);
export type FactorsAnswer = Shape<typeof FactorsAnswer>;

/** A person without a password leaves it out. */
export const PasswordProofBody = Type.Object(
  { password: Type.Optional(Type.String({ maxLength: 1024, description: 'text' })) },
  { ...strict, title: 'PasswordProofBody' },
);
export type PasswordProofBody = Static<typeof PasswordProofBody>;

export const TotpSecretAnswer = Type.Object(
  { secret: text('To be typed into an app.'), uri: text('The same as an address, which apps read from a picture.') },
  named('TotpSecret'),
);
export type TotpSecretAnswer = Shape<typeof TotpSecretAnswer>;

export const ConfirmTotpBody = Type.Object(
  { code: Type.String({ maxLength: 20, description: 'the code that the app shows' }) },
  { ...strict, title: 'ConfirmTotpBody' },
);
export type ConfirmTotpBody = Static<typeof ConfirmTotpBody>;

export const NewPasskeyBody = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '^[^\\u0000-\\u001f\\u007f]*$',
      description: 'a line of text of 1 to 100 characters',
    }),
    passkey: credential,
  },
  { ...strict, title: 'NewPasskeyBody' },
);
export type NewPasskeyBody = Static<typeof NewPasskeyBody>;

export const RecoveryCodesAnswer = Type.Object(
  { recoveryCodes: listOf(Type.String(), 'Each is good once. They are shown this once.') },
  named('RecoveryCodes'),
);
export type RecoveryCodesAnswer = Shape<typeof RecoveryCodesAnswer>;

export const FactorChangedAnswer = Type.Object(
  { recoveryCodes: orNull(listOf(Type.String(), 'With the first second factor, shown this once.')) },
  named('SecondFactorChanged'),
);
export type FactorChangedAnswer = Shape<typeof FactorChangedAnswer>;
