// What a key's holder reads about the key, its account and its calls. Amounts are JSON numbers in USD.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, number, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const keyFields = {
  id: text('Names the key in paths.'),
  name: text('The label; it cannot be changed.'),
  keyType: oneOf(
    ['standard', 'management'],
    'Standard keys call models, management keys manage keys and organizations.',
  ),
  keyPrefix: text('How the secret begins.'),
  keySuffix: text('How the secret ends.'),
  enabled: flag('False: calls with the key are refused.'),
  spendLimitUsd: orNull(usd('What the key may spend in a period; null for no limit.')),
  spendLimitPeriod: orNull(text('When the limit begins anew; null for a limit that never does.')),
  spendLimitUsedUsd: orNull(usd('What was spent of the limit in its current period; null without a limit.')),
  expiresAt: orNull(moment('From when on the key is refused.')),
  createdAt: moment('When the key was made.'),
  lastUsed: orNull(moment('When it last made a call.')),
  requestCount: count('How many calls it made.'),
  totalTokens: count('How many tokens they took.'),
  spentUsd: usd('Everything that the key ever spent.'),
  allowedCidrs: listOf(Type.String(), 'The addresses it may be used from; empty for all.'),
  freeFallback: flag('Calls beyond the quota of a free model go on at the paid price.'),
  cacheTtlSeconds: orNull(
    count('How long answers to its calls are kept to be given again; 0: never. Null: nothing is said.'),
  ),
  disableWhenLeaked: flag('It is switched off at once when it is seen in public.'),
  leakedAt: orNull(moment('When it was first seen in public; null where nobody has.')),
  leakPlace: orNull(text('Where it was seen, as whoever reported it says.')),
  userId: Type.Optional(text("Of an organization's key alone: who holds it.")),
  teamId: Type.Optional(orNull(text("Of an organization's key alone: the team whose key it is."))),
};

/** A key in lists and answers. `key` is set only in the answer that creates it. */
export const KeyObject = Type.Object(keyFields, named('Key'));
export type KeyObject = Shape<typeof KeyObject>;

export const KeyList = Type.Object({ keys: listOf(KeyObject) }, named('KeyList'));
export type KeyList = Shape<typeof KeyList>;

export const NewKeyObject = Type.Object(
  { ...keyFields, key: text('The secret. It is in this answer and in no other.') },
  named('NewKey'),
);
export type NewKeyObject = Shape<typeof NewKeyObject>;

const RateLimitInfo = Type.Object(
  {
    requests: count('How many requests are let through in an interval.'),
    interval: text('How long an interval is, such as `1m`.'),
    note: text('Who shares the limit.'),
  },
  named('RateLimit'),
);
export type RateLimitInfo = Shape<typeof RateLimitInfo>;

export const CreditsAnswer = Type.Object(
  {
    data: Type.Object({
      total_credits: usd('Everything that was ever paid in.'),
      total_usage: usd('Everything that was ever spent; the difference is the balance.'),
    }),
  },
  named('Credits'),
);
export type CreditsAnswer = Shape<typeof CreditsAnswer>;

export const KeyInfoAnswer = Type.Object(
  {
    data: Type.Object({
      label: text("The key's name."),
      limit: orNull(usd('What it may spend in a period; null for no limit.')),
      limit_remaining: usd("What the key's own limit leaves, or the account's balance where it has none."),
      limit_reset: orNull(oneOf(['daily', 'weekly', 'monthly'], 'When the limit begins anew.')),
      expires_at: orNull(moment('From when on the key is refused.')),
      is_free_tier: flag('Prepaid, with a balance below 10 USD.'),
      is_management_key: flag('The key manages and calls no models.'),
      is_provisioning_key: flag('The same as is_management_key.'),
      usage: usd('Spent in all.'),
      usage_daily: usd('Spent today (UTC).'),
      usage_weekly: usd('Spent since Monday (UTC).'),
      usage_monthly: usd('Spent since the first of the month (UTC).'),
      requests: count('Calls in all.'),
      requests_daily: count('Calls today (UTC).'),
      requests_weekly: count('Calls since Monday (UTC).'),
      requests_monthly: count('Calls since the first of the month (UTC).'),
      rate_limit: RateLimitInfo,
      creator_user_id: text('Who holds the key.'),
      organization_id: orNull(text('The organization that pays; null for the holder.')),
      workspace_id: Type.Null(),
    }),
  },
  named('KeyInfo'),
);
export type KeyInfoAnswer = Shape<typeof KeyInfoAnswer>;

/** Exactly these five: the specification keeps this answer small. */
export const AuthKeyAnswer = Type.Object(
  {
    data: Type.Object({
      label: text("The key's name."),
      usage: usd('Spent in all.'),
      limit: orNull(usd('What it may spend in a period; null for no limit.')),
      is_free_tier: flag('Prepaid, with a balance below 10 USD.'),
      rate_limit: RateLimitInfo,
    }),
  },
  named('AuthKey'),
);
export type AuthKeyAnswer = Shape<typeof AuthKeyAnswer>;

