// An application that asks a user for a key: what the user agrees to in the console, and what the application sends for
// it.

import { type Static, Type } from '@sinclair/typebox';
import { named, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };

const DAYS_MAX = 3_650;
const LIMIT_USD_MAX = 1_000_000_000;

const method = Type.Literal('S256', { description: 'the text S256' });

export const GrantBody = Type.Object(
  {
    callbackUrl: Type.String({ minLength: 1, maxLength: 2_000, description: 'where the code is sent' }),
    codeChallenge: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'a SHA-256 in base64url: 43 characters',
    }),
    codeChallengeMethod: method,
    limitUsd: Type.Union([Type.Number({ minimum: 0, maximum: LIMIT_USD_MAX }), Type.Null()], {
      description: 'what the key may spend, or null for no limit',
    }),
    limitReset: Type.Union([...['daily', 'weekly', 'monthly'].map((period) => Type.Literal(period)), Type.Null()], {
      description: 'one of daily, weekly, monthly, or null for a limit that never resets',
    }),
    expiresInDays: Type.Union([Type.Integer({ minimum: 1, maximum: DAYS_MAX }), Type.Null()], {
      description: `a number of days from 1 to ${DAYS_MAX}, or null for a key that does not expire`,
    }),
  },
  { ...strict, title: 'GrantBody' },
);
export type GrantBody = Static<typeof GrantBody>;

export const GrantAnswer = Type.Object(
  { redirectTo: text("The application's address, with the code.") },
  named('ApplicationGrant'),
);
export type GrantAnswer = Shape<typeof GrantAnswer>;

export const ExchangeBody = Type.Object(
  {
    code: Type.String({ minLength: 1, maxLength: 200, description: 'the code of the callback' }),
    code_verifier: Type.String({
      pattern: '^[A-Za-z0-9._~-]{43,128}$',
      description: 'what the challenge was made from: 43 to 128 characters',
    }),
    code_challenge_method: Type.Optional(Type.Union([method, Type.Null()], { description: 'the text S256' })),
  },
  { ...strict, title: 'ExchangeBody' },
);
export type ExchangeBody = Static<typeof ExchangeBody>;

export const ExchangeAnswer = Type.Object(
  { key: text('The key. It is shown only in this answer.'), user_id: text('Whose key it is.') },
  named('ExchangedKey'),
);
export type ExchangeAnswer = Shape<typeof ExchangeAnswer>;
