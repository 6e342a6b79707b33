// What a call costs by its usage: pure arithmetic on bigint. The prompt's length selects one price list for the whole
// call, and a charge is rounded once, half up. A reservation's estimate rounds up instead, so it never falls short.

import { type PriceList, type PriceSchedule, selectPriceList } from '../../canonical/price.ts';
import { isZeroUsage, type Usage } from '../../canonical/usage.ts';
import { assert } from '../../platform/assert.ts';
import { type NanoUsd, priceUnits, roundCharge } from '../../platform/money.ts';

export type PricingOptions = Readonly<{
  /** A whole number; families that bill thinking differently multiply the completion price by it. */
  completionMultiplier?: number;
  requestCount?: number;
}>;

export type Price = Readonly<{
  /** The cost as if nothing had come from a cache. */
  subtotalNanoUsd: NanoUsd;
  /** `subtotal - cost`; below zero when writing the cache cost more than reading it saved. */
  cacheDiscountNanoUsd: NanoUsd;
  costNanoUsd: NanoUsd;
  /** The list that was applied, multiplier included, to be kept with the charge. */
  list: PriceList;
}>;

const multipliedLists = new WeakMap<PriceList, Map<number, PriceList>>();

/** One object for each list and multiplier, so that the snapshot of a list is made once and not for every call. */
function withCompletionMultiplier(list: PriceList, multiplier: number): PriceList {
  assert(Number.isSafeInteger(multiplier) && multiplier >= 1, 'a price multiplier is a positive whole number');
  if (multiplier === 1) return list;
  const known = multipliedLists.get(list) ?? new Map<number, PriceList>();
  const found = known.get(multiplier);
  if (found !== undefined) return found;
  const multiplied = { ...list, completion: list.completion * BigInt(multiplier) };
  known.set(multiplier, multiplied);
  multipliedLists.set(list, known);
  return multiplied;
}

export function priceUsage(usage: Usage, schedule: PriceSchedule, options: PricingOptions = {}): Price {
  const selected = selectPriceList(schedule, usage.promptTokens);
  const list = withCompletionMultiplier(selected, options.completionMultiplier ?? 1);
  // Failed-request protection: an answer without usage is free, its flat price included.
  if (isZeroUsage(usage)) return { subtotalNanoUsd: 0n, cacheDiscountNanoUsd: 0n, costNanoUsd: 0n, list };

  // An upstream that claims more cached tokens than prompt tokens must not drive the rest below zero.
  const cached = Math.min(usage.cachedTokens, usage.promptTokens);
  const written = Math.min(usage.cacheWriteTokens, usage.promptTokens - cached);
  const plain = usage.promptTokens - cached - written;

  const uncacheable =
    priceUnits(usage.completionTokens, list.completion) + priceUnits(options.requestCount ?? 1, list.request ?? 0n);
  const subtotalNanoUsd = roundCharge(uncacheable + priceUnits(usage.promptTokens, list.prompt));
  const costNanoUsd = roundCharge(
    uncacheable +
      priceUnits(plain, list.prompt) +
      priceUnits(cached, list.cacheRead ?? list.prompt) +
      priceUnits(written, list.cacheWrite ?? list.prompt),
  );
  return { subtotalNanoUsd, cacheDiscountNanoUsd: subtotalNanoUsd - costNanoUsd, costNanoUsd, list };
}

export type CostEstimate = Readonly<{
  promptTokens: number;
  /** For one choice. */
  outputTokens: number;
  choices: number;
}>;

/** What to reserve: the estimated prompt at the tier it selects plus a bounded output, rounded up. */
export function estimateCost(estimate: CostEstimate, schedule: PriceSchedule, options: PricingOptions = {}): NanoUsd {
  const selected = selectPriceList(schedule, estimate.promptTokens);
  const list = withCompletionMultiplier(selected, options.completionMultiplier ?? 1);
  const scaled =
    priceUnits(estimate.promptTokens, list.prompt) +
    priceUnits(estimate.outputTokens, list.completion) * BigInt(estimate.choices) +
    priceUnits(options.requestCount ?? 1, list.request ?? 0n);
  return (scaled + 999_999n) / 1_000_000n;
}
