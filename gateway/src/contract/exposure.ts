// What a user's calls have left unpaid in an account, and whether the user is restricted for it. Amounts are JSON
// numbers in USD.

import { type Static, Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const exposureFields = {
  accountId: text('The account whose money the calls would have used.'),
  restricted: flag('True: calls are refused for the moment.'),
  restrictedUntil: orNull(
    moment('When the restriction ends; null without one, and for one that only an operator can lift.'),
  ),
  restrictedReason: orNull(text('Why: `abandoned`, `oversize`, `exhausted`, `interrupted` or `implausible`.')),
  restrictions: count('How many restrictions there were within a month; each lasts longer.'),
  unpaidUsd: usd('What counts as unpaid now; it goes down with time.'),
  inFlightUsd: usd('What is held for calls under way in the process that answers.'),
  allowanceUsd: usd('How much may be unpaid before calls are refused.'),
};

/** The caller's own, in one account. */
export const OwnExposure = Type.Object(exposureFields, named('Exposure'));
export type OwnExposure = Shape<typeof OwnExposure>;

/** The person's own account first, then those of organizations. */
export const OwnExposureList = Type.Object({ accounts: listOf(OwnExposure) }, named('ExposureList'));
export type OwnExposureList = Shape<typeof OwnExposureList>;

export const UserExposure = Type.Object(
  {
    ...exposureFields,
    userId: text('Who made the calls.'),
    extraUsd: usd('What an operator has added to the allowance.'),
  },
  named('UserExposure'),
);
export type UserExposure = Shape<typeof UserExposure>;

export const UserExposureList = Type.Object(
  { exposures: listOf(UserExposure, 'Restricted people first, then by unpaid cost.') },
  named('UserExposureList'),
);
export type UserExposureList = Shape<typeof UserExposureList>;

/** A field that is left out stays as it is. */
export const ExposureBody = Type.Object(
  {
    restricted: Type.Optional(
      Type.Literal(false, { description: 'false, which lifts a restriction and forgets those before it' }),
    ),
    extraUsd: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'an amount from 0 to 1000000 that is added to the allowance',
      }),
    ),
  },
  { ...strict, title: 'ExposureBody' },
);
export type ExposureBody = Static<typeof ExposureBody>;
