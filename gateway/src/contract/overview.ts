// The operator's overview and the log of calls. Amounts are JSON numbers in USD, exact to the nano-dollar.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';
import { ENTRY_KINDS } from './statement.ts';

const figures = {
  calls: count('Calls that have a record.'),
  failedCalls: count('Calls without an answer from upstream.'),
  promptTokens: count('Tokens of prompts.'),
  completionTokens: count('Tokens of answers.'),
  revenueUsd: usd('What calls were charged.'),
  markupUsd: usd("The part of the prices beyond the operator's cost, unpaid calls included."),
};

const ATTENTION_KINDS = ['ledger', 'routes', 'unpriced_models', 'absorbed', 'restricted', 'disk', 'jobs'] as const;

const topFields = { name: orNull(text('The name; null when it is no longer known.')), ...figures };

export const OperatorOverviewAnswer = Type.Object(
  {
    from: text('The first day (UTC).'),
    to: text('The last day (UTC).'),
    totals: Type.Object({
      ...figures,
      refusedCalls: count('Calls that were refused before a provider was asked, with those that were only counted.'),
      activeUsers: count('People who called.'),
      newUsers: count('New accounts.'),
      absorbedUsd: usd('The cost of calls that was not charged.'),
      refundsUsd: usd('Charges that were given back.'),
      costUsd: usd('What all calls cost the operator, those included that nobody paid.'),
      marginUsd: usd('Revenue less refunds and cost.'),
    }),
    money: listOf(
      Type.Object({
        kind: oneOf(ENTRY_KINDS, 'As on statements.'),
        amountUsd: usd('Positive when customers got it.'),
        entries: count('How many entries.'),
      }),
      'Credits, refunds and corrections, by kind.',
    ),
    balances: Type.Object({
      prepaidUsd: usd('The sum of all positive balances now.'),
      owedUsd: usd('The sum of all negative balances now.'),
    }),
    byDay: listOf(
      Type.Object({
        date: text('The day (UTC).'),
        ...figures,
        absorbedUsd: usd('The cost that was not charged.'),
        refundsUsd: usd('Charges that were given back on this day, of whatever day they are.'),
        costUsd: usd('What calls cost the operator.'),
        marginUsd: usd('Revenue less refunds and cost.'),
        activeUsers: count('People who called.'),
      }),
      'Days with calls or refunds, in order.',
    ),
    byHour: listOf(
      Type.Object({
        at: moment('The hour.'),
        calls: figures.calls,
        tokens: count('Of prompts and answers.'),
        revenueUsd: figures.revenueUsd,
      }),
      'Hours with calls, in order; for spans of a week at most.',
    ),
    topAccounts: listOf(Type.Object({ accountId: Type.String(), ...topFields }), 'By revenue.'),
    topModels: listOf(Type.Object({ model: Type.String(), ...figures }), 'By revenue.'),
    topKeys: listOf(
      Type.Object({
        keyId: text("A key's id, or that of a student's session."),
        accountId: orNull(text('Whose account it spends from.')),
        accountName: orNull(Type.String()),
        ...topFields,
      }),
      'By revenue.',
    ),
    attention: listOf(
      Type.Object({
        kind: oneOf(ATTENTION_KINDS, 'What it is about.'),
        count: count('How many there are.'),
        text: text('The problem, and what to do.'),
      }),
      'Problems that need attention now; empty when there are none.',
    ),
  },
  named('OperatorOverview'),
);
export type OperatorOverviewAnswer = Shape<typeof OperatorOverviewAnswer>;

export const CALL_OUTCOMES = ['ok', 'failed', 'abandoned', 'refused'] as const;

const LoggedCall = Type.Object(
  {
    id: text('The id of the record of the call, or of the request where there is no record.'),
    at: moment('When the request arrived.'),
    outcome: oneOf(
      CALL_OUTCOMES,
      '`failed`: no answer from upstream; `abandoned`: broken off and unpaid; `refused`: no provider was asked.',
    ),
    status: Type.Integer({ description: "The status that the client got, or the upstream's; 0 when there was none." }),
    code: orNull(text('The error code that the client got, where it is known.')),
    message: orNull(text('The error message that the client got.')),
    requestId: orNull(text('The request id, as in the log.')),
    generationId: orNull(text('The id of the record of the call.')),
    accountId: orNull(text('The account that pays; null for calls without a valid key.')),
    accountName: orNull(Type.String()),
    userId: orNull(text('The user who called.')),
    userEmail: orNull(Type.String()),
    keyId: orNull(text('The key that was used.')),
    keyName: orNull(Type.String()),
    model: orNull(text('The model; of a refused call, the name that the client sent.')),
    provider: orNull(text('The provider that answered.')),
    appName: orNull(Type.String()),
    operation: Type.String(),
    streamed: orNull(flag('Whether the answer came in pieces.')),
    finishReason: orNull(Type.String()),
    durationMs: count('Milliseconds from the request to the end.'),
    firstTokenMs: orNull(count('Milliseconds to the first piece of the answer.')),
    promptTokens: orNull(count('Tokens of the prompt.')),
    completionTokens: orNull(count('Tokens of the answer.')),
    costUsd: usd('What was charged.'),
    absorbedUsd: usd('The cost that was not charged.'),
    upstreamUsd: Type.Optional(usd('What it cost the operator; only in the operator’s log.')),
    count: count('How many refused calls this row stands for; of very many calls not each has a row.'),
  },
  named('LoggedCall'),
);
export type LoggedCall = Shape<typeof LoggedCall>;

export const CallLogAnswer = Type.Object(
  { calls: listOf(LoggedCall, 'Newest first.'), next: nextPage('cursor') },
  named('CallLog'),
);
export type CallLogAnswer = Shape<typeof CallLogAnswer>;
