// What a vendor offers, as models that could be sold: its own list together with the price book. A model without a
// known price is offered without one, because zero would give it away.

import type { ModelEntry, PricingEntry, PricingTierEntry } from '../../contract/config.ts';
import { modelFacts } from './model-facts.ts';
import { multiply, ownPriceOf, withMultiples } from './own-prices.ts';
import type { VendorPreset } from './presets.ts';
import type { BookPrice, PriceBook } from './price-book.ts';

/** One line of a vendor's list; what it does not state is null. */
type ListedModel = Readonly<{
  name: string;
  title: string | null;
  contextLength: number | null;
  outputTokensMax: number | null;
  pricing: ListedPricing | null;
}>;

/** What is not text, and thinking, has prices of its own, in USD per million tokens. */
type ListedPricing = Readonly<{
  base: PricingEntry;
  tiers: readonly PricingTierEntry[];
  apart: Readonly<{
    audio?: string;
    image?: string;
    audio_output?: string;
    image_output?: string;
    reasoning?: string;
  }>;
}>;

type PriceSource = 'book' | 'vendor' | 'own machine';

export type Offer = Readonly<{
  id: string;
  upstreamModel: string;
  /** Without routes. */
  entry: ModelEntry;
  /** Null: it has no price, and calls of it would be refused. */
  priceSource: PriceSource | null;
  /** Why the gateway cannot use it; null where it can. */
  skip: string | null;
  /** What an operator should know before choosing it. */
  notes: readonly string[];
}>;

type OfferParts = Readonly<{
  name: string;
  preset: VendorPreset;
  /** Null where the vendor has no list. */
  listed: readonly ListedModel[] | null;
  /** Names that the operator gave, which are offered whether or not they are listed. */
  named: readonly string[];
  book: PriceBook;
  nowMs: number;
}>;

export function makeOffers(parts: OfferParts): Offer[] {
  const { preset, book, named } = parts;
  const listed =
    parts.listed ?? (preset.models.list === 'book' ? book.modelsOf(preset.prices).map((name) => bare(name)) : []);
  const known = new Set(listed.map(({ name }) => name));
  const unlisted = named.filter((name) => !known.has(name) && !isIdOf(parts, listed, name)).map((name) => bare(name));
  const offers = new Map<string, Offer>();
  for (const line of [...listed, ...unlisted]) {
    const offer = makeOffer(parts, line);
    // Two names of a vendor may give the same id; the first keeps it.
    if (offer !== null && !offers.has(offer.id)) offers.set(offer.id, offer);
  }
  return [...offers.values()];
}

const bare = (name: string): ListedModel => ({
  ...{ name, title: null, contextLength: null, outputTokensMax: null, pricing: null },
});

const isIdOf = (parts: OfferParts, listed: readonly ListedModel[], id: string): boolean =>
  listed.some(({ name }) => idOf(parts.name, parts.preset, name) === id);

const USABLE = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** `<vendor>/<name>`; null where no id can be made of it. */
export function idOf(presetName: string, preset: VendorPreset, upstreamModel: string): string | null {
  const vendor = preset.vendor ?? presetName;
  const parts = upstreamModel
    .replace(/^[^A-Za-z0-9]+/, '')
    .replaceAll(':', '-')
    .split('/');
  const [first = '', second = ''] = parts;
  const isOwn = preset.names === 'own' && parts.length === 2;
  const [owner, name] = isOwn
    ? [first.toLowerCase(), second.toLowerCase()]
    : [vendor, preset.names === 'vendor' ? parts.join('-') : (parts.at(-1) ?? '')];
  const id = `${owner}/${name.replace(/[^A-Za-z0-9._-]/g, '-')}`;
  return id.split('/').every((part) => USABLE.test(part)) && id.length <= 200 ? id : null;
}

function makeOffer(parts: OfferParts, listed: ListedModel): Offer | null {
  const { name: presetName, preset, book, nowMs } = parts;
  const id = idOf(presetName, preset, listed.name);
  if (id === null) return null;
  const known = book.find(preset.prices, listed.name, nowMs);
  const facts = modelFacts(listed.name);
  const { pricing, tiers, source } = pricesOf({ preset, listed, known, outputs: facts.outputs });
  const dearer = source === 'vendor' ? dearerListed(listed.pricing) : dearerInputs(known);
  const inputs = facts.inputs.filter((input) => !dearer.has(input));
  const context = listed.contextLength ?? known?.contextLength ?? null;
  const entry: ModelEntry = {
    name: known?.title ?? listed.title ?? id.slice(id.indexOf('/') + 1),
    ...(context === null ? {} : { context_length: context }),
    ...(listed.outputTokensMax === null ? {} : { max_completion_tokens: listed.outputTokensMax }),
    input_modalities: inputs.length === 0 ? ['text'] : inputs,
    output_modalities: [...facts.outputs] as NonNullable<ModelEntry['output_modalities']>,
    ...(facts.parameters === null ? {} : { supported_parameters: [...facts.parameters] }),
    ...(pricing === null ? {} : { pricing }),
    ...(source === 'book' || source === 'vendor' ? { price_source: source } : {}),
    ...(pricing === null || tiers.length === 0 ? {} : { pricing_tiers: [...tiers] }),
    ...(source === 'book' && hasExtras(known) ? { extras: known.extras } : {}),
  };
  return {
    id,
    upstreamModel: listed.name,
    entry,
    priceSource: source,
    skip: facts.skip,
    notes: notesOf(known, source === 'vendor' ? listed.pricing : null, dearer),
  };
}

