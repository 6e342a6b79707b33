// What the price book cannot say or says too roughly, by vendor as the book names them: catalog/vendors/prices.json. What is
// stated there stands over the book's figures; the rest of them stays.

import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ModelEntry, PricingEntry } from '../../contract/config.ts';
import { assert } from '../../platform/assert.ts';

const OwnPrice = Type.Object(
  {
    match: Type.String(),
    pricing: PricingEntry,
    extras: ModelEntry.properties.extras,
    source: Type.String({ pattern: '^https://' }),
    /** When this was written down from its source. */
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

/** Null where the book says all there is to say. */
export function ownPriceOf(vendor: string, model: string): Pick<OwnPrice, 'pricing' | 'extras'> | null {
  prices ??= readPrices();
  return prices[vendor]?.find(({ match }) => new RegExp(match).test(model)) ?? null;
}
