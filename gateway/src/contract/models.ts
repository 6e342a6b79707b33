// A model as `GET /v1/models` shows it. Token prices are in USD per million, the prices of tiers in USD per single
// token: the specification has both units in one object, and both are decimal text.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, named, orNull, type Shape, text } from './shape.ts';

const perMillion = (what: string) => text(`USD for a million ${what}.`);
const perUnit = (what: string) => Type.Optional(text(`USD for one ${what}.`));
const perToken = (what: string) => text(`USD for one ${what}.`);

const PublicPricing = Type.Object({
  prompt: perMillion('prompt tokens'),
  completion: perMillion('completion tokens'),
  cache_read: Type.Optional(perMillion('tokens read from a cache')),
  cache_write: Type.Optional(perMillion('tokens written to a cache')),
  cache_write_1h: Type.Optional(perMillion('tokens that a cache keeps for an hour')),
  image: perUnit('image'),
  video_second: perUnit('second of video'),
  audio_second: perUnit('second of sound'),
  character: perUnit('character'),
  request: perUnit('request'),
  search: perUnit('query of up to a hundred documents that is put in order'),
  web_search: perUnit('search of the web that the provider runs; 0.01 where it is not stated'),
  hosted_tool: perUnit('use of any other tool that the provider runs; not offered where it is not stated'),
});
export type PublicPricing = Shape<typeof PublicPricing>;

const PublicPricingTier = Type.Object({
  above_prompt_tokens: count('The tier applies to prompts longer than this.'),
  prompt: perToken('prompt token'),
  completion: perToken('completion token'),
  cache_read: Type.Optional(perToken('token read from a cache')),
  cache_write: Type.Optional(perToken('token written to a cache')),
  cache_write_1h: Type.Optional(perToken('token that a cache keeps for an hour')),
});
export type PublicPricingTier = Shape<typeof PublicPricingTier>;

const PublicVideo = Type.Object({
  durations: listOf(Type.Integer(), 'In seconds.'),
  resolutions: listOf(Type.String()),
  aspect_ratios: listOf(Type.String()),
  tasks: Type.Optional(
    listOf(Type.String(), 'The tasks that the model can do; absent where the input modalities show them.'),
  ),
  resolution_multipliers: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'What a second costs, as a multiple of its price.' }),
  ),
  audio_multiplier: Type.Optional(text('What a second with sound costs, as a multiple of its price.')),
});

export const PublicModel = Type.Object(
  {
    id: text('The id to send as `model`.'),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Unix seconds.' }),
    owned_by: text('The vendor of the model.'),
    type: Type.Literal('model'),
    display_name: text('The name, where clients of Messages look for it; likewise the three that follow.'),
    created_at: text('The time at which it was created, in ISO 8601.'),
    max_input_tokens: orNull(count('The context length.')),
    max_tokens: orNull(count('How many tokens an answer may have at most.')),
    canonical_slug: text('The id without a suffix after a colon.'),
    name: text('The name, for people.'),
    description: orNull(text('What it is good for.')),
    context_length: orNull(count('How many tokens prompt and answer may have together.')),
    modality: text('Such as `text+image->text`.'),
    architecture: Type.Object({
      modality: Type.String(),
      input_modalities: listOf(Type.String()),
      output_modalities: listOf(Type.String()),
    }),
    pricing: PublicPricing,
    pricing_tiers: Type.Optional(listOf(PublicPricingTier, 'Absent unless the model has tiers.')),
    extras: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Record(Type.String(), Type.String())]), {
        description:
          'Extras that can be asked for, by name, such as `service_tier=priority`: a factor on the price, or other prices. Extras that are not listed are not sent to a provider.',
      }),
    ),
    top_provider: Type.Object({
      context_length: Type.Optional(Type.Integer()),
      max_completion_tokens: Type.Optional(Type.Integer()),
      is_moderated: Type.Boolean(),
    }),
    per_request_limits: Type.Null(),
    supported_parameters: listOf(Type.String()),
    default_parameters: Type.Object({}),
    supported_voices: Type.Null(),
    endpoints: listOf(Type.String(), 'The paths at which it can be called.'),
    links: Type.Object({ details: text('The address of this model alone.') }),
    end_of_life: flag('True from thirty days before the last day.'),
    expiration_date: Type.Optional(text('The last day (UTC) on which the model answers.')),
    video: Type.Optional(PublicVideo),
  },
  named('Model'),
);
export type PublicModel = Shape<typeof PublicModel>;

export const PublicModelList = Type.Object(
  {
    object: Type.Literal('list'),
    data: listOf(PublicModel),
    total_count: count('How many there are.'),
    has_more: Type.Literal(false),
    links: Type.Object({ next: Type.Null() }),
  },
  named('ModelList'),
);
export type PublicModelList = Shape<typeof PublicModelList>;