const Attempt = Type.Object({
  provider: text('Who was asked.'),
  outcome: text('`answered`, or why it did not.'),
  status: Type.Integer({ description: "The upstream's HTTP status." }),
  duration_ms: number('How long the try took.'),
});

const AutoDecision = Type.Object({
  table: text('`paid` or `free`.'),
  tier: text('What kind of request it was taken for.'),
  promoted_from: orNull(text('The tier it was scored into, where doubt moved it one up.')),
  confidence: number('From 0 to 1.'),
  signals: listOf(Type.Object({ name: Type.String(), weight: Type.Number() }), 'What spoke for the tier.'),
});

export const Review = Type.Object({
  by: oneOf(['filter', 'guard'], 'A content filter, or a guard of others.'),
  name: text('How it was called then.'),
  of: oneOf(['input', 'output'], 'The prompt, or the answer.'),
  outcome: oneOf(['allowed', 'flagged', 'redacted', 'blocked', 'no_verdict'], 'What it decided.'),
  reason: orNull(text('What a guard gave as its reason, or why it gave no verdict.')),
});

const GenerationUsage = Type.Object({
  prompt_tokens: count('Tokens of the prompt.'),
  completion_tokens: count('Tokens of the answer.'),
  total_tokens: count('Both.'),
  prompt_tokens_details: Type.Object({
    cached_tokens: count('Read from a cache.'),
    cache_write_tokens: count('Written to a cache.'),
    audio_tokens: count('Sound.'),
  }),
  completion_tokens_details: Type.Object({
    reasoning_tokens: count('Thought.'),
    image_tokens: count('Pictures.'),
  }),
  units: Type.Optional(
    Type.Record(Type.String(), Type.Number(), {
      description:
        'What is not counted in tokens: `characters`, `audio_seconds`, `images`, `video_seconds`, `searches`, `judged`, `web_searches`, `hosted_tools`; and `cache_write_hour_tokens`, those of the tokens written to a cache that it keeps for an hour.',
    }),
  ),
  cost: usd('What was charged.'),
});

const GenerationPricing = Type.Object(
  {
    version: text('The same for equal prices, whenever they were set.'),
    tier_above_prompt_tokens: orNull(
      Type.Integer({ description: 'The prices are those of prompts longer than this; null for the ordinary ones.' }),
    ),
    completion_multiplier: Type.Integer({ description: 'What the price of completion tokens is multiplied by.' }),
    extras: listOf(Type.String(), 'What the call had beyond the ordinary, and these prices include.'),
    lines: listOf(
      Type.Object({
        what: text('What was counted.'),
        units: number('How many of it.'),
        usd_per_million: orNull(text('What a million of it costs; null where it is no price.')),
        usd_per_unit: orNull(text('What one of it costs.')),
        usd: text('Both multiplied, as exact decimal text.'),
      }),
      'They add up to what was charged; one rounding, half up, at the end.',
    ),
  },
  { description: 'How the price made the cost; null where nothing was charged.' },
);

export const GenerationAnswer = Type.Object(
  {
    data: Type.Object({
      id: text('The id of the answer to the call.'),
      model: text('The model that answered.'),
      provider: text('Who served it.'),
      created_at: moment('When the call ended.'),
      operation: text('What was called for, such as `chat`.'),
      user_id: orNull(text('Who made the call; null as long as it runs.')),
      key_id: text('The key it was made with.'),
      key_name: orNull(text('Its name, which outlives the key.')),
      app_name: orNull(text('What the caller sent as X-Title.')),
      finish_reason: orNull(text('Why the answer ended.')),
      status: Type.Integer({ description: "The upstream's HTTP status." }),
      duration_ms: number('How long the call took.'),
      first_token_ms: orNull(number('How long the first piece of the answer took.')),
      throughput: number('Completion tokens per second.'),
      streamed: flag('The answer was a stream.'),
      in_progress: flag('The call has not ended yet: what it uses and costs is not known.'),
      is_failover: flag('Another provider had failed before.'),
      is_free: flag("A free model's quota carried the call, so it cost nothing."),
      attempts: listOf(Attempt, 'Every try at a provider, in order.'),
      auto: orNull(AutoDecision),
      reviews: listOf(
        Review,
        'What filters and guards of the organization decided about the call, in their order; all of it for its administrators, by session or management key, and for others what was redacted or blocked.',
      ),
      usage: GenerationUsage,
      cost_breakdown: Type.Object({
        subtotal: usd('Before the discount of caches.'),
        cache_discount: usd('What caches saved.'),
        total: usd('What was charged.'),
      }),
      pricing: orNull(GenerationPricing),
      refunded: usd('What of the charge was given back.'),
      error: orNull(
        Type.Object(
          { status: Type.Integer(), code: Type.String(), message: Type.String() },
          { description: 'What the client of a failed call was told, for a month.' },
        ),
      ),
    }),
  },
  named('Generation'),
);
export type GenerationAnswer = Shape<typeof GenerationAnswer>;
