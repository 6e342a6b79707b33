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
      Type.String({ maxLength: 500, description: 'text of at most 500 characters; people who redeem a code read it' }),
    ),
    expiresAt: Type.Optional(
      Type.Union([Type.String({ maxLength: 40 }), Type.Null()], { description: 'a time in ISO 8601, or null' }),
    ),
  },
  { ...strict, title: 'NewCodesBody' },
);
export type NewCodesBody = Static<typeof NewCodesBody>;

export const NewCodesAnswer = Type.Object(
  {
    batchId: text('The id of the batch, used in paths.'),
    codes: listOf(Type.String(), 'The codes. They are shown only in this answer.'),
  },
  named('NewCodes'),
);
export type NewCodesAnswer = Shape<typeof NewCodesAnswer>;

export const CodeBatchList = Type.Object(
  {
    batches: listOf(
      Type.Object(
        {
          id: text('The id of the batch, used in paths.'),
          amountUsd: usd('The credit of each code.'),
          note: text('A note that people who redeem a code can read.'),
          codes: count('How many were made.'),
          redeemed: count('How many of them were redeemed.'),
          expiresAt: orNull(moment('When the codes expire.')),
          voided: flag('The unused ones were withdrawn.'),
          createdAt: moment('When they were made.'),
        },
        named('CodeBatch'),
      ),
      'Newest first.',
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
    balanceUsd: usd('The balance after this.'),
    repeated: flag('True: this account had redeemed the code before, and nothing was added now.'),
  },
  named('Redeemed'),
);
export type RedeemedAnswer = Shape<typeof RedeemedAnswer>;
