// What vendors charge, from data of a package, which newer data replaces when an operator fetches it. The package is
// large and only operators need it, so it is loaded at the first use; prices leave here as the exact decimals of the
// config document.

import type { Provider as BookVendor, ModelInfo } from '@pydantic/genai-prices';
import { HOUR_MS } from '../../canonical/calendar.ts';
import type { ModelEntry, PricingEntry, PricingTierEntry } from '../../contract/config.ts';
import { assert } from '../../platform/assert.ts';
import { formatPricePerUnit, parsePricePerMillion } from '../../platform/money.ts';
import { modelFacts } from './model-facts.ts';
import { ownPriceOf, withMultiples } from './own-prices.ts';
import { type ReadBook, readBook } from './read-book.ts';

export type BookPrice = Readonly<{
  /** The vendor and model as the book names them. */
  vendor: string;
  model: string;
  title: string | null;
  contextLength: number | null;
  /** The vendor has retired it or is about to. */
  isDeprecated: boolean;
  pricing: PricingEntry;
  tiers: readonly PricingTierEntry[];
  /** Prices that differ from those of the ordinary call. */
  extras: NonNullable<ModelEntry['extras']>;
  /** What the vendor bills besides and a price here cannot express, in the book's words. */
  unbilled: readonly string[];
}>;

export type PriceBook = Readonly<{
  /** Of the first of these vendors that knows the model; null when none does. */
  find(vendors: readonly string[], upstreamModel: string, nowMs: number): BookPrice | null;
  modelsOf(vendors: readonly string[]): readonly string[];
  /** What newer data states in a form that cannot be read, by the book's names; it counts as unknown. */
  ignored: readonly string[];
}>;

const TITLE_LENGTH_MAX = 200;
const CONTEXT_TOKENS_MAX = 1_000_000_000;

/** Facts of newer data that are no facts count as not stated. */
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= CONTEXT_TOKENS_MAX;

type Library = typeof import('@pydantic/genai-prices');
type Amount = number | Readonly<{ base: number; tiers: readonly Readonly<{ start: number; price: number }>[] }>;
type Amounts = Readonly<Record<string, Amount | undefined>>;

let library: Promise<Library> | undefined;

function loadLibrary(): Promise<Library> {
  library ??= import('@pydantic/genai-prices');
  return library;
}

/** Where newer data than the package's is published. */
export const publishedAt = async (): Promise<string> => (await loadLibrary()).REMOTE_DATA_JSON_URL;

/** Null for data that is no price book. */
export async function readNewer(data: unknown): Promise<ReadBook | null> {
  const { calcPrice } = await loadLibrary();
  return readBook(data, (provider) => calcPrice({}, 'any', { provider }));
}

/** With newer data than the package's, where there is any. */
export async function openPriceBook(newer: unknown = null): Promise<PriceBook> {
  const loaded = await loadLibrary();
  const { vendors: newerVendors = [], ignored = [] } = (await readNewer(newer)) ?? {};
  const newerById = new Map(newerVendors.map((vendor) => [vendor.id, vendor]));
  const vendorOf = (id: string): BookVendor | undefined => newerById.get(id) ?? loaded.findProvider({ providerId: id });
  return {
    find(vendors, upstreamModel, nowMs) {
      for (const id of vendors) {
        const vendor = vendorOf(id);
        const found = vendor === undefined ? null : lookUp(loaded, vendor, upstreamModel, nowMs);
        if (found !== null) return found;
      }
      return null;
    },
    ignored,
    modelsOf: (vendors) => [...new Set(vendors.flatMap((id) => vendorOf(id)?.models.map((model) => model.id) ?? []))],
  };
}

function lookUp(loaded: Library, vendor: BookVendor, upstreamModel: string, nowMs: number): BookPrice | null {
  const at = (timeMs: number) => priceOn(loaded, vendor, upstreamModel, timeMs);
  const now = at(nowMs);
  if (now === null) return priceAlone(vendor.id, upstreamModel);
  const { model } = now;
  // Some models are cheaper at certain hours. A model that is sold at one price all day must not be sold at the
  // cheapest.
  const prices = variesByHour(model)
    ? Array.from({ length: 24 }, (_, hour) => at(nowMs + hour * HOUR_MS)?.model_price ?? now.model_price)
    : [now.model_price];
  const dearest = prices.reduce((best, other) => (sumOf(other as Amounts) > sumOf(best as Amounts) ? other : best));
  const own = ownPriceOf(vendor.id, model.id);
  const { pricing, tiers, unbilled } = toEntry(dearest as Amounts, modelFacts(upstreamModel).outputs);
  return {
    vendor: vendor.id,
    model: model.id,
    title: typeof model.name === 'string' && model.name.length <= TITLE_LENGTH_MAX ? model.name : null,
    contextLength: isCount(model.context_window) ? model.context_window : null,
    isDeprecated: model.deprecated === true,
    unbilled,
    pricing: withMultiples({ ...pricing, ...own?.pricing }, own),
    tiers: tiers.map((tier) => withMultiples(tier, own)),
    extras: own?.extras ?? {},
  };
}

/**
 * Null for a model that the vendor does not have, and for prices in a form that only a newer version of the package can
 * read: the other models of newer data have theirs.
 */
function priceOn(loaded: Library, provider: BookVendor, upstreamModel: string, timeMs: number) {
  try {
    return loaded.calcPrice({}, upstreamModel, { provider, timestamp: new Date(timeMs) });
  } catch {
    return null;
  }
}

