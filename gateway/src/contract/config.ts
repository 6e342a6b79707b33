// The config document: what an operator writes in a file or sends to the operator API, in its normal form. Prices are
// decimal text here and never JSON numbers, so that no reader can lose a digit.

import { type Static, Type } from '@sinclair/typebox';
import { AccountsEntry } from './config-accounts.ts';
import { count, oneOf, strict, text, word } from './config-fields.ts';
import { GuardEntry } from './config-guards.ts';
import { ProviderEntry, TimeoutsEntry } from './config-providers.ts';
import type { Shape } from './shape.ts';

/** Stands for a stored API key wherever a document is shown; sent back, it keeps the stored key. */
export const API_KEY_MASK = '********';

export const AUTO_TABLES = ['paid', 'free'] as const;
export type AutoTable = (typeof AUTO_TABLES)[number];

export const AUTO_TIERS = [
  'simple',
  'standard',
  'complex',
  'reasoning',
  'coding',
  'vision',
  'image',
  'video',
  'data',
  'search',
  'social',
  'email',
  'calendar',
  'trading',
] as const;
export type AutoTier = (typeof AUTO_TIERS)[number];

const AUTO_TIER_MODELS_MAX = 6;

export const OUTPUT_MODALITIES = [
  'text',
  'image',
  'embeddings',
  'audio',
  'video',
  'rerank',
  'moderation',
  'speech',
  'transcription',
] as const;

/** What a video model may be able to make, by what it is given. */
const VIDEO_TASKS = [
  'text_to_video',
  'image_to_video',
  'keyframes',
  'reference_to_video',
  'continuation',
  'edit',
] as const;

const price = Type.String({
  pattern: '^\\d{1,15}(\\.\\d{1,18})?$',
  description: 'a price in USD as a plain decimal, such as "0.15"',
});

const multiplier = Type.String({
  pattern: '^\\d{1,4}(\\.\\d{1,6})?$',
  description: 'a multiple of the price as a plain decimal, such as "1.5"',
});

const TOKENS_MAX = 1_000_000_000;

const pricingKeys = {
  prompt: Type.Optional(price),
  completion: Type.Optional(price),
  cache_read: Type.Optional(price),
  cache_write: Type.Optional(price),
  /** For tokens that a cache keeps for an hour; `cache_write` where it is left out. */
  cache_write_1h: Type.Optional(price),
  image: Type.Optional(price),
  video_second: Type.Optional(price),
  audio_second: Type.Optional(price),
  character: Type.Optional(price),
  request: Type.Optional(price),
  /** For each query of up to a hundred documents that are ranked. */
  search: Type.Optional(price),
  /** For each web search that the provider runs; "0.01" where it is left out. */
  web_search: Type.Optional(price),
  /** For each use of another tool that the provider runs; without it such tools are not offered. */
  hosted_tool: Type.Optional(price),
};

/** Tokens in USD per million, everything else in USD per unit. */
export const PricingEntry = Type.Object(pricingKeys, { ...strict, title: 'PricingEntry' });

/** Parts of a request that can have a price of their own: a field that is present, or a field with a value. */
export const EXTRA_NAMES = [
  'batch',
  'diarize',
  'entity_detection',
  'height',
  'image_size',
  'inference_geo',
  'input_fidelity',
  'instructions',
  'keyterms',
  'max_results',
  'prompt_cache_ttl',
  'quality',
  'reasoning_mode',
  'resolution',
  'search_context_size',
  'search_type',
  'sequential_image_generation',
  'service_tier',
  'size',
  'speed',
  'steps',
  'thinking',
  'upscale',
  'width',
] as const;

/** A multiple of the price, or prices that replace it. */
const extraPrice = Type.Union([multiplier, PricingEntry], {
  description: 'a multiple of the price such as "1.5", or prices by name',
});

/** By name, such as `service_tier=priority`. An extra without a price is not sent to a provider. */
const extras = Type.Record(
  Type.String({ pattern: `^(${EXTRA_NAMES.join('|')})(=[A-Za-z0-9_.:-]{1,64})?$` }),
  extraPrice,
  {
    additionalProperties: false,
    description: `one of ${EXTRA_NAMES.join(', ')}, with a value as in service_tier=priority`,
  },
);

/** Token prices in USD per single token, as the public listing shows them. */
export const PricingTierEntry = Type.Object(
  {
    above_prompt_tokens: count(TOKENS_MAX),
    prompt: price,
    completion: price,
    cache_read: Type.Optional(price),
    cache_write: Type.Optional(price),
    cache_write_1h: Type.Optional(price),
  },
  { ...strict, title: 'PricingTierEntry' },
);

const pricingTiers = Type.Array(PricingTierEntry, { maxItems: 16, description: 'a list' });

