// Prices that the price book lacks or states too roughly, by the book's names of vendors: catalog/vendors/prices.json.
// What is stated there replaces the book's figures, and the others stay; multiples of the prompt's price only fill
// gaps.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ModelEntry, PricingEntry } from '../../contract/config.ts';
import { assert } from '../../platform/assert.ts';

const OwnPrice = Type.Object(
  {
    match: Type.String(),
    pricing: Type.Optional(PricingEntry),
    /** Prices that a vendor publishes as a multiple of the prompt price. */
    times_prompt: Type.Optional(Type.Partial(Type.Pick(PricingEntry, ['cache_read', 'cache_write', 'cache_write_1h']))),
    /** The book does not know the model, and this is its whole price. */
    alone: Type.Optional(Type.Literal(true)),
    extras: ModelEntry.properties.extras,
    source: Type.String({ pattern: '^https://' }),
    /** When this was copied from its source. */
    written: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  },
  { additionalProperties: false },
);
type OwnPrice = Readonly<Static<typeof OwnPrice>>;

const OwnPrices = Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), Type.Array(OwnPrice));

const FILE = new URL('../../../catalog/vendors/prices.json', import.meta.url);

let prices: Static<typeof OwnPrices> | undefined;

function readPrices(): Static<typeof OwnPrices> {
  const data: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
  assert(Value.Check(OwnPrices, data), 'catalog/vendors/prices.json has the form that own-prices.ts reads');
  return data;
}

/** Null where the book has everything. */
export function ownPriceOf(vendor: string, model: string): OwnPrice | null {
  prices ??= readPrices();
  return prices[vendor]?.find(({ match }) => new RegExp(match).test(model)) ?? null;
}

type TokenPrices = Readonly<{ prompt?: string; cache_read?: string; cache_write?: string; cache_write_1h?: string }>;

/** Adds prices that are published as a multiple of the prompt price, where they are not stated; exact. */
export function withMultiples<Prices extends TokenPrices>(prices: Prices, own: OwnPrice | null): Prices {
  const { prompt } = prices;
  if (prompt === undefined || own?.times_prompt === undefined) return prices;
  const gaps = Object.entries(own.times_prompt).filter(([key]) => !Object.hasOwn(prices, key));
  return { ...prices, ...Object.fromEntries(gaps.map(([key, times]) => [key, multiply(prompt, times)])) };
}

export function multiply(left: string, right: string): string {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  const places = one.places + other.places;
  const digits = (one.digits * other.digits).toString().padStart(places + 1, '0');
  const text = `${digits.slice(0, digits.length - places)}.${digits.slice(digits.length - places)}`;
  return text.replace(/\.?0*$/, '');
}

function decimalOf(text: string): Readonly<{ digits: bigint; places: number }> {
  const [whole = '', part = ''] = text.split('.');
  return { digits: BigInt(whole + part), places: part.length };
}
