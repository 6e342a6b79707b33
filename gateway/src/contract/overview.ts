// The operator's overview and the log of calls. Amounts are JSON numbers in USD, exact to the nano-dollar.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';
import { ENTRY_KINDS } from './statement.ts';

const figures = {
  calls: count('That have a record.'),
  failedCalls: count('Of those: without an answer from upstream.'),
  promptTokens: count('Tokens of prompts.'),
  completionTokens: count('Tokens of answers.'),
  revenueUsd: usd('What calls were charged.'),
  markupUsd: usd('What their prices hold beyond what they cost the operator, those included that nobody paid.'),
};

const ATTENTION_KINDS = ['ledger', 'routes', 'unpriced_models', 'absorbed', 'restricted', 'disk', 'jobs'] as const;

const topFields = { name: orNull(text('How it is called; null when nobody knows any more.')), ...figures };

export const OperatorOverviewAnswer = Type.Object(
  {
    from: text('The first day (UTC).'),
    to: text('The last day (UTC).'),
    totals: Type.Object({
      ...figures,
      refusedCalls: count('Refused before a record was made, those included that only were counted.'),
      activeUsers: count('People who called.'),
      newUsers: count('People who came.'),
      absorbedUsd: usd('What calls cost that nobody paid.'),
      refundsUsd: usd('Charges that were given back.'),
      costUsd: usd('What all calls cost the operator, those included that nobody paid.'),
      marginUsd: usd('Revenue less refunds and cost.'),
    }),
    money: listOf(
      Type.Object({
        kind: oneOf(ENTRY_KINDS, 'As on statements.'),
        amountUsd: usd('Above zero when customers got it.'),
        entries: count('How many.'),
      }),
      'What came in and went back.',
    ),
    balances: Type.Object({
      prepaidUsd: usd('What customers have and did not use, now.'),
      owedUsd: usd('What customers owe, now; zero or below.'),
    }),
    byDay: listOf(
      Type.Object({
        date: text('The day (UTC).'),
        ...figures,
        absorbedUsd: usd('What nobody paid.'),
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
        count: count('How many.'),
        text: text('What is the matter, and what helps.'),
      }),
      'What somebody should look at, now. Empty when all is well.',
    ),
  },
  named('OperatorOverview'),
);
export type OperatorOverviewAnswer = Shape<typeof OperatorOverviewAnswer>;

export const CALL_OUTCOMES = ['ok', 'failed', 'abandoned', 'refused'] as const;

const LoggedCall = Type.Object(
  {
    id: text('Of the record of the call, or of the request where there is none.'),
    at: moment('When it came.'),
    outcome: oneOf(
      CALL_OUTCOMES,
      'failed: no answer from upstream; abandoned: broken off and unpaid; refused: nobody was asked.',
    ),
    status: Type.Integer({ description: 'What the client was told, or the upstream said; 0 when nothing came.' }),
    code: orNull(text('Of the error that the client got, as far as it is known.')),
    message: orNull(text('Its words.')),
    requestId: orNull(text('As in the log lines.')),
    generationId: orNull(text('Names the record.')),
    accountId: orNull(text('Who paid; null for strangers.')),
    accountName: orNull(Type.String()),
    userId: orNull(text('Who called.')),
    userEmail: orNull(Type.String()),
    keyId: orNull(text('With which key.')),
    keyName: orNull(Type.String()),
    model: orNull(text('What was called; of a refused call, as the client named it.')),
    provider: orNull(text('Who answered.')),
    appName: orNull(Type.String()),
    operation: Type.String(),
    streamed: orNull(flag('Whether the answer came in pieces.')),
    finishReason: orNull(Type.String()),
    durationMs: count('From the request to the end.'),
    firstTokenMs: orNull(count('To the first piece.')),
    promptTokens: orNull(count('Tokens of the prompt.')),
    completionTokens: orNull(count('Tokens of the answer.')),
    costUsd: usd('What was charged.'),
    absorbedUsd: usd('What it cost that nobody paid.'),
    upstreamUsd: Type.Optional(usd('What it cost the operator; in the operator’s log alone.')),
    count: count('How many refusals it stands for; where there are many, not every one has a row.'),
  },
  named('LoggedCall'),
);
export type LoggedCall = Shape<typeof LoggedCall>;

export const CallLogAnswer = Type.Object(
  { calls: listOf(LoggedCall, 'The newest first.'), next: nextPage('cursor') },
  named('CallLog'),
);
export type CallLogAnswer = Shape<typeof CallLogAnswer>;
