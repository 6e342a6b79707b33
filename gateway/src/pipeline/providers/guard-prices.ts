// Finds mistakes in prices that would cost money: a price in the wrong unit, a model that is sold below its vendor's
// price, a model that cannot be called because it has no price. They are refused unless the operator confirms them.

import type { ConfigDocument, ModelEntry, PricingEntry } from '../../contract/config.ts';
import { ConfigDocumentError, problemAt } from '../../modules/catalog/config-problem.ts';
import { priceUnit } from '../../modules/catalog/prices.ts';
import { vendorPresets } from '../../modules/vendors/presets.ts';
import type { BookPrice, PriceBook } from '../../modules/vendors/price-book.ts';
import { priceWords } from './test-provider.ts';
import { bookPriceOf } from './update-prices.ts';

type PriceFinding = Readonly<{
  model: string;
  kind: 'unpriced' | 'below cost' | 'unit slip' | 'outdated' | 'unreadable';
  message: string;
}>;

/** A price that is this many times more or less than the known one is taken for a mistake. */
const SLIP_FACTOR = 100;
const SLIPS_TOLD = 20;
const IGNORED_TOLD = 5;
const UNIT = 'USD per million tokens';
const TOKEN_KEYS = ['prompt', 'completion', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

const keysOf = (pricing: PricingEntry) => Object.keys(pricing) as (keyof PricingEntry)[];

type Problem = Readonly<{ path: readonly (string | number)[]; message: string }>;

/** Prices of the new document that look like a wrong unit; those that were live before are not checked again. */
export function findSlips(live: ConfigDocument, next: ConfigDocument, book: PriceBook, nowMs: number): string[] {
  const ofModels = Object.entries(next.models ?? {}).flatMap(([id, entry]) => {
    if (pricesText(entry) === pricesText(live.models?.[id])) return [];
    return slipsOf(entry, knownPrice({ document: next, id, entry, book, nowMs })).map(({ path, message }) =>
      problemAt(['models', id, ...path], message),
    );
  });
  return [...ofModels, ...markupSlips(live, next)];
}

/** A markup that is far more than the price it is added to. */
function markupSlips(live: ConfigDocument, next: ConfigDocument): string[] {
  return Object.entries(next.markups ?? {}).flatMap(([pattern, { add = {} }]) => {
    if (JSON.stringify(add) === JSON.stringify(live.markups?.[pattern]?.add ?? {})) return [];
    const models = Object.entries(next.models ?? {}).filter(
      ([id]) => pattern === '*' || id === pattern || id.startsWith(pattern.replace(/\*$/, '')),
    );
    return keysOf(add).flatMap((key) => {
      const amount = Number(add[key] ?? 0);
      const found = models.find(([, { pricing }]) => {
        const price = Number(pricing?.[key] ?? 0);
        return price > 0 && amount > price * SLIP_FACTOR;
      });
      if (found === undefined) return [];
      const [id, { pricing }] = found;
      const message = `${add[key]} ${priceUnit(key)} comes on top of ${pricing?.[key]}, which is the price of ${id}`;
      return [problemAt(['markups', pattern, 'add', key], message)];
    });
  });
}

/** Refuses a document with such prices until the operator has confirmed them. */
export const slipCheck =
  (book: PriceBook, nowMs: number) =>
  (live: ConfigDocument, next: ConfigDocument): void => {
    const slips = findSlips(live, next, book, nowMs);
    if (slips.length === 0) return;
    const words = 'if these prices are meant, confirm them (--confirm-prices, or confirm_prices=true)';
    throw new ConfigDocumentError([...slips.slice(0, SLIPS_TOLD), words]);
  };

const pricesText = (entry: ModelEntry | undefined): string =>
  JSON.stringify([
    entry?.pricing,
    entry?.pricing_tiers,
    entry?.routes?.map(({ pricing, pricing_tiers: tiers }) => [pricing, tiers]),
  ]);

/** `pricing: {}` states nothing, so calls are refused as without it. */
const hasPrice = ({ pricing = {} }: Pick<ModelEntry, 'pricing'>): boolean => Object.keys(pricing).length > 0;

/** What is wrong with the prices that are live, for the operator's first page. */
export function findPriceTrouble(live: ConfigDocument, book: PriceBook, nowMs: number): PriceFinding[] {
  const ofModels = Object.entries(live.models ?? {}).flatMap(([id, entry]): PriceFinding[] => {
    const isPriced = hasPrice(entry) || entry.routes?.some(hasPrice) === true;
    if (!isPriced) return [{ model: id, kind: 'unpriced', message: 'It has no price, so its calls are refused.' }];
    const known = knownPrice({ document: live, id, entry, book, nowMs });
    const [slip] = slipsOf(entry, known);
    if (slip !== undefined) return [{ model: id, kind: 'unit slip', message: slip.message }];
    const loss = known === null ? null : lossOf(entry.pricing ?? {}, known);
    if (loss !== null) return [{ model: id, kind: 'below cost', message: loss }];
    const change = entry.price_source === 'book' && known !== null ? priceWords(entry, known, '') : null;
    if (change === null) return [];
    return [{ model: id, kind: 'outdated', message: `Not up to date: ${change}. \`prices update\` follows.` }];
  });
  return [...ofModels, ...bookTrouble(book)];
}

function bookTrouble({ ignored }: PriceBook): PriceFinding[] {
  if (ignored.length === 0) return [];
  const more = ignored.length > IGNORED_TOLD ? ` and ${ignored.length - IGNORED_TOLD} more` : '';
  const message = `Newer prices were left out that cannot be read: ${ignored.slice(0, IGNORED_TOLD).join(', ')}${more}.`;
  return [{ model: 'price book', kind: 'unreadable', message }];
}

/** The price of the vendor that the model's route leads to, else of the vendor in its id. */
function knownPrice(asked: {
  document: ConfigDocument;
  id: string;
  entry: ModelEntry;
  book: PriceBook;
  nowMs: number;
}): BookPrice | null {
  const { document, id, entry, book, nowMs } = asked;
  const routed = bookPriceOf(document, entry, book, nowMs);
  if (routed !== null) return routed.price;
  const [owner = '', name = ''] = id.split('/');
  for (const [preset, { vendor, prices }] of vendorPresets()) {
    if (preset !== owner && vendor !== owner) continue;
    const price = book.find(prices, name.split(':')[0] ?? '', nowMs);
    if (price !== null) return price;
  }
  return null;
}

function slipsOf(entry: ModelEntry, known: BookPrice | null): Problem[] {
  const base = entry.pricing ?? {};
  return [
    ...pricingSlips(base, known?.pricing ?? {}, ['pricing'], 'the price book'),
    ...tierSlips(entry.pricing_tiers, base, ['pricing_tiers']),
    ...(entry.routes ?? []).flatMap(({ pricing = {}, pricing_tiers: tiers }, index) => [
      ...pricingSlips(pricing, base, ['routes', index, 'pricing'], "the model's own price"),
      ...tierSlips(tiers, { ...base, ...pricing }, ['routes', index, 'pricing_tiers']),
    ]),
  ];
}

function pricingSlips(stated: PricingEntry, other: PricingEntry, path: Problem['path'], whose: string): Problem[] {
  return keysOf(stated).flatMap((key) => {
    const [text, known] = [stated[key], other[key]];
    const words = text === undefined || known === undefined ? null : slipWords(Number(text), Number(known));
    if (words === null) return [];
    return [{ path: [...path, key], message: `${text} ${priceUnit(key)} is ${words} ${known}, which is ${whose}` }];
  });
}

function tierSlips(tiers: ModelEntry['pricing_tiers'] = [], base: PricingEntry, path: Problem['path']): Problem[] {
  return tiers.flatMap((tier, index) =>
    TOKEN_KEYS.flatMap((key) => {
      const [text, known] = [tier[key], base[key]];
      const words = text === undefined || known === undefined ? null : slipWords(Number(text) * 1e6, Number(known));
      if (words === null) return [];
      const message = `${text} USD per token is ${words} the base price, ${known} ${UNIT}; prices of tiers are per token`;
      return [{ path: [...path, index, key], message }];
    }),
  );
}

/** A price of zero is always meant, and so is never a mistake of the unit. */
function slipWords(price: number, known: number): string | null {
  if (!(price > 0) || !(known > 0)) return null;
  if (price > known * SLIP_FACTOR) return `${shortly(price / known)} times`;
  return price < known / SLIP_FACTOR ? `a ${shortly(known / price)}th of` : null;
}

const shortly = (factor: number): string => Math.round(factor).toLocaleString('en-US').replaceAll(',', ' ');

function lossOf(stated: PricingEntry, known: BookPrice): string | null {
  const lower = (['prompt', 'completion'] as const).filter((key) => {
    const [here, there] = [stated[key], known.pricing[key]];
    return here !== undefined && there !== undefined && Number(here) < Number(there);
  });
  if (lower.length === 0) return null;
  const words = lower.map((key) => `${key} ${stated[key]}, and the vendor takes ${known.pricing[key]}`);
  return `Sold below cost: ${words.join('; ')} (${UNIT}).`;
}
