// Spend breakers and the emergency brake: what may be set and what is answered. Amounts are JSON numbers in USD.

import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { flag, named, oneOf, orNull, type Shape, usd } from './shape.ts';

const strict = { additionalProperties: false };

const BREAKER_USD_MIN = 0.01;
const USD_MAX = 1_000_000_000;

const threshold = Type.Union([Type.Number({ minimum: BREAKER_USD_MIN, maximum: USD_MAX }), Type.Null()], {
  description: `a number of USD from ${BREAKER_USD_MIN} to ${USD_MAX}, or null for the default`,
});

/** A field that is left out stays as it is; null inherits. */
export const BreakerBody = Type.Object(
  {
    cbEnabled: Type.Optional(
      Type.Union([Type.Boolean(), Type.Null()], { description: 'true, false, or null for the default' }),
    ),
    cbMinuteUsd: Type.Optional(threshold),
    cbHourlyUsd: Type.Optional(threshold),
  },
  { ...strict, title: 'BreakerBody' },
);
export type BreakerBody = Static<typeof BreakerBody>;

const breakerFields = {
  settings: Type.Object(
    {
      cbEnabled: orNull(Type.Boolean()),
      cbMinuteUsd: orNull(Type.Number()),
      cbHourlyUsd: orNull(Type.Number()),
    },
    { description: 'What is set here; null means inherited.' },
  ),
  resolvedSettings: Type.Object(
    { cbEnabled: Type.Boolean(), cbMinuteUsd: Type.Number(), cbHourlyUsd: Type.Number() },
    { description: 'What applies, with inherited values.' },
  ),
  liveSpend: Type.Object({
    minuteSpend: usd('Spent in this minute.'),
    hourSpend: usd('Spent in this hour.'),
  }),
};

export const BreakerAnswer = Type.Object(breakerFields, named('Breaker'));
export type BreakerAnswer = Shape<typeof BreakerAnswer>;

/** The value that a scope without one of its own inherits, and the nearest scope above that has it. */
const inherited = <Schema extends TSchema>(value: Schema) =>
  Type.Object({ value, from: oneOf(['team', 'org', 'platform'], 'Which layer the value comes from.') });

/** For an organization, a team or a member. */
export const OrgBreakerAnswer = Type.Object(
  {
    ...breakerFields,
    inheritedSettings: Type.Object(
      {
        cbEnabled: inherited(Type.Boolean()),
        cbMinuteUsd: inherited(Type.Number()),
        cbHourlyUsd: inherited(Type.Number()),
      },
      { description: 'The values that apply where nothing is set here.' },
    ),
  },
  named('OrgBreaker'),
);
export type OrgBreakerAnswer = Shape<typeof OrgBreakerAnswer>;

const brakeValue = Type.Union([Type.Number({ minimum: 0, maximum: USD_MAX }), Type.Null()], {
  description: 'a number of at least 0, or null to leave the window unwatched',
});

export const BrakeBody = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
    minuteUsd: Type.Optional(brakeValue),
    hourUsd: Type.Optional(brakeValue),
  },
  { ...strict, title: 'BrakeBody' },
);
export type BrakeBody = Static<typeof BrakeBody>;

export const BrakeAnswer = Type.Object(
  {
    enabled: flag('True: the brake is on.'),
    minuteUsd: orNull(usd('What all accounts together may spend in a minute; null: no limit.')),
    hourUsd: orNull(usd('What all accounts together may spend in an hour; null: no limit.')),
  },
  named('Brake'),
);
export type BrakeAnswer = Shape<typeof BrakeAnswer>;