export const ModelRouteEntry = Type.Object(
  {
    provider: text(64, 'the name of a provider'),
    upstream_model: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'the upstream name of the model' }),
    ),
    quantization: Type.Optional(word),
    pricing: Type.Optional(PricingEntry),
    /** These replace the model's; an empty list of tiers means that there are none. */
    pricing_tiers: Type.Optional(pricingTiers),
    extras: Type.Optional(extras),
  },
  { ...strict, title: 'ModelRouteEntry' },
);

export const ModelEntry = Type.Object(
  {
    name: Type.Optional(text(200)),
    description: Type.Optional(text(4000)),
    family: Type.Optional(word),
    context_length: Type.Optional(count(TOKENS_MAX)),
    max_completion_tokens: Type.Optional(count(TOKENS_MAX)),
    input_modalities: Type.Optional(Type.Array(word, { minItems: 1, maxItems: 16, description: 'a list' })),
    output_modalities: Type.Optional(
      Type.Array(oneOf(OUTPUT_MODALITIES), { minItems: 1, maxItems: 8, description: 'a list' }),
    ),
    supported_parameters: Type.Optional(Type.Array(word, { maxItems: 100, description: 'a list' })),
    pricing: Type.Optional(PricingEntry),
    /** Where its prices come from, unless an operator typed them: `prices update` keeps them current. */
    price_source: Type.Optional(oneOf(['book', 'vendor'])),
    pricing_tiers: Type.Optional(pricingTiers),
    extras: Type.Optional(extras),
    free: Type.Optional(
      Type.Object(
        { requests_per_minute: Type.Optional(count(1_000_000)), requests_per_day: Type.Optional(count(1_000_000_000)) },
        strict,
      ),
    ),
    deprecation_date: Type.Optional(
      Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'a date such as 2027-01-31' }),
    ),
    video: Type.Optional(
      Type.Object(
        {
          durations: Type.Optional(Type.Array(count(86_400), { maxItems: 64, description: 'a list' })),
          resolutions: Type.Optional(Type.Array(word, { maxItems: 64, description: 'a list' })),
          aspect_ratios: Type.Optional(Type.Array(word, { maxItems: 64, description: 'a list' })),
          tasks: Type.Optional(Type.Array(oneOf(VIDEO_TASKS), { maxItems: 16, description: 'a list' })),
          /** What a second costs at other resolutions and with sound, as a multiple of its price. */
          resolution_multipliers: Type.Optional(Type.Record(Type.String(), multiplier)),
          audio_multiplier: Type.Optional(multiplier),
        },
        strict,
      ),
    ),
    image: Type.Optional(
      Type.Object(
        {
          /** As the upstream spells them; other sizes are mapped to the nearest. */
          sizes: Type.Optional(Type.Array(word, { maxItems: 64, description: 'a list' })),
          max_images: Type.Optional(count(10)),
        },
        strict,
      ),
    ),
    routes: Type.Optional(Type.Array(ModelRouteEntry, { maxItems: 32, description: 'a list' })),
  },
  { ...strict, title: 'ModelEntry' },
);

/** `provider/*`, `*`, or the full id of one model. */
const WildcardRouteEntry = Type.Object(
  { provider: text(64, 'the name of a provider') },
  { ...strict, title: 'WildcardRouteEntry' },
);

/** The markup on what a model costs; the prices of models are what they cost. None by default. */
export const MarkupEntry = Type.Object(
  {
    percent: Type.Optional(
      Type.String({
        pattern: '^\\d{1,4}(\\.\\d{1,4})?$',
        description: 'percent on top of every price as a plain decimal, such as "12.5"',
      }),
    ),
    /** Amounts that are added, in the units of the prices. */
    add: Type.Optional(PricingEntry),
  },
  { ...strict, title: 'MarkupEntry' },
);

export const AutoTierEntry = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean({ description: 'true or false' })),
    models: Type.Optional(
      Type.Array(text(200), {
        maxItems: AUTO_TIER_MODELS_MAX,
        description: `a list of at most ${AUTO_TIER_MODELS_MAX} models`,
      }),
    ),
  },
  { ...strict, title: 'AutoTierEntry' },
);

const autoTable = Type.Partial(
  Type.Object(
    Object.fromEntries(AUTO_TIERS.map((tier) => [tier, AutoTierEntry])) as Record<AutoTier, typeof AutoTierEntry>,
    strict,
  ),
);

/** The categories of the built-in moderation. */
export const MODERATION_CATEGORIES = [
  'fraud',
  'hate',
  'illicit',
  'malware',
  'self_harm',
  'sexual_minors',
  'violence',
  'weapons',
] as const;

