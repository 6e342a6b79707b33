// What a model costs, as the catalog states it: nano-USD per million units. A tier replaces the whole list when the
// prompt is longer than its threshold (strictly), for all tokens of the call.

import type { NanoUsd } from '../platform/money.ts';

export type PriceList = Readonly<{
  prompt: NanoUsd;
  completion: NanoUsd;
  /** Null means the prompt price applies. */
  cacheRead: NanoUsd | null;
  cacheWrite: NanoUsd | null;
  /** A flat amount for each call. */
  request: NanoUsd | null;
  image: NanoUsd | null;
  videoSecond: NanoUsd | null;
  audioSecond: NanoUsd | null;
  character: NanoUsd | null;
}>;

export type PriceSchedule = Readonly<{
  base: PriceList;
  /** Ascending by threshold. */
  tiers: readonly Readonly<{ abovePromptTokens: number; list: PriceList }>[];
}>;

/** Of a call that costs nothing, whatever it uses. */
export const NO_PRICES: PriceSchedule = {
  base: {
    prompt: 0n,
    completion: 0n,
    cacheRead: null,
    cacheWrite: null,
    request: null,
    image: null,
    videoSecond: null,
    audioSecond: null,
    character: null,
  },
  tiers: [],
};

export function selectPriceList(schedule: PriceSchedule, promptTokens: number): PriceList {
  let selected = schedule.base;
  for (const tier of schedule.tiers) {
    if (promptTokens > tier.abovePromptTokens) selected = tier.list;
  }
  return selected;
}
