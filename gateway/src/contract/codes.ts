// Codes that people redeem for credit.

import { type Static, Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const CODES_MAX = 1_000;

export const NewCodesBody = Type.Object(
  {
    count: Type.Integer({ minimum: 1, maximum: CODES_MAX, description: `a whole number from 1 to ${CODES_MAX}` }),
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'what each is worth, in USD with at most nine decimals',
    }),
    note: Type.Optional(
      Type.String({ maxLength: 500, description: 'text of at most 500 characters; whoever redeems one reads it' }),
    ),
    expiresAt: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: 'a time in ISO 8601, or null' }),
    ),
  },
  { ...strict, title: 'NewCodesBody' },
);
export type NewCodesBody = Static<typeof NewCodesBody>;

export const NewCodesAnswer = Type.Object(
  { batchId: text('Names the batch in paths.'), codes: listOf(Type.String(), 'In this answer and in no other.') },
  named('NewCodes'),
);
export type NewCodesAnswer = Shape<typeof NewCodesAnswer>;

export const CodeBatchList = Type.Object(
  {
    batches: listOf(
      Type.Object(
        {
          id: text('Names the batch in paths.'),
          amountUsd: usd('What each is worth.'),
          note: text('Whoever redeems one reads it.'),
          codes: count('How many were made.'),
          redeemed: count('How many of them were redeemed.'),
          expiresAt: orNull(moment('From when on they are good for nothing.')),
          voided: flag('The unused ones were withdrawn.'),
          createdAt: moment('When they were made.'),
        },
        named('CodeBatch'),
      ),
      'The newest first.',
    ),
    next: nextPage('cursor'),
  },
  named('CodeBatchList'),
);
export type CodeBatchList = Shape<typeof CodeBatchList>;

export const RedeemBody = Type.Object(
  { code: Type.String({ minLength: 1, maxLength: 100, description: 'the code' }) },
  { ...strict, title: 'RedeemBody' },
);
export type RedeemBody = Static<typeof RedeemBody>;

export const RedeemedAnswer = Type.Object(
  {
    amountUsd: usd('What the code is worth.'),
    balanceUsd: usd('What is left now.'),
    repeated: flag('The account had redeemed it before: nothing was added now.'),
  },
  named('Redeemed'),
);
export type RedeemedAnswer = Shape<typeof RedeemedAnswer>;
