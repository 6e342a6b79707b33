// A price schedule as it is kept with a line that is charged later. Amounts are text, because JSON has no integers of
// their size. It includes the names of its extras, which are shown with the charge, and the operator's own prices.

import { keepExtras } from '../../canonical/extras.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { type Markup, NO_PRICES, type PriceList, type PriceSchedule } from '../../canonical/price.ts';
import { assert } from '../../platform/assert.ts';

export function writePrices({ base, tiers, applied = [], sold }: PriceSchedule): JsonObject {
  return {
    base: writeList(base),
    tiers: tiers.map(({ abovePromptTokens, list }) => ({ abovePromptTokens, list: writeList(list) })),
    applied,
    ...(sold === undefined ? {} : { sold: { cost: writePrices(sold.cost), markup: writeMarkup(sold.markup) } }),
  };
}

export function readPrices(kept: unknown): PriceSchedule {
  assert(isJsonObject(kept) && Array.isArray(kept.tiers) && Array.isArray(kept.applied), 'prices are kept as written');
  const applied = kept.applied.map(String);
  return {
    base: readList(kept.base, applied),
    tiers: kept.tiers.filter(isJsonObject).map(({ abovePromptTokens, list }) => ({
      abovePromptTokens: Number(abovePromptTokens),
      list: readList(list, applied),
    })),
    applied,
    ...(isJsonObject(kept.sold)
      ? { sold: { cost: readPrices(kept.sold.cost), markup: readMarkup(kept.sold.markup) } }
      : {}),
  };
}

const writeMarkup = ({ millionths, added }: Markup): JsonObject => ({
  millionths: String(millionths),
  added: writeList(added),
});

function readMarkup(kept: unknown): Markup {
  assert(isJsonObject(kept) && isJsonObject(kept.added), 'a markup is kept as written');
  const added = Object.entries(kept.added).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return {
    millionths: BigInt(String(kept.millionths)),
    added: Object.fromEntries(added.map(([name, price]) => [name, BigInt(price)])),
  };
}

const writeList = (list: Partial<PriceList>): JsonObject =>
  Object.fromEntries(Object.entries(list).map(([name, price]) => [name, price === null ? null : String(price)]));

function readList(kept: unknown, applied: readonly string[]): PriceList {
  assert(isJsonObject(kept), 'a price list is kept as written');
  const entries = Object.keys(NO_PRICES.base).map((name) => {
    const price = kept[name];
    return [name, typeof price === 'string' ? BigInt(price) : null];
  });
  const list = Object.fromEntries(entries) as PriceList;
  return keepExtras(list, list, ...applied);
}
