// What a signed-in person reads of an account: their own, or an organization's. Amounts are JSON numbers in USD.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, number, oneOf, orNull, type Shape, text, usd } from './shape.ts';

export const OwnAccountAnswer = Type.Object(
  {
    data: Type.Object({
      account_id: text('The id of the person or of the organization.'),
      kind: oneOf(['person', 'organization'], 'Whose account it is.'),
      name: text('The name of the person or of the organization.'),
      email: orNull(text('An organization has none.')),
      balance: usd('The balance.'),
      total_credits: usd('All credit that was ever added.'),
      total_usage: usd('All that was ever spent.'),
      is_free_tier: flag('Prepaid, with a balance below 10 USD.'),
      rate_limit: Type.Object({
        requests: count('How many requests are allowed in an interval.'),
        interval: text('How long an interval is.'),
      }),
    }),
  },
  named('Account'),
);
export type OwnAccountAnswer = Shape<typeof OwnAccountAnswer>;

export const GenerationSummary = Type.Object(
  {
    id: text('The id of the answer to the call.'),
    created_at: moment('When the call ended.'),
    model: text('The model that answered.'),
    provider: text('The provider that served the call.'),
    app_name: orNull(text('What the caller sent as X-Title.')),
    key_id: text('The key it was made with.'),
    user_id: text('Who made the call.'),
    operation: text('The kind of call, such as `chat`.'),
    finish_reason: orNull(text('Why the answer ended.')),
    status: Type.Integer({ description: "The upstream's HTTP status." }),
    streamed: flag('The answer was a stream.'),
    duration_ms: number('How long the call took.'),
    first_token_ms: orNull(number('The time until the first piece of the answer.')),
    prompt_tokens: count('Tokens of the prompt.'),
    completion_tokens: count('Tokens of the answer.'),
    cost: usd('What was charged.'),
  },
  named('GenerationSummary'),
);
export type GenerationSummary = Shape<typeof GenerationSummary>;

/** Newest first. */
export const GenerationListAnswer = Type.Object(
  { data: listOf(GenerationSummary), next: nextPage('after') },
  named('GenerationList'),
);
export type GenerationListAnswer = Shape<typeof GenerationListAnswer>;
