// An organization's spending in a month, for its administrators. Amounts are JSON numbers in USD; months are in UTC.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, number, orNull, type Shape, text, usd } from './shape.ts';

export const REPORT_VIEWS = ['overview', 'by-team', 'by-model', 'by-member'] as const;
export type ReportView = (typeof REPORT_VIEWS)[number];

const inMonth = { year: Type.Integer(), month: Type.Integer() };

export const OverviewAnswer = Type.Object(
  {
    ...inMonth,
    totalSpend: usd('Spent in the month.'),
    savedByCache: usd('What calls that were answered from the cache would have cost.'),
    marginRate: number(
      '(spend - upstream cost) / spend, of the calls that were charged; 0 at list price, and when nothing was spent.',
    ),
    dailyTrend: listOf(
      Type.Object({ date: Type.String(), spend: Type.Number() }),
      'Every day of the month that has begun.',
    ),
  },
  named('ReportOverview'),
);
export type OverviewAnswer = Shape<typeof OverviewAnswer>;

export const ByTeamAnswer = Type.Object(
  {
    ...inMonth,
    teams: listOf(
      Type.Object({
        teamId: orNull(text('Null for calls that were made in no team.')),
        name: orNull(text('Null for no team, and for one that has been deleted since.')),
        spend: usd('Spent in the month.'),
        sharePct: number("The share of the organization's spending in the month, in percent."),
        models: listOf(Type.Object({ model: Type.String(), spend: Type.Number() })),
        monthlyBudget: orNull(usd('What the team may spend in a month.')),
        budgetUtilizationPct: orNull(number('Null without a budget, and with a budget of 0.')),
      }),
    ),
  },
  named('ReportByTeam'),
);
export type ByTeamAnswer = Shape<typeof ByTeamAnswer>;

export const ByModelAnswer = Type.Object(
  {
    ...inMonth,
    models: listOf(
      Type.Object({
        model: Type.String(),
        spend: usd('Spent in the month.'),
        tokens: count('Tokens in the month.'),
        requests: count('Calls in the month.'),
        avgPricePer1M: orNull(usd('For a million tokens; null for what is not billed by tokens.')),
      }),
    ),
  },
  named('ReportByModel'),
);
export type ByModelAnswer = Shape<typeof ByModelAnswer>;

export const ByMemberAnswer = Type.Object(
  {
    ...inMonth,
    members: listOf(
      Type.Object({
        memberId: orNull(text('Null for people who have left.')),
        userId: Type.String(),
        name: orNull(Type.String()),
        email: orNull(Type.String()),
        team: orNull(Type.Object({ id: Type.String(), name: Type.String() }, { description: 'The present team.' })),
        spend: usd('Spent in the month.'),
        requests: count('Calls in the month.'),
        tokens: count('Tokens in the month.'),
      }),
    ),
  },
  named('ReportByMember'),
);
export type ByMemberAnswer = Shape<typeof ByMemberAnswer>;
