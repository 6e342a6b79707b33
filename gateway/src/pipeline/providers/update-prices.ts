// Brings prices up to date with the price book. Only models whose prices came from the book follow it; prices that an
// operator typed, and those that a route has of its own, are reported and left alone. Past charges keep the price that
// they were made with.

import type { JsonObject } from '../../canonical/json.ts';
import type {
  ConfigDocument,
  ModelEntry,
  ModelRouteEntry,
  PricingEntry,
  PricingTierEntry,
} from '../../contract/config.ts';
import type { Change, ChangeOptions } from '../../modules/catalog/change-document.ts';
import { priceUnit } from '../../modules/catalog/prices.ts';
import { presetOf, vendorPresets } from '../../modules/vendors/presets.ts';
import type { BookPrice, PriceBook } from '../../modules/vendors/price-book.ts';
import type { ConnectServices } from './connect-provider.ts';
import { priceWords } from './test-provider.ts';

export type PriceUpdate = Readonly<{
  change: Change;
  /** Prices that change by a factor of two or more, or from or to nothing, in words. */
  jumps: readonly string[];
  /** Models whose prices were typed, and routes with prices of their own, where they differ from the book. */
  typed: readonly string[];
}>;

const JUMP_FACTOR = 2;
/** Without a price of their own, tokens of a cache cost what the prompt costs, and searches of the web a usual price. */
const HAS_SUBSTITUTE = /^(?:cache_|web_search$)/;

type UpdateOptions = ChangeOptions &
  Readonly<{
    /** Nobody looks at the difference before it is applied, so a price that jumps is left for an operator. */
    keepsJumps?: boolean;
  }>;

export async function updatePrices(services: ConnectServices, options: UpdateOptions): Promise<PriceUpdate> {
  const book = await services.priceBook();
  const nowMs = services.clock.nowMs();
  const jumps: string[] = [];
  const typed: string[] = [];
  const edit = (live: ConfigDocument): JsonObject => {
    jumps.length = 0;
    typed.length = 0;
    const models = Object.entries(live.models ?? {}).map(([id, entry]) => {
      const known = bookPriceOf(live, entry, book, nowMs);
      if (known === null) return [id, entry] as const;
      if (entry.price_source === 'book') {
        typed.push(...routeDifferences(id, entry, (route) => bookPriceOfRoute(live, route, book, nowMs)));
        const jumpsBefore = jumps.length;
        const next = followed(id, entry, known.price, jumps);
        return [id, options.keepsJumps === true && jumps.length > jumpsBefore ? entry : next] as const;
      }
      const words = priceWords(entry, known.price, known.provider);
      if (words !== null && entry.price_source === undefined) typed.push(`${id}: ${words}`);
      return [id, entry] as const;
    });
    return { ...live, models: Object.fromEntries(models) };
  };
  const change = await services.catalog.editDocument(edit, options);
  return { change, jumps, typed };
}

/** The book's price of the first route of a model that the book knows; null when it knows none. */
export function bookPriceOf(
  document: ConfigDocument,
  entry: ModelEntry,
  book: PriceBook,
  nowMs: number,
): Readonly<{ provider: string; price: BookPrice }> | null {
  for (const route of entry.routes ?? []) {
    const price = bookPriceOfRoute(document, route, book, nowMs);
    if (price !== null) return { provider: route.provider, price };
  }
  return null;
}

function bookPriceOfRoute(
  document: ConfigDocument,
  route: ModelRouteEntry,
  book: PriceBook,
  nowMs: number,
): BookPrice | null {
  const provider = document.providers?.[route.provider];
  if (provider === undefined || route.upstream_model === undefined) return null;
  const preset = presetOf({ preset: provider.preset, baseUrl: provider.base_url ?? '' });
  return book.find(vendorPresets().get(preset ?? '')?.prices ?? [], route.upstream_model, nowMs);
}

function routeDifferences(
  id: string,
  { routes = [] }: ModelEntry,
  priceOf: (route: ModelRouteEntry) => BookPrice | null,
): readonly string[] {
  return routes.flatMap((route) => {
    const price = priceOf(route);
    const words = price === null ? [] : differenceWords(route, price);
    return words.length === 0 ? [] : [`${id} at ${route.provider}: ${words.join('; ')}`];
  });
}

