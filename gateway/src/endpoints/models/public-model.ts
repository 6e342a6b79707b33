// A catalog model as the public listing shows it. The fields beyond the specification's are those without which known
// SDKs fail to read a listing.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Model, OutputModality } from '../../canonical/model.ts';
import { type Extra, isPricedFor, type PricedKind, type PriceList, type PriceSchedule } from '../../canonical/price.ts';
import type { PublicModel, PublicPricing, PublicPricingTier } from '../../contract/models.ts';
import { FREE_SUFFIX, vendorOf } from '../../modules/catalog/model-names.ts';
import { formatPricePerMillion, formatPricePerUnit, formatScaled, type NanoUsd } from '../../platform/money.ts';

/** Specification, Versioning: flagged within 30 days of the deprecation date. */
const END_OF_LIFE_DAYS = 30;

type PricedModel = Model & Readonly<{ prices: PriceSchedule }>;

/** A model without prices cannot be called, and callers find in the listing what they can call. */
export function isListed(model: Model, nowMs: number): model is PricedModel {
  return isPriced(model) && (model.retiresAtMs === null || nowMs < model.retiresAtMs);
}

type Calls = Readonly<{ kind: PricedKind; paths: readonly string[] }>;

/** What a model with this output is called for, and where; null where there is no call for it yet. */
const callsOf: Readonly<Record<OutputModality, Calls | null>> = {
  text: { kind: 'chat', paths: ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/completions'] },
  image: { kind: 'images', paths: ['/v1/images/generations', '/v1/chat/completions'] },
  embeddings: { kind: 'embeddings', paths: ['/v1/embeddings'] },
  audio: null,
  moderation: { kind: 'moderation', paths: ['/v1/moderations'] },
  rerank: { kind: 'rerank', paths: ['/v1/rerank'] },
  speech: { kind: 'speech', paths: ['/v1/audio/speech'] },
  transcription: { kind: 'transcription', paths: ['/v1/audio/transcriptions'] },
  video: { kind: 'video', paths: ['/v1/videos'] },
};

/** It has a price for something that it makes. */
export const isPriced = (model: Model): boolean => pricedOutputs(model).length > 0;

function pricedOutputs({ prices, outputModalities, routes }: Model): readonly OutputModality[] {
  if (prices === null) return [];
  const schedules = [prices, ...routes.map((route) => route.prices ?? prices)];
  return outputModalities.filter((output) => {
    const calls = callsOf[output];
    return calls === null || schedules.some((schedule) => isPricedFor(schedule, calls.kind));
  });
}

function endpointsOf(model: Model): string[] {
  const paths = new Set(pricedOutputs(model).flatMap((output) => callsOf[output]?.paths ?? []));
  if (paths.has('/v1/images/generations') && model.inputModalities.includes('image')) paths.add('/v1/images/edits');
  return [...paths];
}

export function publicModel(model: PricedModel, nowMs: number): PublicModel {
  const modality = `${model.inputModalities.join('+')}->${model.outputModalities.join('+')}`;
  const createdSeconds = Math.floor(model.createdAtMs / 1000);
  return {
    id: model.id,
    object: 'model',
    created: createdSeconds,
    owned_by: vendorOf(model.id),
    type: 'model',
    display_name: model.name,
    created_at: new Date(createdSeconds * 1000).toISOString(),
    max_input_tokens: model.contextLength,
    max_tokens: model.completionTokensMax,
    canonical_slug: model.id,
    name: model.name,
    description: model.description,
    context_length: model.contextLength,
    modality,
    architecture: {
      modality,
      input_modalities: model.inputModalities,
      // The specification's list of outputs is closed; a judgement of a text is none of them.
      output_modalities: model.outputModalities.filter((output) => output !== 'moderation'),
    },
    pricing: publicPricing(model.prices.base),
    ...(model.prices.tiers.length === 0 ? {} : { pricing_tiers: model.prices.tiers.map(publicTier) }),
    ...publicExtras(model.prices),
    top_provider: {
      ...(model.contextLength === null ? {} : { context_length: model.contextLength }),
      ...(model.completionTokensMax === null ? {} : { max_completion_tokens: model.completionTokensMax }),
      is_moderated: true,
    },
    per_request_limits: null,
    supported_parameters: model.supportedParameters ?? [],
    default_parameters: {},
    supported_voices: null,
    endpoints: endpointsOf(model),
    links: { details: `/v1/models/${model.slug}` },
    ...endOfLife(model, nowMs),
    ...(model.video === null ? {} : { video: publicVideo(model.video) }),
  };
}

/** The entry of a free tier: the same model at no price, under its own id. */
export function publicFreeModel(model: PricedModel, nowMs: number): PublicModel {
  const { pricing_tiers: _tiers, extras: _extras, ...entry } = publicModel(model, nowMs);
  return {
    ...entry,
    id: model.id + FREE_SUFFIX,
    name: `${model.name} (free)`,
    display_name: `${model.name} (free)`,
    pricing: { prompt: '0', completion: '0' },
    links: { details: `/v1/models/${model.slug}${FREE_SUFFIX}` },
  };
}

function endOfLife(model: Model, nowMs: number): Pick<PublicModel, 'end_of_life' | 'expiration_date'> {
  if (model.retiresAtMs === null || model.deprecationDate === null) return { end_of_life: false };
  const lastDayMs = model.retiresAtMs - DAY_MS;
  return { end_of_life: nowMs >= lastDayMs - END_OF_LIFE_DAYS * DAY_MS, expiration_date: model.deprecationDate };
}

function publicPricing(list: PriceList): PublicPricing {
  return {
    ...statedPrices(list),
    prompt: formatPricePerMillion(list.prompt),
    completion: formatPricePerMillion(list.completion),
  };
}

function statedPrices(list: Partial<PriceList>): Partial<PublicPricing> {
  return {
    ...stated('prompt', list.prompt, formatPricePerMillion),
    ...stated('completion', list.completion, formatPricePerMillion),
    ...stated('cache_read', list.cacheRead, formatPricePerMillion),
    ...stated('cache_write', list.cacheWrite, formatPricePerMillion),
    ...stated('cache_write_1h', list.cacheWriteHour, formatPricePerMillion),
    ...stated('image', list.image, formatPricePerUnit),
    ...stated('video_second', list.videoSecond, formatPricePerUnit),
    ...stated('audio_second', list.audioSecond, formatPricePerUnit),
    ...stated('character', list.character, formatPricePerUnit),
    ...stated('request', list.request, formatPricePerUnit),
    ...stated('search', list.search, formatPricePerUnit),
    ...stated('web_search', list.webSearch, formatPricePerUnit),
    ...stated('hosted_tool', list.hostedTool, formatPricePerUnit),
  };
}

function publicExtras({ extras }: PriceSchedule): Pick<PublicModel, 'extras'> {
  if (extras === undefined) return {};
  return { extras: Object.fromEntries([...extras].map(([name, extra]) => [name, publicExtra(extra)])) };
}

function publicExtra(extra: Extra): string | Record<string, string> {
  return extra.kind === 'multiple' ? formatScaled(extra.millionths, 6) : statedPrices(extra.prices);
}

function publicTier(tier: PriceSchedule['tiers'][number]): PublicPricingTier {
  return {
    above_prompt_tokens: tier.abovePromptTokens,
    prompt: formatPricePerUnit(tier.list.prompt),
    completion: formatPricePerUnit(tier.list.completion),
    ...stated('cache_read', tier.list.cacheRead, formatPricePerUnit),
    ...stated('cache_write', tier.list.cacheWrite, formatPricePerUnit),
    ...stated('cache_write_1h', tier.list.cacheWriteHour, formatPricePerUnit),
  };
}

function stated<Key extends string>(
  key: Key,
  price: NanoUsd | null | undefined,
  format: (price: NanoUsd) => string,
): Partial<Record<Key, string>> {
  return price === null || price === undefined ? {} : ({ [key]: format(price) } as Record<Key, string>);
}

function publicVideo(video: NonNullable<Model['video']>): PublicModel['video'] {
  const { durations, resolutions, aspectRatios, tasks, resolutionMillionths, audioMillionths } = video;
  const multipliers = [...resolutionMillionths].map(([name, millionths]) => [name, formatScaled(millionths, 6)]);
  return {
    durations,
    resolutions,
    aspect_ratios: aspectRatios,
    ...(tasks === null ? {} : { tasks }),
    ...(multipliers.length === 0 ? {} : { resolution_multipliers: Object.fromEntries(multipliers) }),
    ...(audioMillionths === null ? {} : { audio_multiplier: formatScaled(audioMillionths, 6) }),
  };
}
