// What a key's holder reads about the key, its account and its calls. Amounts are JSON numbers in USD.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, number, oneOf, orNull, type Shape, text, usd } from './shape.ts';

const keyFields = {
  id: text('The id of the key, used in paths.'),
  name: text('The name of the key; it cannot be changed.'),
  keyType: oneOf(
    ['standard', 'management'],
    'Standard keys call models, management keys manage keys and organizations.',
  ),
  keyPrefix: text('The first characters of the secret.'),
  keySuffix: text('The last characters of the secret.'),
  enabled: flag('False: calls with the key are refused.'),
  spendLimitUsd: orNull(usd('What the key may spend in a period; null for no limit.')),
  spendLimitPeriod: orNull(text('How often the limit starts again at zero; null for a limit that never does.')),
  spendLimitUsedUsd: orNull(usd('What was spent of the limit in its current period; null without a limit.')),
  expiresAt: orNull(moment('When the key expires.')),
  createdAt: moment('When the key was made.'),
  lastUsed: orNull(moment('When it last made a call.')),
  requestCount: count('How many calls it made.'),
  totalTokens: count('How many tokens its calls used.'),
  spentUsd: usd('What the key has spent in all.'),
  allowedCidrs: listOf(Type.String(), 'The IP addresses it may be used from; empty for all.'),
  freeFallback: flag('Calls beyond the quota of a free model go on at the paid price.'),
  cacheTtlSeconds: orNull(
    count(
      'For how many seconds answers to its calls may be given again from the cache; 0: never; null: the organization decides.',
    ),
  ),
  disableWhenLeaked: flag('True: the key is switched off at once when somebody reports that it was seen in public.'),
  leakedAt: orNull(moment('When it was first reported as seen in public; null when it was not.')),
  leakPlace: orNull(text('Where it was seen, in the words of the report.')),
  userId: Type.Optional(text('Only for keys of organizations: the member who holds the key.')),
  teamId: Type.Optional(orNull(text('Only for keys of organizations: the team that the key belongs to.'))),
};

/** A key in lists and answers. `key` is set only in the answer that creates it. */
export const KeyObject = Type.Object(keyFields, named('Key'));
export type KeyObject = Shape<typeof KeyObject>;

export const KeyList = Type.Object({ keys: listOf(KeyObject) }, named('KeyList'));
export type KeyList = Shape<typeof KeyList>;

export const NewKeyObject = Type.Object(
  { ...keyFields, key: text('The secret. It is shown only in this answer.') },
  named('NewKey'),
);
export type NewKeyObject = Shape<typeof NewKeyObject>;

const RateLimitInfo = Type.Object(
  {
    requests: count('How many requests are allowed in an interval.'),
    interval: text('How long an interval is, such as `1m`.'),
    note: text('Who shares the limit.'),
  },
  named('RateLimit'),
);
export type RateLimitInfo = Shape<typeof RateLimitInfo>;