function differenceWords(route: ModelRouteEntry, book: BookPrice): string[] {
  const { pricing = {}, pricing_tiers: tiers, extras = {} } = route;
  // What the book does not have, it could not bring up to date.
  const prices = (Object.keys(pricing) as (keyof PricingEntry)[]).flatMap((key) => {
    const [here, there] = [pricing[key], book.pricing[key]];
    const isSame = there === undefined || Number(here) === Number(there);
    return isSame ? [] : [`${key} ${here} here, ${there} in the price book`];
  });
  const others = Object.keys(extras).filter(
    (name) => book.extras[name] !== undefined && JSON.stringify(book.extras[name]) !== JSON.stringify(extras[name]),
  );
  const hasOtherTiers = tiers !== undefined && tiersText(tiers) !== tiersText(book.tiers);
  const names = [...(hasOtherTiers ? ['pricing_tiers'] : []), ...others];
  return [...prices, ...names.map((name) => `${name} other than in the price book`)];
}

const tiersText = (tiers: readonly PricingTierEntry[]): string =>
  JSON.stringify(tiers.map((tier) => [tier.above_prompt_tokens, Number(tier.prompt), Number(tier.completion)]));

function followed(id: string, entry: ModelEntry, price: BookPrice, jumps: string[]): ModelEntry {
  const { pricing, tiers, extras } = price;
  const before = entry.pricing ?? {};
  // Only prices that were stated before: the book has a completion price even for models of vectors.
  const after = Object.fromEntries(
    Object.entries(pricing).filter(([key]) => Object.hasOwn(before, key) || entry.output_modalities?.includes('text')),
  );
  // A price that the book no longer has stays, because the model is still sold: without it, what is billed by it would
  // cost nothing.
  if (Object.keys(before).some((key) => !HAS_SUBSTITUTE.test(key) && !Object.hasOwn(after, key))) {
    jumps.push(`${id}: the price book has no price of it any more, so it keeps its own`);
    return entry;
  }
  for (const key of Object.keys(before) as (keyof PricingEntry)[]) {
    const words = jumpWords(Number(before[key]), Number(after[key]));
    if (words !== null) jumps.push(`${id}: ${key} ${before[key]} -> ${after[key]} ${priceUnit(key)}, ${words}`);
  }
  jumps.push(...tierJumps(id, { base: before, tiers: entry.pricing_tiers ?? [] }, { base: after, tiers }));
  const { pricing_tiers: _tiers, ...rest } = entry;
  return {
    ...rest,
    pricing: after,
    ...(tiers.length === 0 ? {} : { pricing_tiers: [...tiers] }),
    // Extras that an operator has stated besides stay.
    ...(Object.keys(extras).length === 0 ? {} : { extras: { ...entry.extras, ...extras } }),
  };
}

/** Null for a small change, and for a price that has none in its place. */
function jumpWords(was: number, is: number): string | null {
  if (was === is || Number.isNaN(is)) return null;
  if (is === 0) return 'so that it would be free';
  if (was === 0) return 'and it was free';
  const factor = is > was ? is / was : was / is;
  if (factor < JUMP_FACTOR) return null;
  return `${factor.toFixed(1)} ${is > was ? 'times as much' : 'times less'}`;
}

type Priced = Readonly<{ base: PricingEntry; tiers: readonly PricingTierEntry[] }>;

/** A tier that comes, goes or changes is compared with what such a prompt costs otherwise. */
function tierJumps(id: string, before: Priced, after: Priced): string[] {
  const starts = new Set([...before.tiers, ...after.tiers].map((tier) => tier.above_prompt_tokens));
  return [...starts].flatMap((start) =>
    (['prompt', 'completion'] as const).flatMap((key) => {
      const [was, is] = [before, after].map((priced) => priceAbove(priced, start, key)) as [number, number];
      const words = jumpWords(was, is);
      if (words === null) return [];
      return [`${id}: ${key} above ${start} tokens ${was} -> ${is} ${priceUnit(key)}, ${words}`];
    }),
  );
}

/** USD per million tokens, of a prompt that is longer than this. */
function priceAbove({ base, tiers }: Priced, start: number, key: 'prompt' | 'completion'): number {
  const reached = tiers.filter((tier) => tier.above_prompt_tokens <= start);
  const [last] = reached.toSorted((left, right) => right.above_prompt_tokens - left.above_prompt_tokens);
  return last === undefined ? Number(base[key] ?? 0) : Number((Number(last[key]) * 1e6).toPrecision(12));
}