export const ModerationEntry = Type.Object(
  {
    /** The built-in one unless a base_url names another. */
    provider: Type.Optional(oneOf(['builtin', 'off'])),
    /** The address of a service with a moderations endpoint in the usual form. */
    base_url: Type.Optional(text(2000, 'an http or https URL')),
    api_key: Type.Optional(text(4000)),
    model: Type.Optional(text(200)),
    timeout_ms: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 30_000, description: 'a whole number from 100 to 30000' }),
    ),
    /** What happens with a request when that service does not answer. */
    on_failure: Type.Optional(oneOf(['allow', 'block'])),
    /** The categories that the built-in moderation enforces; all by default. */
    categories: Type.Optional(
      Type.Array(oneOf(MODERATION_CATEGORIES), { maxItems: MODERATION_CATEGORIES.length, description: 'a list' }),
    ),
    /** How long evidence of violations is kept. */
    evidence_days: Type.Optional(count(3_650)),
  },
  { ...strict, title: 'ModerationEntry' },
);

export const ConfigDocument = Type.Object(
  {
    /** For all providers that do not set their own. */
    timeouts: Type.Optional(TimeoutsEntry),
    providers: Type.Optional(Type.Record(Type.String(), ProviderEntry)),
    models: Type.Optional(Type.Record(Type.String(), ModelEntry)),
    routes: Type.Optional(Type.Record(Type.String(), WildcardRouteEntry)),
    default_provider: Type.Optional(text(64, 'the name of a provider')),
    /** By `*`, `vendor/*` or the id of a model; the most specific one counts. */
    markups: Type.Optional(Type.Record(Type.String(), MarkupEntry)),
    auto: Type.Optional(Type.Object({ paid: Type.Optional(autoTable), free: Type.Optional(autoTable) }, strict)),
    limits: Type.Optional(
      Type.Object(
        {
          free_requests_per_minute: Type.Optional(count(1_000_000)),
          paid_requests_per_minute: Type.Optional(count(1_000_000)),
          /** For one person in an account; five times as many for the account. */
          own_upstream_calls_per_day: Type.Optional(count(1_000_000_000)),
          /** For the free table of the auto router, by the address of the client. */
          auto_free_ip_requests_per_minute: Type.Optional(count(1_000_000)),
          auto_free_ip_requests_per_day: Type.Optional(count(1_000_000_000)),
          /** How many users of one network may use up their quotas of a free model. */
          free_users_per_network: Type.Optional(count(1_000_000)),
          /** The longest answer of a call that costs nothing. */
          free_output_tokens: Type.Optional(count(TOKENS_MAX)),
          /** What every user's calls may leave unpaid, and the share of a customer's money that is added. */
          unpaid_cost_usd: Type.Optional(
            Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,9})?$', description: 'an amount in USD, such as "1.50"' }),
          ),
          unpaid_paid_percent: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 100, description: 'a whole number from 0 to 100' }),
          ),
          /** How long a used allowance takes to recover. */
          unpaid_recovery_hours: Type.Optional(count(720)),
          /**
           * How long a user who exceeds it is restricted the first time; later it is an hour, a day, and permanently.
           */
          unpaid_block_seconds: Type.Optional(count(86_400)),
          /** Whether a stream that the client cancels is charged for what was delivered. */
          abandoned: Type.Optional(oneOf(['refund', 'charge'])),
        },
        strict,
      ),
    ),
    moderation: Type.Optional(ModerationEntry),
    /** Services that are asked about everybody's calls, by name. */
    guards: Type.Optional(Type.Record(Type.String(), GuardEntry)),
    /** What happens once a day with newer prices of vendors; nothing by default. */
    price_book: Type.Optional(oneOf(['fetch', 'follow'])),
    accounts: Type.Optional(AccountsEntry),
  },
  { ...strict, title: 'ConfigDocument' },
);

export type PricingEntry = Static<typeof PricingEntry>;
export type PricingTierEntry = Static<typeof PricingTierEntry>;
export type ModelRouteEntry = Static<typeof ModelRouteEntry>;
export type ModelEntry = Static<typeof ModelEntry>;
export type MarkupEntry = Static<typeof MarkupEntry>;
export type AutoTierEntry = Static<typeof AutoTierEntry>;
export type ModerationEntry = Static<typeof ModerationEntry>;
export type ConfigDocument = Static<typeof ConfigDocument>;

/** The answer to `GET` and `PATCH /admin/v1/auto-router/{table}/{tier}`. */
export const AutoTierView = Type.Object(
  {
    table: Type.Union(AUTO_TABLES.map((table) => Type.Literal(table))),
    tier: Type.Union(AUTO_TIERS.map((tier) => Type.Literal(tier))),
    enabled: Type.Boolean({ description: 'False: calls of this tier are refused.' }),
    models: Type.Array(Type.String(), { description: 'In the order in which they are tried.' }),
  },
  { title: 'AutoTier' },
);
export type AutoTierView = Shape<typeof AutoTierView>;
