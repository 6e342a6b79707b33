// Second factors: what is asked for when signing in, and a person's own view of them.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { shortName } from './body-fields.ts';
import { count, flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

/** As browsers write it (`PublicKeyCredential.toJSON()`); the library that reads it checks the content. */
const credential = <Response extends TSchema>(response: Response) =>
  Type.Object(
    {
      id: Type.String({ maxLength: 2_000 }),
      rawId: Type.String({ maxLength: 2_000 }),
      type: Type.Literal('public-key'),
      response,
    },
    { description: 'the credential that the browser made, as JSON' },
  );

/** Besides the members that the library reads; words that nobody knows yet are ignored. */
const newCredentialResponse = Type.Object(
  {
    transports: Type.Optional(
      Type.Array(Type.String({ maxLength: 40, description: 'a word of at most 40 characters' }), {
        maxItems: 20,
        description: 'a list of at most 20 words',
      }),
    ),
  },
  { additionalProperties: Type.Unknown() },
);

export const SecondFactorBody = Type.Object(
  {
    code: Type.Optional(
      Type.String({ maxLength: 40, description: 'the code of the authenticator app, or a recovery code' }),
    ),
    passkey: Type.Optional(credential(Type.Record(Type.String(), Type.Unknown()))),
  },
  { ...strict, title: 'SecondFactorBody' },
);
export type SecondFactorBody = Static<typeof SecondFactorBody>;

/** The password is right, and a second factor is asked for. */
export const SecondFactorAnswer = Type.Object(
  {
    secondFactor: Type.Object({
      code: flag('True: a code of an authenticator app works. A recovery code always works.'),
      passkey: flag('True: a passkey works.'),
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
        id: text('The id of the passkey, used in paths.'),
        name: text('The name that the owner gave it.'),
        createdAt: moment('When it was added.'),
        lastUsedAt: orNull(moment('When it was last used.')),
      }),
    ),
    recoveryCodes: count('How many unused recovery codes are left.'),
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
  { secret: text('To be typed into an app.'), uri: text('The same as a URI, for a QR code.') },
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
    name: shortName,
    passkey: credential(newCredentialResponse),
  },
  { ...strict, title: 'NewPasskeyBody' },
);
export type NewPasskeyBody = Static<typeof NewPasskeyBody>;

export const RecoveryCodesAnswer = Type.Object(
  { recoveryCodes: listOf(Type.String(), 'Each works once. They are shown only in this answer.') },
  named('RecoveryCodes'),
);
export type RecoveryCodesAnswer = Shape<typeof RecoveryCodesAnswer>;

export const FactorChangedAnswer = Type.Object(
  {
    recoveryCodes: orNull(
      listOf(Type.String(), 'Recovery codes, with the first second factor. They are shown only in this answer.'),
    ),
  },
  named('SecondFactorChanged'),
);
export type FactorChangedAnswer = Shape<typeof FactorChangedAnswer>;
