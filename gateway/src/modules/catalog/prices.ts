// Turns price entries into exact schedules. A missing price is not zero: the prices that a model's outputs are billed
// by must be stated, even as "0", or the document is refused.

import type { Extra, PricedKind, PriceList, PriceSchedule } from '../../canonical/price.ts';
import type { ModelEntry, ModelRouteEntry, PricingEntry } from '../../contract/config.ts';
import { assert } from '../../platform/assert.ts';
import { greaterOf, type NanoUsd, parsePricePerMillion, parsePricePerUnit } from '../../platform/money.ts';

type PriceKey = keyof PricingEntry;

const PER_MILLION: ReadonlySet<PriceKey> = new Set([
  'prompt',
  'completion',
  'cache_read',
  'cache_write',
  'cache_write_1h',
]);

/** In which unit a price is stated, for people. */
export const priceUnit = (key: string): string =>
  PER_MILLION.has(key as PriceKey) ? 'USD per million tokens' : `USD per ${key.replaceAll('_', ' ')}`;

/**
 * What each kind of call is billed by: all prices of one of the sets must be stated, even as "0". A price for something
 * else does not make the call cost anything.
 */
const SUFFICIENT: Readonly<Record<PricedKind, readonly (readonly PriceKey[])[]>> = {
  chat: [['prompt', 'completion'], ['request']],
  'chat-images': [['prompt', 'completion'], ['image'], ['request']],
  embeddings: [['prompt'], ['request']],
  images: [['image'], ['completion'], ['request']],
  moderation: [['request'], ['prompt']],
  rerank: [['search'], ['prompt'], ['request']],
  // Speech may be priced per million characters, in the place where text has its price per million tokens.
  speech: [['character'], ['prompt'], ['request']],
  transcription: [['audio_second'], ['prompt'], ['completion'], ['request']],
  video: [['video_second'], ['request']],
};

const KINDS = Object.keys(SUFFICIENT) as readonly PricedKind[];

function lackingIn(...entries: readonly PricingEntry[]): Pick<PriceSchedule, 'lacks'> {
  const isStated = (key: PriceKey): boolean => entries.some((entry) => entry[key] !== undefined);
  const lacks = KINDS.filter((kind) => !SUFFICIENT[kind].some((keys) => keys.every(isStated)));
  return lacks.length === 0 ? {} : { lacks: new Set(lacks) };
}

type PriceProblem = Readonly<{ path: readonly (string | number)[]; message: string }>;

/** A price in nano-USD per million units; null where it has more decimals than can be stored exactly. */
function parsePrice(key: PriceKey, text: string): NanoUsd | null {
  return PER_MILLION.has(key) ? parsePricePerMillion(text) : parsePricePerUnit(text);
}

export function pricingProblems(pricing: PricingEntry, path: PriceProblem['path']): PriceProblem[] {
  const problems: PriceProblem[] = [];
  for (const [key, text] of Object.entries(pricing)) {
    if (parsePrice(key as PriceKey, text) !== null) continue;
    const decimals = PER_MILLION.has(key as PriceKey)
      ? 'nine decimals (USD per million)'
      : 'fifteen decimals (USD per unit)';
    problems.push({ path: [...path, key], message: `"${text}" is too large or has more than ${decimals}` });
  }
  return problems;
}

export function modelPriceProblems(entry: ModelEntry): PriceProblem[] {
  const problems: PriceProblem[] = [];
  if (entry.pricing !== undefined) {
    problems.push(...pricingProblems(entry.pricing, ['pricing']), ...missingPrices(entry, entry.pricing));
  } else if (entry.pricing_tiers !== undefined) {
    problems.push({ path: ['pricing_tiers'], message: 'tiers need base prices under "pricing"' });
  }
  problems.push(...tierProblems(entry.pricing_tiers, ['pricing_tiers']), ...extraProblems(entry.extras, ['extras']));
  return problems;
}

export function extraProblems(extras: ModelEntry['extras'], path: PriceProblem['path']): PriceProblem[] {
  return Object.entries(extras ?? {}).flatMap(([name, extra]) =>
    typeof extra === 'string' ? [] : pricingProblems(extra, [...path, name]),
  );
}

/**
 * One token price without the other is a mistake, and taking it as zero would give the model away. A model without any
 * price is simply not for sale yet.
 */
export function missingPrices(entry: ModelEntry, pricing: PricingEntry): PriceProblem[] {
  if (!(entry.output_modalities ?? ['text']).includes('text')) return [];
  const missing = (['prompt', 'completion'] as const).filter((key) => pricing[key] === undefined);
  if (missing.length !== 1) return [];
  const message = 'a model with text output needs this price, "0" if it costs nothing';
  return missing.map((key) => ({ path: ['pricing', key], message }));
}

export function tierProblems(tiers: ModelEntry['pricing_tiers'] = [], place: PriceProblem['path']): PriceProblem[] {
  const problems: PriceProblem[] = [];
  tiers.forEach((tier, index) => {
    const { above_prompt_tokens: threshold, ...prices } = tier;
    const path = [...place, index];
    for (const [key, text] of Object.entries(prices)) {
      if (parsePricePerUnit(text) !== null) continue;
      problems.push({
        path: [...path, key],
        message: `"${text}" is too large or has more than fifteen decimals (USD per token)`,
      });
    }
    const before = tiers[index - 1];
    if (before !== undefined && before.above_prompt_tokens >= threshold) {
      problems.push({
        path: [...path, 'above_prompt_tokens'],
        message: 'tiers must be in ascending order, each threshold once',
      });
    }
  });
  return problems;
}