export const CreditsAnswer = Type.Object(
  {
    data: Type.Object({
      total_credits: usd('All credit that was ever added.'),
      total_usage: usd('All that was ever spent; the difference of the two is the balance.'),
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
      limit_remaining: usd("What is left of the key's own limit, or the account's balance where the key has no limit."),
      limit_reset: orNull(oneOf(['daily', 'weekly', 'monthly'], 'How often the limit starts again at zero.')),
      expires_at: orNull(moment('When the key expires.')),
      is_free_tier: flag('Prepaid, with a balance below 10 USD.'),
      is_management_key: flag('True for a management key, which calls no models.'),
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
  provider: text('The provider that was asked.'),
  outcome: text('`answered`, or why the provider did not answer.'),
  status: Type.Integer({ description: "The upstream's HTTP status." }),
  duration_ms: number('How long the attempt took.'),
});

const AutoDecision = Type.Object({
  table: text('`paid` or `free`.'),
  tier: text('The tier that the request was sorted into.'),
  promoted_from: orNull(text('The tier that was scored, where the router was unsure and chose the next higher one.')),
  confidence: number('From 0 to 1.'),
  signals: listOf(Type.Object({ name: Type.String(), weight: Type.Number() }), 'The signals that spoke for the tier.'),
});

export const Review = Type.Object({
  by: oneOf(
    ['filter', 'guard', 'operator'],
    "The organization's content filter or outside guard, or a guard of the operator's.",
  ),
  name: text('Its name at that time.'),
  of: oneOf(['input', 'output'], 'The prompt, or the answer.'),
  outcome: oneOf(['allowed', 'flagged', 'redacted', 'blocked', 'no_verdict'], 'What it decided.'),
  reason: orNull(text("The guard's reason, or why there was no verdict.")),
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
    reasoning_tokens: count('Tokens of reasoning.'),
    image_tokens: count('Tokens of pictures.'),
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
    version: text('An id of the prices; equal prices have the same id.'),
    tier_above_prompt_tokens: orNull(
      Type.Integer({
        description: 'The price tier: these prices are for prompts longer than this; null for the ordinary prices.',
      }),
    ),
    completion_multiplier: Type.Integer({ description: 'What the price of completion tokens is multiplied by.' }),
    extras: listOf(Type.String(), 'The extras of the call, such as `service_tier=priority`. The prices include them.'),
    lines: listOf(
      Type.Object({
        what: text('What was counted.'),
        units: number('How many units.'),
        usd_per_million: orNull(text('The price of a million units; null where the line is not a price.')),
        usd_per_unit: orNull(text('The price of one unit.')),
        usd: text('Units times price, as exact decimal text.'),
      }),
      'The lines add up to the charge, which is rounded once, half up, at the end.',
    ),
  },
  { description: 'How the price made the cost; null where nothing was charged.' },
);

export const GenerationAnswer = Type.Object(
  {
    data: Type.Object({
      id: text('The id of the answer to the call.'),
      model: text('The model that answered.'),
      provider: text('The provider that served the call.'),
      created_at: moment('When the call ended.'),
      operation: text('The kind of call, such as `chat`.'),
      user_id: orNull(text('The user who made the call; always there.')),
      key_id: text('The key it was made with.'),
      key_name: orNull(text('The name of the key, also after the key is deleted.')),
      app_name: orNull(text('What the caller sent as X-Title.')),
      finish_reason: orNull(text('Why the answer ended.')),
      status: Type.Integer({ description: "The upstream's HTTP status." }),
      duration_ms: number('How long the call took.'),
      first_token_ms: orNull(number('The time until the first piece of the answer.')),
      throughput: number('Completion tokens per second.'),
      streamed: flag('The answer was a stream.'),
      in_progress: flag('The call has not ended yet: what it uses and costs is not known.'),
      is_failover: flag('True when another provider was tried before and failed.'),
      is_free: flag('True when the free quota of the model was used, so the call cost nothing.'),
      attempts: listOf(Attempt, 'Every attempt at a provider, in order.'),
      auto: orNull(AutoDecision),
      reviews: listOf(
        Review,
        "What filters and guards decided about the call, in their order: what was redacted or blocked, and to an organization's administrators, by session or management key, all that its own have decided.",
      ),
      usage: GenerationUsage,
      cost_breakdown: Type.Object({
        subtotal: usd('Before the discount of caches.'),
        cache_discount: usd('What caches saved.'),
        total: usd('What was charged.'),
      }),
      pricing: orNull(GenerationPricing),
      refunded: usd('How much of the charge was refunded.'),
      error: orNull(
        Type.Object(
          { status: Type.Integer(), code: Type.String(), message: Type.String() },
          { description: 'The error that the client of a failed call got; kept for a month.' },
        ),
      ),
    }),
  },
  named('Generation'),
);
export type GenerationAnswer = Shape<typeof GenerationAnswer>;