/** For a model that the book does not know. */
function priceAlone(vendor: string, upstreamModel: string): BookPrice | null {
  const own = ownPriceOf(vendor, upstreamModel);
  if (own?.alone !== true) return null;
  return {
    ...{ vendor, model: upstreamModel, title: null, contextLength: null, isDeprecated: false },
    ...{ pricing: own.pricing ?? {}, tiers: [], extras: own.extras ?? {}, unbilled: [] },
  };
}

const variesByHour = ({ prices }: ModelInfo): boolean =>
  Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date');

const baseOf = (amount: Amount | undefined): number | null =>
  amount === undefined ? null : typeof amount === 'number' ? amount : amount.base;

const sumOf = (amounts: Amounts): number => (baseOf(amounts.input_mtok) ?? 0) + (baseOf(amounts.output_mtok) ?? 0);

type TokenKey = 'prompt' | 'completion' | 'cache_read' | 'cache_write' | 'cache_write_1h';

/** The book's names for prices of tokens, in USD per million. */
const TOKEN_KEYS: readonly (readonly [string, TokenKey])[] = [
  ['input_mtok', 'prompt'],
  ['output_mtok', 'completion'],
  ['cache_read_mtok', 'cache_read'],
  ['cache_write_mtok', 'cache_write'],
  ['cache_write_1h_mtok', 'cache_write_1h'],
];

/** Prices of other units, with how many of ours are in one of the book's, and the decimals that are kept. */
const UNIT_KEYS: readonly (readonly [string, keyof PricingEntry, number])[] = [
  ['web_searches_kcount', 'web_search', 1_000],
  ['requests_kcount', 'request', 1_000],
  ['audio_hours', 'audio_second', 3_600],
  ['input_audio_hours', 'audio_second', 3_600],
];

/** Billed only for features that the gateway does not offer, so a price without them is complete. */
const IRRELEVANT: ReadonlySet<string> = new Set(['storage_searches_kcount']);

function toEntry(stated: Amounts, outputs: readonly string[]): Pick<BookPrice, 'pricing' | 'tiers' | 'unbilled'> {
  const amounts = asUsed(stated, outputs);
  const pricing: Record<string, string> = {};
  for (const [name, key] of TOKEN_KEYS) {
    const base = baseOf(amounts[name]);
    if (base !== null) pricing[key] = decimal(base, 9);
  }
  for (const [name, key, units] of UNIT_KEYS) {
    const base = baseOf(amounts[name]);
    if (base !== null) pricing[key] = decimal(base / units, 15);
  }
  const told = new Set([...TOKEN_KEYS.map(([name]) => name), ...UNIT_KEYS.map(([name]) => name)]);
  const unbilled = Object.keys(amounts).filter(
    (name) => amounts[name] !== undefined && !told.has(name) && !IRRELEVANT.has(name),
  );
  return { pricing, tiers: tiersOf(amounts), unbilled };
}

/**
 * A call has one price for its input and one for its output. A model that only listens is sold at the price of sound,
 * and one that makes pictures at the price of pictures, because the price of text would be a fraction of what the
 * vendor charges. Speech is sold by the character, so token prices do not count for it.
 */
function asUsed(stated: Amounts, outputs: readonly string[]): Amounts {
  const { input_audio_mtok: heard, output_image_mtok: drawn, ...others } = stated;
  if (outputs.includes('transcription') && heard !== undefined) return { ...others, input_mtok: heard };
  if (drawn !== undefined) return { ...others, input_audio_mtok: heard, output_mtok: drawn };
  if (!outputs.includes('speech') || others.output_mtok === undefined) return stated;
  const { input_mtok: _text, output_mtok: _spoken, ...rest } = others;
  return { ...rest, output_audio_mtok: stated.output_audio_mtok ?? _spoken };
}

/** For each limit of tokens, the prices that change there; the others stay as below it. */
function tiersOf(amounts: Amounts): PricingTierEntry[] {
  const stepsOf = (amount: Amount | undefined) =>
    amount === undefined || typeof amount === 'number' ? [] : amount.tiers;
  const starts = new Set(TOKEN_KEYS.flatMap(([name]) => stepsOf(amounts[name]).map(({ start }) => start)));
  const priceAt = (amount: Amount | undefined, start: number): number | null => {
    const reached = stepsOf(amount).filter((step) => step.start <= start);
    return reached.at(-1)?.price ?? baseOf(amount);
  };
  return [...starts]
    .sort((left, right) => left - right)
    .flatMap((start) => {
      const stated = TOKEN_KEYS.flatMap(([name, key]) => {
        const price = priceAt(amounts[name], start);
        return price === null ? [] : [[key, perToken(price)] as const];
      });
      const { prompt, completion, ...others } = Object.fromEntries(stated) as Partial<Record<TokenKey, string>>;
      if (prompt === undefined || completion === undefined) return [];
      return [{ above_prompt_tokens: start, prompt, completion, ...others }];
    });
}

/** USD per million tokens as USD per token. */
function perToken(perMillion: number): string {
  const price = parsePricePerMillion(decimal(perMillion, 9));
  assert(price !== null, 'a number with nine decimals is a price');
  return formatPricePerUnit(price);
}

function decimal(value: number, places: number): string {
  const text = value.toFixed(places);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
