// The bodies that make and change keys. Creation and change name their fields differently, as the specification says:
// `limit` here is `spendLimitUsd` there, and each refuses the other's name.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { named, type Shape } from './shape.ts';

const strict = { additionalProperties: false };
const LIMIT_USD_MAX = 1_000_000_000;
const CIDRS_MAX = 200;

const name = nameField(200);

const keyType = Type.Union([Type.Literal('standard'), Type.Literal('management')], {
  description: 'one of standard, management',
});

const limit = Type.Union([Type.Number({ minimum: 0, maximum: LIMIT_USD_MAX }), Type.Null()], {
  description: `a number of USD from 0 to ${LIMIT_USD_MAX}, or null for no limit`,
});

const period = Type.Union(
  [...['day', 'daily', 'week', 'weekly', 'month', 'monthly'].map((spelling) => Type.Literal(spelling)), Type.Null()],
  { description: 'one of daily, weekly, monthly, or null for a limit that never resets' },
);

const moment = Type.Union([Type.String({ maxLength: 40 }), Type.Null()], {
  description: 'a time in ISO 8601 such as 2030-01-31T12:00:00Z, or null',
});

const allowedCidrs = Type.Array(Type.String({ maxLength: 64, description: 'an address or an IPv4 range' }), {
  maxItems: CIDRS_MAX,
  description: `a list of at most ${CIDRS_MAX} addresses or IPv4 ranges`,
});

const freeFallback = Type.Boolean({ description: 'true or false' });
const disableWhenLeaked = Type.Boolean({ description: 'true or false' });

/** Null: no setting. */
export const cacheTtlSeconds = Type.Union([Type.Integer({ minimum: 0, maximum: 86_400 }), Type.Null()], {
  description: 'whole seconds from 1 to 86400, 0 for never, or null to say nothing',
});

const creationFields = {
  name,
  keyType: Type.Optional(keyType),
  limit: Type.Optional(limit),
  limit_reset: Type.Optional(period),
  expires_at: Type.Optional(moment),
  allowedCidrs: Type.Optional(allowedCidrs),
  freeFallback: Type.Optional(freeFallback),
  cacheTtlSeconds: Type.Optional(cacheTtlSeconds),
  disableWhenLeaked: Type.Optional(disableWhenLeaked),
};

export const CreateKeyBody = Type.Object(creationFields, { ...strict, title: 'CreateKeyBody' });
export type CreateKeyBody = Static<typeof CreateKeyBody>;

export const CreateOrgKeyBody = Type.Object(
  {
    ...creationFields,
    userId: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: "a member's user id" })),
    teamId: Type.Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 100 }), Type.Null()], {
        description: "the id of the member's team, or null",
      }),
    ),
  },
  { ...strict, title: 'CreateOrgKeyBody' },
);
export type CreateOrgKeyBody = Static<typeof CreateOrgKeyBody>;

export const ChangeKeyBody = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
    spendLimitUsd: Type.Optional(limit),
    spendLimitPeriod: Type.Optional(period),
    expiresAt: Type.Optional(moment),
    allowedCidrs: Type.Optional(allowedCidrs),
    freeFallback: Type.Optional(freeFallback),
    cacheTtlSeconds: Type.Optional(cacheTtlSeconds),
    disableWhenLeaked: Type.Optional(disableWhenLeaked),
  },
  { ...strict, title: 'ChangeKeyBody' },
);
export type ChangeKeyBody = Static<typeof ChangeKeyBody>;

export const KeyChangedAnswer = Type.Object({ updated: Type.Literal(true) }, named('KeyChanged'));
export type KeyChangedAnswer = Shape<typeof KeyChangedAnswer>;
