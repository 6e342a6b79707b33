// What a model costs, as the catalog states it: nano-USD per million units. A tier replaces the whole list when the
// prompt is longer than its threshold (strictly), for all tokens of the call.

import type { NanoUsd } from '../platform/money.ts';
import type { Operation } from './operation.ts';

export type PriceList = Readonly<{
  prompt: NanoUsd;
  completion: NanoUsd;
  /** Null means the prompt price applies. */
  cacheRead: NanoUsd | null;
  cacheWrite: NanoUsd | null;
  /** For tokens that a cache keeps for an hour. Null means the price of ordinary writing applies. */
  cacheWriteHour: NanoUsd | null;
  /** A flat amount for each call. */
  request: NanoUsd | null;
  image: NanoUsd | null;
  videoSecond: NanoUsd | null;
  audioSecond: NanoUsd | null;
  character: NanoUsd | null;
  /** For each query of up to a hundred documents that are ranked. */
  search: NanoUsd | null;
  /** For each web search that the provider runs. Null means the usual list price applies. */
  webSearch: NanoUsd | null;
  /** For each use of another tool that the provider runs. Null means that such tools are not offered. */
  hostedTool: NanoUsd | null;
}>;

/**
 * 0.01 USD a search, which is the usual price. It applies where no price is stated, so that searches are never free by
 * mistake.
 */
export const WEB_SEARCH_LIST_PRICE: NanoUsd = 10_000_000n * 1_000_000n;

export type PriceSchedule = Readonly<{
  base: PriceList;
  /** Ascending by threshold. */
  tiers: readonly Readonly<{ abovePromptTokens: number; list: PriceList }>[];
  /** Operations that would cost nothing, because their price was not stated; absent for none. */
  lacks?: ReadonlySet<PricedKind>;
  /** Extras and their prices by name, such as `service_tier=priority`. Absent for none. */
  extras?: ReadonlyMap<string, Extra>;
  /** The extras that these lists already include. */
  applied?: readonly string[];
  /** The operator's own cost, where it is sold for more; absent where it is sold at cost. */
  sold?: Readonly<{ cost: PriceSchedule; markup: Markup }>;
}>;

/** The markup on the cost: a share of it in millionths, and amounts in the units of its prices. */
export type Markup = Readonly<{ millionths: bigint; added: Partial<PriceList> }>;

/** How an extra changes the prices: a multiple of everything counted, in millionths, or other prices. */
export type Extra =
  | Readonly<{ kind: 'multiple'; millionths: bigint }>
  | Readonly<{ kind: 'prices'; prices: Partial<PriceList> }>;

/** Pictures in a conversation are billed by another price than its words. */
export type PricedKind = Operation | 'chat-images';

/** For a call that costs nothing, whatever it uses. */
export const NO_PRICES: PriceSchedule = {
  base: {
    prompt: 0n,
    completion: 0n,
    cacheRead: null,
    cacheWrite: null,
    cacheWriteHour: null,
    request: null,
    image: null,
    videoSecond: null,
    audioSecond: null,
    character: null,
    search: null,
    webSearch: 0n,
    hostedTool: 0n,
  },
  tiers: [],
};

export function isPricedFor({ lacks }: PriceSchedule, kind: PricedKind): boolean {
  return lacks === undefined || !lacks.has(kind);
}

export function selectPriceList(schedule: PriceSchedule, promptTokens: number): PriceList {
  let selected = schedule.base;
  for (const tier of schedule.tiers) {
    if (promptTokens > tier.abovePromptTokens) selected = tier.list;
  }
  return selected;
}
