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
  /** Of tokens that a cache keeps for an hour. Null means the price of ordinary writing applies. */
  cacheWriteHour: NanoUsd | null;
  /** A flat amount for each call. */
  request: NanoUsd | null;
  image: NanoUsd | null;
  videoSecond: NanoUsd | null;
  audioSecond: NanoUsd | null;
  character: NanoUsd | null;
  /** For each query of up to a hundred documents that is put in order. */
  search: NanoUsd | null;
  /** For each search of the web that the provider runs. Null means the usual list price applies. */
  webSearch: NanoUsd | null;
  /** For each use of any other tool that the provider runs. Null means that such tools are not offered. */
  hostedTool: NanoUsd | null;
}>;

/** 0.01 USD a search, which is what those who offer it ask. Nobody searches for nothing because a price was left out. */
export const WEB_SEARCH_LIST_PRICE: NanoUsd = 10_000_000n * 1_000_000n;

export type PriceSchedule = Readonly<{
  base: PriceList;
  /** Ascending by threshold. */
  tiers: readonly Readonly<{ abovePromptTokens: number; list: PriceList }>[];
  /** Operations that would cost nothing, because the price that they are billed by was not stated; absent for none. */
  lacks?: ReadonlySet<PricedKind>;
  /** What may be had beyond the ordinary, by name, such as `service_tier=priority`. Absent for nothing. */
  extras?: ReadonlyMap<string, Extra>;
  /** The extras that these lists include already. */
  applied?: readonly string[];
  /** What the same costs the operator, where it is sold for more; absent where it is sold for what it costs. */
  sold?: Readonly<{ cost: PriceSchedule; markup: Markup }>;
}>;

/** What is asked beyond what something costs: a share of it in millionths, and amounts in the units of its prices. */
export type Markup = Readonly<{ millionths: bigint; added: Partial<PriceList> }>;

/** What an extra makes of the prices: a multiple of all that is counted, in millionths, or others in their place. */
export type Extra =
  | Readonly<{ kind: 'multiple'; millionths: bigint }>
  | Readonly<{ kind: 'prices'; prices: Partial<PriceList> }>;

/** Pictures that a conversation makes are billed by another price than its words. */
export type PricedKind = Operation | 'chat-images';

/** Of a call that costs nothing, whatever it uses. */
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