/** The base list and its tiers, of a validated entry; null when the entry states no prices. */
export function modelPrices(entry: ModelEntry): PriceSchedule | null {
  if (entry.pricing === undefined || Object.keys(entry.pricing).length === 0) return null;
  const base = priceList(entry.pricing, null);
  const tiers = statedTiers(entry.pricing_tiers, base);
  return { base, tiers, ...lackingIn(entry.pricing), ...extrasOf(entry.extras) };
}

/** Tiers change token prices only; what is billed by another unit costs the same in each. */
const statedTiers = (tiers: ModelEntry['pricing_tiers'] = [], base: PriceList): PriceSchedule['tiers'] =>
  tiers.map((tier) => ({
    abovePromptTokens: tier.above_prompt_tokens,
    list: {
      ...base,
      prompt: perToken(tier.prompt),
      completion: perToken(tier.completion),
      cacheRead: tier.cache_read === undefined ? null : perToken(tier.cache_read),
      cacheWrite: tier.cache_write === undefined ? null : perToken(tier.cache_write),
      cacheWriteHour: tier.cache_write_1h === undefined ? null : perToken(tier.cache_write_1h),
    },
  }));

/** A route's own prices, with its model's where the route states none. Null when the route states no price at all. */
export function routePrices(
  { pricing = {}, pricing_tiers: ownTiers, extras }: Pick<ModelRouteEntry, 'pricing' | 'pricing_tiers' | 'extras'>,
  entry: ModelEntry,
  model: PriceSchedule | null,
): PriceSchedule | null {
  const isStated = Object.keys(pricing).length > 0;
  if (!isStated && ((extras === undefined && ownTiers === undefined) || model === null)) return null;
  const base = priceList(pricing, model?.base ?? null);
  const lacking = lackingIn(pricing, entry.pricing ?? {});
  const tiers =
    ownTiers === undefined
      ? (model?.tiers ?? []).map(({ abovePromptTokens, list }) => ({
          abovePromptTokens,
          list: tierOfRoute(list, base),
        }))
      : statedTiers(ownTiers, base);
  return { base, tiers, ...lacking, ...extrasOf(extras ?? entry.extras) };
}

/** Long prompts cost what the model's tier says, and never less than short ones cost on this route. */
function tierOfRoute(tier: PriceList, base: PriceList): PriceList {
  const dearer = (price: NanoUsd | null, least: NanoUsd | null): NanoUsd | null =>
    price === null || least === null ? price : greaterOf(price, least);
  return {
    ...base,
    prompt: greaterOf(tier.prompt, base.prompt),
    completion: greaterOf(tier.completion, base.completion),
    cacheRead: dearer(tier.cacheRead, base.cacheRead),
    cacheWrite: dearer(tier.cacheWrite, base.cacheWrite),
    cacheWriteHour: dearer(tier.cacheWriteHour, base.cacheWriteHour),
  };
}

function extrasOf(extras: ModelEntry['extras']): Pick<PriceSchedule, 'extras'> {
  const entries = Object.entries(extras ?? {});
  return entries.length === 0 ? {} : { extras: new Map(entries.map(([name, extra]) => [name, extraOf(extra)])) };
}

function extraOf(extra: string | PricingEntry): Extra {
  if (typeof extra === 'string') return { kind: 'multiple', millionths: multiplierMillionths(extra) };
  // Prices that the extra does not state stay as they are.
  return { kind: 'prices', prices: statedPrices(extra) };
}

/** Only the prices that an entry states. */
export function statedPrices(entry: PricingEntry): Partial<PriceList> {
  const all = Object.entries(priceList(entry, null));
  return Object.fromEntries(all.filter(([name]) => entry[PRICE_KEYS[name as keyof PriceList]] !== undefined));
}

const PRICE_KEYS: Readonly<Record<keyof PriceList, PriceKey>> = {
  prompt: 'prompt',
  completion: 'completion',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_write',
  cacheWriteHour: 'cache_write_1h',
  request: 'request',
  image: 'image',
  videoSecond: 'video_second',
  audioSecond: 'audio_second',
  character: 'character',
  search: 'search',
  webSearch: 'web_search',
  hostedTool: 'hosted_tool',
};

function priceList(pricing: PricingEntry, below: PriceList | null): PriceList {
  const read = (key: PriceKey, otherwise: NanoUsd | null): NanoUsd | null => {
    const text = pricing[key];
    if (text === undefined) return otherwise;
    const price = parsePrice(key, text);
    assert(price !== null, 'prices are validated before they are used');
    return price;
  };
  return {
    prompt: read('prompt', below?.prompt ?? null) ?? 0n,
    completion: read('completion', below?.completion ?? null) ?? 0n,
    cacheRead: read('cache_read', below?.cacheRead ?? null),
    cacheWrite: read('cache_write', below?.cacheWrite ?? null),
    cacheWriteHour: read('cache_write_1h', below?.cacheWriteHour ?? null),
    request: read('request', below?.request ?? null),
    image: read('image', below?.image ?? null),
    videoSecond: read('video_second', below?.videoSecond ?? null),
    audioSecond: read('audio_second', below?.audioSecond ?? null),
    character: read('character', below?.character ?? null),
    search: read('search', below?.search ?? null),
    webSearch: read('web_search', below?.webSearch ?? null),
    hostedTool: read('hosted_tool', below?.hostedTool ?? null),
  };
}

function perToken(text: string): NanoUsd {
  const price = parsePricePerUnit(text);
  assert(price !== null, 'tier prices are validated before they are used');
  return price;
}

// A multiple of a price, as the config document writes it, exactly.

/** The schema lets at most six decimals through. */
export function multiplierMillionths(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}