const hasExtras = (known: BookPrice | null): known is BookPrice =>
  known !== null && Object.keys(known.extras).length > 0;

/** Inputs that cost more than text at the vendor, which the gateway cannot tell apart when it charges. */
function dearerInputs(known: BookPrice | null): ReadonlySet<string> {
  const names = ['audio', 'image', 'video'];
  return new Set(names.filter((input) => known?.unbilled.includes(`input_${input}_mtok`) === true));
}

const isDearer = (price: string | undefined, than: string | undefined): boolean =>
  Number(price ?? 0) > Number(than ?? 0);

function dearerListed(listed: ListedPricing | null): ReadonlySet<string> {
  const inputs = ['audio', 'image'] as const;
  return new Set(inputs.filter((input) => isDearer(listed?.apart[input], listed?.base.prompt)));
}

/** What the vendor charges more for than for the text that a model writes. */
function unbilledIn(listed: ListedPricing): readonly string[] {
  const kinds = ['reasoning', 'audio_output'] as const;
  return kinds.filter((kind) => isDearer(listed.apart[kind], listed.base.completion));
}

function notesOf(known: BookPrice | null, listed: ListedPricing | null, dearer: ReadonlySet<string>): string[] {
  const unbilled = listed === null ? (known?.unbilled ?? []) : unbilledIn(listed);
  const others = unbilled.filter((name) => !/^(?:input|cache)_(?:audio|image|video)/.test(name));
  return [
    ...(known?.isDeprecated === true ? ['The vendor is retiring it.'] : []),
    ...(dearer.size === 0 ? [] : [`Offered without ${[...dearer].join(' and ')} input, which costs more than text.`]),
    ...(others.length === 0 ? [] : [unbilledWords(others, known)]),
  ];
}

const unbilledWords = (names: readonly string[], known: BookPrice | null): string =>
  known?.pricing.prompt === undefined && names.includes('output_audio_mtok')
    ? 'The vendor bills speech by tokens that it does not report: state a price by the character.'
    : `The vendor also bills ${names.join(', ')}, which this price leaves out.`;

type Priced = Readonly<{ pricing: PricingEntry | null; tiers: BookPrice['tiers']; source: PriceSource | null }>;

/** What a kind of model is billed by: all prices of one of these sets must be stated, or it has no price. */
const NEEDED: Readonly<Record<string, readonly (readonly (keyof PricingEntry)[])[]>> = {
  text: [['prompt', 'completion']],
  embeddings: [['prompt']],
  transcription: [['audio_second'], ['prompt', 'completion']],
  speech: [['character'], ['prompt']],
  image: [['image'], ['completion']],
  video: [['video_second']],
};

function pricesOf(given: {
  preset: VendorPreset;
  listed: ListedModel;
  known: BookPrice | null;
  outputs: readonly string[];
}): Priced {
  const { preset, listed, known, outputs } = given;
  const candidates: readonly (readonly [PriceSource, PricingEntry | null, BookPrice['tiers']])[] = [
    // The vendor's own list is newer than any book.
    ['vendor', ...soldAsListed(listed, preset, outputs)],
    ['book', known?.pricing ?? null, known?.tiers ?? []],
    ['own machine', preset.own_machine === true ? { prompt: '0', completion: '0' } : null, []],
  ];
  for (const [source, pricing, tiers] of candidates) {
    if (pricing !== null && isEnough(pricing, outputs)) return { ...fitting(pricing, tiers, outputs), source };
  }
  return { pricing: null, tiers: [], source: null };
}

/** Models that make pictures are sold at the price of pictures, as in the book. */
function soldAsListed(
  { pricing, name }: ListedModel,
  preset: VendorPreset,
  outputs: readonly string[],
): [PricingEntry | null, readonly PricingTierEntry[]] {
  if (pricing === null || !isPaidFor(pricing.base, outputs)) return [null, []];
  const { base, tiers, apart } = pricing;
  const picture = outputs.includes('image') ? apart.image_output : undefined;
  const drawn = picture !== undefined && isDearer(picture, base.completion) ? picture : null;
  const filled = withOwnMultiples(drawn === null ? base : { ...base, completion: drawn }, preset, name);
  const perToken = drawn === null ? {} : { completion: multiply(drawn, '0.000001') };
  return [filled, tiers.map((tier) => withOwnMultiples({ ...tier, ...perToken }, preset, name))];
}

/** Lists say zero for a price that does not apply, and models that make no text are seldom free. */
const isPaidFor = (base: PricingEntry, outputs: readonly string[]): boolean =>
  outputs.includes('text') || [base.prompt, base.completion].some((price) => isDearer(price, '0'));

/** Vendors' lists lack some prices, such as that of a cache that is kept for an hour. */
function withOwnMultiples<Prices extends PricingEntry | PricingTierEntry>(
  pricing: Prices,
  { prices }: VendorPreset,
  name: string,
): Prices {
  return prices.reduce((filled, vendor) => withMultiples(filled, ownPriceOf(vendor, name)), pricing);
}

const isEnough = (pricing: PricingEntry, outputs: readonly string[]): boolean =>
  outputs.every((output) => (NEEDED[output] ?? []).some((keys) => keys.every((key) => pricing[key] !== undefined)));

/** A model that makes no text needs no price of text. */
function fitting(pricing: PricingEntry, tiers: BookPrice['tiers'], outputs: readonly string[]): Omit<Priced, 'source'> {
  if (!outputs.includes('embeddings')) return { pricing, tiers };
  const { prompt } = pricing;
  return { pricing: prompt === undefined ? pricing : { prompt }, tiers: [] };
}
