// Corrections by the operator: credit that is given or taken back with a reason, and the refund of a call.

import { type Static, Type } from '@sinclair/typebox';
import { named, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };
const REASON_LENGTH_MAX = 500;

const reason = Type.String({
  minLength: 1,
  maxLength: REASON_LENGTH_MAX,
  description: `text of 1 to ${REASON_LENGTH_MAX} characters; the holder of the account reads it`,
});

export const AdjustmentBody = Type.Object(
  {
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'an amount in USD with at most nine decimals, below zero to take back',
    }),
    reason,
    reference: Type.Optional(
      Type.String({
        pattern: '^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,198}[\\x21-\\x7e])?$',
        description: '1 to 200 letters, digits and signs of ASCII; the same one counts once',
      }),
    ),
    allowBelowZero: Type.Optional(
      Type.Boolean({ description: 'true to take back what was spent already: the account owes it from then on' }),
    ),
  },
  { ...strict, title: 'AdjustmentBody' },
);
export type AdjustmentBody = Static<typeof AdjustmentBody>;

export const RefundBody = Type.Object({ reason }, { ...strict, title: 'RefundBody' });
export type RefundBody = Static<typeof RefundBody>;

const outcomeFields = {
  balanceUsd: usd('The balance after this.'),
  entryId: text('The number of the entry in the journal; the same when the request is repeated.'),
};

export const AdjustedAnswer = Type.Object(outcomeFields, named('Adjusted'));
export type AdjustedAnswer = Shape<typeof AdjustedAnswer>;

export const RefundedAnswer = Type.Object(
  { accountId: text('Who was charged.'), refundedUsd: usd('What the call was charged.'), ...outcomeFields },
  named('Refunded'),
);
export type RefundedAnswer = Shape<typeof RefundedAnswer>;
