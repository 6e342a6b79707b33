// The operator's markup on what models cost. The document states what models cost; the prices that calls hold, charge
// and publish are made from it here, once for each snapshot, so that no later code knows of markups.

import {
  type Extra,
  type Markup,
  type PriceList,
  type PriceSchedule,
  WEB_SEARCH_LIST_PRICE,
} from '../../canonical/price.ts';
import type { ConfigDocument, MarkupEntry } from '../../contract/config.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { vendorOf } from './model-names.ts';
import { multiplierMillionths, statedPrices } from './prices.ts';

const MILLION = 1_000_000n;
const PER_CENT = 100n;

export type MarkUp = <Schedule extends PriceSchedule | null>(modelId: string, cost: Schedule) => Schedule;

/** The rule for the model counts first, then the one for its vendor's models, then the one for all. */
export function markupsOf({ markups = {} }: ConfigDocument): MarkUp {
  const rules = new Map(Object.entries(markups).map(([pattern, entry]) => [pattern, markupOf(entry)]));
  return (modelId, cost) => {
    const rule = rules.get(modelId) ?? rules.get(`${vendorOf(modelId)}/*`) ?? rules.get('*');
    return cost === null || rule === undefined || isNothing(rule) ? cost : (sell(cost, rule) as typeof cost);
  };
}

const markupOf = ({ percent = '0', add = {} }: MarkupEntry): Markup => ({
  millionths: multiplierMillionths(percent) / PER_CENT,
  added: statedPrices(add),
});

const isNothing = ({ millionths, added }: Markup): boolean =>
  millionths === 0n && Object.values(added).every((amount) => amount === 0n);

function sell(cost: PriceSchedule, markup: Markup): PriceSchedule {
  const { extras } = cost;
  return {
    ...cost,
    base: sellList(cost.base, markup),
    tiers: cost.tiers.map(({ abovePromptTokens, list }) => ({ abovePromptTokens, list: sellList(list, markup) })),
    ...(extras === undefined
      ? {}
      : { extras: new Map([...extras].map(([name, extra]) => [name, sellExtra(extra, markup)])) }),
    sold: { cost, markup },
  };
}

/**
 * A price that is not stated stays so, because another price stands in for it. Only the price of a call may come from
 * the markup alone.
 */
function sellList(list: PriceList, markup: Markup): PriceList {
  const stated = { ...list, webSearch: list.webSearch ?? WEB_SEARCH_LIST_PRICE };
  const { request } = list;
  const hasRequest = request !== null || markup.added.request !== undefined;
  return {
    ...sellPrices(stated, markup),
    request: hasRequest ? sellPrice('request', request ?? 0n, markup) : null,
  };
}

/** A multiple applies to prices that include the markup, so it stays as it is. */
const sellExtra = (extra: Extra, markup: Markup): Extra =>
  extra.kind === 'multiple' ? extra : { ...extra, prices: sellPrices(extra.prices, markup) };

function sellPrices<List extends Partial<PriceList>>(list: List, markup: Markup): List {
  const sold = Object.entries(list).map(([name, price]) => [
    name,
    price === null ? null : sellPrice(name as keyof PriceList, price, markup),
  ]);
  return Object.fromEntries(sold);
}

function sellPrice(name: keyof PriceList, price: NanoUsd, { millionths, added }: Markup): NanoUsd {
  return (price * (MILLION + millionths) + MILLION / 2n) / MILLION + (added[name] ?? 0n);
}
