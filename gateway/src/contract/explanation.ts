// Why a call cost what it cost, and what providers should have billed for a span of days: for the operator only.
// Amounts are exact decimal text in USD.

import { Type } from '@sinclair/typebox';
import { Review } from './account.ts';
import { count, flag, listOf, moment, named, number, orNull, type Shape, text } from './shape.ts';

const exactUsd = (description: string) => text(`${description} In USD, as exact decimal text.`);

export const ExplanationAnswer = Type.Object(
  {
    id: text('The generation.'),
    createdAt: moment('When the call ended.'),
    accountId: text('The account that pays.'),
    accountName: orNull(text('The name of the organization, or the address of the person.')),
    userId: text('The user who called.'),
    userEmail: orNull(Type.String()),
    keyId: Type.String(),
    keyName: orNull(text('The name of the key, also after the key is deleted.')),
    teamId: orNull(Type.String()),
    operation: text('The kind of call, such as `chat`.'),
    model: Type.String(),
    provider: Type.String(),
    upstreamModel: Type.String(),
    app: orNull(Type.String()),
    streamed: flag('The answer was a stream.'),
    finishReason: orNull(Type.String()),
    durationMs: Type.Number(),
    firstTokenMs: orNull(Type.Number()),
    attempts: listOf(
      Type.Object({
        provider: Type.String(),
        upstreamModel: Type.String(),
        outcome: Type.String(),
        status: Type.Integer(),
        durationMs: Type.Number(),
      }),
      'Every attempt in order; the caller got the last one.',
    ),
    tokens: Type.Object({
      prompt: Type.Integer(),
      cached: Type.Integer(),
      cacheWrite: Type.Integer(),
      completion: Type.Integer(),
      reasoning: Type.Integer(),
    }),
    price: orNull(
      Type.Object(
        {
          version: text('An id of the prices; equal prices have the same id.'),
          firstUsedAt: moment('When the price first made a charge.'),
          tierAbovePromptTokens: orNull(
            Type.Integer({
              description:
                'The price tier: these prices are for prompts longer than this; null for the ordinary prices.',
            }),
          ),
          completionMultiplier: Type.Integer({ description: 'What the price of completion tokens is multiplied by.' }),
          extras: listOf(
            Type.String(),
            'The extras of the call, such as `service_tier=priority`. The prices include them.',
          ),
          perMillion: Type.Record(Type.String(), Type.String(), { description: 'By name, USD for a million units.' }),
        },
        { description: 'Null where nothing was charged, or the charge is archived.' },
      ),
    ),
    lines: listOf(
      Type.Object({
        what: Type.String(),
        units: Type.Number(),
        perMillionUsd: orNull(text('What a million of the units cost; null where it is no price.')),
        unitUsd: orNull(text('What one of them costs.')),
        usd: Type.String(),
      }),
      'How the price makes the cost; one rounding, half up, at the end. Empty where there is no price.',
    ),
    costUsd: exactUsd('What it cost.'),
    chargedUsd: exactUsd('What was charged.'),
    absorbedUsd: exactUsd('What was not charged.'),
    absorbedReason: orNull(text('Why it was not charged.')),
    upstreamUsd: exactUsd('What it cost the operator.'),
    marginUsd: exactUsd('The charge minus that cost; negative where the cost was not paid.'),
    entries: listOf(
      Type.Object({
        id: Type.String(),
        kind: Type.String(),
        from: Type.String(),
        to: Type.String(),
        amountUsd: Type.String(),
        createdAt: moment('When.'),
        counters: listOf(
          Type.Object({
            scope: Type.String(),
            scopeId: Type.String(),
            window: Type.String(),
            windowStart: Type.String(),
          }),
          'The caps and breakers that the call was counted under, without those whose windows ended long ago.',
        ),
      }),
      'The entries of the ledger for the call.',
    ),
    archived: flag('True: the charge and its price are only in the file of an archived month.'),
    auto: Type.Unknown({ description: 'Why the auto router chose the model, where it did.' }),
    reviews: listOf(Review, 'What filters and guards decided about the call, in order.'),
  },
  named('Explanation'),
);
export type ExplanationAnswer = Shape<typeof ExplanationAnswer>;

export const UpstreamCostsAnswer = Type.Object(
  {
    from: text('The first day.'),
    to: text('The last day.'),
    costs: listOf(
      Type.Object({
        date: Type.String(),
        provider: Type.String(),
        upstreamModel: Type.String(),
        requests: count('Calls.'),
        tokens: number('Tokens.'),
        upstreamUsd: exactUsd('What calls cost the operator, whether or not they were charged.'),
        chargedUsd: exactUsd('What was charged.'),
        absorbedUsd: exactUsd('What was not charged.'),
      }),
    ),
  },
  named('UpstreamCosts'),
);
export type UpstreamCostsAnswer = Shape<typeof UpstreamCostsAnswer>;
