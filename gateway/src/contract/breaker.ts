// Spend breakers and the emergency brake: what may be set and what is answered. Amounts are JSON numbers in USD.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

export const BREAKER_USD_MIN = 0.01;
const USD_MAX = 1_000_000_000;

const threshold = Type.Union([Type.Number({ minimum: BREAKER_USD_MIN, maximum: USD_MAX }), Type.Null()], {
  description: `a number of at least ${BREAKER_USD_MIN}, or null for the default`,
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
  strict,
);
export type BreakerBody = Static<typeof BreakerBody>;

export type BreakerAnswer = Readonly<{
  settings: Readonly<{ cbEnabled: boolean | null; cbMinuteUsd: number | null; cbHourlyUsd: number | null }>;
  /** After inheritance. */
  resolvedSettings: Readonly<{ cbEnabled: boolean; cbMinuteUsd: number; cbHourlyUsd: number }>;
  liveSpend: Readonly<{ minuteSpend: number; hourSpend: number }>;
}>;

/** What a scope without a value of its own takes, and the nearest one above that has it. */
type Inherited<Value> = Readonly<{ value: Value; from: 'team' | 'org' | 'platform' }>;

/** Of an organization, a team or a member. */
export type OrgBreakerAnswer = BreakerAnswer &
  Readonly<{
    inheritedSettings: Readonly<{
      cbEnabled: Inherited<boolean>;
      cbMinuteUsd: Inherited<number>;
      cbHourlyUsd: Inherited<number>;
    }>;
  }>;

const brakeValue = Type.Union([Type.Number({ minimum: 0, maximum: USD_MAX }), Type.Null()], {
  description: 'a number of at least 0, or null to leave the window unwatched',
});

export const BrakeBody = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
    minuteUsd: Type.Optional(brakeValue),
    hourUsd: Type.Optional(brakeValue),
  },
  strict,
);
export type BrakeBody = Static<typeof BrakeBody>;

export type BrakeAnswer = Readonly<{ enabled: boolean; minuteUsd: number | null; hourUsd: number | null }>;
