// Organizations and their statements, as the operator sees them.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { count, flag, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const name = nameField(200);
const billingPlan = Type.Union([Type.Literal('prepaid'), Type.Literal('monthly')], {
  description: 'one of prepaid, monthly',
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
  { ...strict, title: 'NewOrgBody' },
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
    vouched: Type.Optional(Type.Boolean({ description: 'true or false' })),
    memberDomains: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 253,
          pattern: '^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$',
          description: 'a domain in lower case',
        }),
        { maxItems: 100, description: 'a list of at most 100 domains' },
      ),
    ),
  },
  { ...strict, title: 'OrgChangesBody' },
);
export type OrgChangesBody = Static<typeof OrgChangesBody>;

export const NewOrgKeyBody = Type.Object(
  {
    name,
    keyType: Type.Optional(
      Type.Union([Type.Literal('standard'), Type.Literal('management')], {
        description: 'one of standard, management',
      }),
    ),
    userId: Type.String({ minLength: 1, maxLength: 100, description: "a member's user id" }),
  },
  { ...strict, title: 'NewOrgKeyBody' },
);
export type NewOrgKeyBody = Static<typeof NewOrgKeyBody>;

export const StatementPaidBody = Type.Object(
  {
    reference: Type.String({ minLength: 1, maxLength: 200, description: 'text of 1 to 200 characters' }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'text of at most 500 characters' })),
  },
  { ...strict, title: 'StatementPaidBody' },
);
export type StatementPaidBody = Static<typeof StatementPaidBody>;

const orgFields = { id: text('The id of the organization, used in paths.'), name: text('The name.') };

export const OrgAnswer = Type.Object(orgFields, named('NewOrganization'));
export type OrgAnswer = Shape<typeof OrgAnswer>;

export const OrgListAnswer = Type.Object(
  {
    orgs: listOf(
      Type.Object({
        ...orgFields,
        suspended: flag('True: the organization is suspended, and its keys are refused.'),
        createdAt: moment('When it was founded.'),
        balanceUsd: usd('The balance; negative when the organization owes money.'),
      }),
    ),
    next: nextPage('cursor'),
  },
  named('OrganizationList'),
);
export type OrgListAnswer = Shape<typeof OrgListAnswer>;

export const OrgStateAnswer = Type.Object(
  {
    ...orgFields,
    billingPlan: oneOf(['prepaid', 'monthly'], 'Whether the organization pays in advance or after each month.'),
    creditLineUsd: orNull(usd('How far it may go below zero; null for prepaid.')),
    balanceUsd: usd('The balance; negative when the organization owes money.'),
    seats: count('How many members it has room for.'),
    suspended: flag('True: the organization is suspended, and its keys are refused.'),
    vouched: flag(
      'True: the operator opened the organization or vouches for it, so it may add members directly and send mail to students.',
    ),
    memberDomains: listOf(
      Type.String(),
      'The mail domains of people that it may add directly, once vouched for; empty: all.',
    ),
  },
  named('OrganizationState'),
);
export type OrgStateAnswer = Shape<typeof OrgStateAnswer>;

export const StatementAnswer = Type.Object(
  {
    orgId: Type.String(),
    year: Type.Integer(),
    month: Type.Integer(),
    state: oneOf(['open', 'issued', 'paid'], '`open`: the month is not over. `issued`: over and not marked as paid.'),
    totalUsd: usd('What was spent.'),
    paidUsd: usd('What was paid of it.'),
    dueUsd: usd('What marking it as paid would credit now.'),
    lines: listOf(
      Type.Object({ model: Type.String(), requests: Type.Integer(), amountUsd: Type.Number() }),
      'By model.',
    ),
    payments: listOf(
      Type.Object({
        amountUsd: Type.Number(),
        reference: Type.String(),
        note: Type.String(),
        paidAt: moment('When it was marked.'),
      }),
    ),
  },
  named('Statement'),
);
export type StatementAnswer = Shape<typeof StatementAnswer>;
