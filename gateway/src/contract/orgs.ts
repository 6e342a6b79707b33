// Organizations and their statements, as the operator sees them. Unknown fields are refused by name.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };

const name = Type.String({ minLength: 1, maxLength: 200, description: 'text of 1 to 200 characters' });
const billingPlan = Type.Union([Type.Literal('prepaid'), Type.Literal('monthly')], {
  description: 'prepaid or monthly',
});
const creditLineUsd = Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
  description: 'an amount in USD with at most nine decimals',
});

export const NewOrgBody = Type.Object(
  {
    name,
    ownerUserId: Type.String({ minLength: 1, maxLength: 100, description: "a user's id" }),
    billingPlan: Type.Optional(billingPlan),
    creditLineUsd: Type.Optional(creditLineUsd),
  },
  strict,
);
export type NewOrgBody = Static<typeof NewOrgBody>;

export const OrgChangesBody = Type.Object(
  {
    suspended: Type.Optional(Type.Boolean({ description: 'true or false' })),
    billingPlan: Type.Optional(billingPlan),
    creditLineUsd: Type.Optional(creditLineUsd),
    seats: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'a whole number from 1 to 1000000' }),
    ),
  },
  strict,
);
export type OrgChangesBody = Static<typeof OrgChangesBody>;

export const NewOrgKeyBody = Type.Object(
  {
    name,
    keyType: Type.Optional(
      Type.Union([Type.Literal('standard'), Type.Literal('management')], { description: 'standard or management' }),
    ),
    userId: Type.String({ minLength: 1, maxLength: 100, description: "a member's user id" }),
  },
  strict,
);
export type NewOrgKeyBody = Static<typeof NewOrgKeyBody>;

export const StatementPaidBody = Type.Object(
  {
    reference: Type.String({ minLength: 1, maxLength: 200, description: 'text of 1 to 200 characters' }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'text of at most 500 characters' })),
  },
  strict,
);
export type StatementPaidBody = Static<typeof StatementPaidBody>;

export type OrgAnswer = Readonly<{ id: string; name: string }>;

export type OrgListAnswer = Readonly<{
  orgs: readonly (OrgAnswer & Readonly<{ suspended: boolean; createdAt: string }>)[];
  /** The `cursor` of the page that follows; null on the last one. */
  next: string | null;
}>;

export type OrgStateAnswer = OrgAnswer &
  Readonly<{
    billingPlan: 'prepaid' | 'monthly';
    /** Null for prepaid. */
    creditLineUsd: number | null;
    /** Below zero: what is owed. */
    balanceUsd: number;
    /** How many members it has room for. */
    seats: number;
    suspended: boolean;
  }>;

export type StatementAnswer = Readonly<{
  orgId: string;
  year: number;
  month: number;
  /** open: the month is not over. issued: over and not marked as paid. */
  state: 'open' | 'issued' | 'paid';
  totalUsd: number;
  paidUsd: number;
  /** What marking it as paid would credit now. */
  dueUsd: number;
  lines: readonly Readonly<{ model: string; requests: number; amountUsd: number }>[];
  payments: readonly Readonly<{ amountUsd: number; reference: string; note: string; paidAt: string }>[];
}>;
