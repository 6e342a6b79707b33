// Turns what the upstream says it used into what the caller pays. The upstream is a stranger: a count that nothing in
// the call explains is charged up to what was held, and the rest is shown to the operator; a count that is no count at
// all means no usage, hence no charge.

import { withExtras } from '../canonical/extras.ts';
import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { NO_PRICES, type PriceSchedule } from '../canonical/price.ts';
import { isZeroUsage, type Usage } from '../canonical/usage.ts';
import { type Price, type PricingOptions, priceUsage } from '../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../platform/money.ts';
import { isExplained } from './explain-usage.ts';
import { withOfferedUses } from './hosted-tools.ts';
import { withPricedUnits } from './priced-units.ts';
import { completionMultiplier } from './reserve.ts';

/** Why the operator has to look at a charge: nothing explains the usage, or a model without a price took a turn. */
export type DoubtReason = 'implausible' | 'unpriced_turn';

export const isDoubt = (reason: string): boolean => reason === 'implausible' || reason === 'unpriced_turn';

export type Metered = Readonly<{
  usage: Usage;
  price: Price;
  /** What is left uncharged for a reason that is not the caller's; null for nearly all. */
  doubt: Readonly<{ reason: DoubtReason; nanoUsd: NanoUsd }> | null;
}>;

/** An upstream that states the cost knows prices that the hold was only guessed from, so it may be off by this much. */
const STATED_COST_FACTOR = 10n;
const STATED_COST_SLACK: NanoUsd = 1_000_000_000n;

/** A stranger's figure is added up in the reports, so it is noted up to a bound. 1,000 USD. */
const DOUBT_NANO_USD_MAX: NanoUsd = 1_000_000_000_000n;

type MeteredCall = Readonly<{ request: CanonicalRequest; candidate: Candidate; reservedNanoUsd: NanoUsd }>;

/** Null: nothing billable was reported, so the whole reservation goes back (failed-request protection). */
export function meter(reported: Usage | null, call: MeteredCall): Metered | null {
  if (reported === null || isZeroUsage(reported)) return null;
  const { request, candidate, reservedNanoUsd } = call;
  const usage = withPricedUnits(withOfferedUses(reported, request, candidate), request, candidate);
  const pricesOf = otherPrices(candidate);
  const options = { completionMultiplier: completionMultiplier(request, candidate), pricesOf };
  const price = dearest(usage, candidate.prices, options);
  const unpriced = unpricedTurns(usage, candidate, pricesOf);
  const overNanoUsd = price.costNanoUsd - reservedNanoUsd;
  if (overNanoUsd <= 0n || isPlausible(reported, call)) return { usage, price, doubt: unpriced };
  const capped = { subtotalNanoUsd: reservedNanoUsd, costNanoUsd: reservedNanoUsd, cacheDiscountNanoUsd: 0n };
  return { usage, price: { ...price, ...capped }, doubt: doubt('implausible', overNanoUsd) };
}

/** By what was sent, or by what the answer says was used where that has a price and costs more. */
function dearest(usage: Usage, prices: PriceSchedule, options: PricingOptions): Price {
  const asked = priceUsage(usage, prices, options);
  const stated = usage.extras === undefined ? prices : withExtras(prices, usage.extras);
  if (stated === prices) return asked;
  const used = priceUsage(usage, stated, options);
  return used.costNanoUsd > asked.costNanoUsd ? used : asked;
}

function doubt(reason: DoubtReason, nanoUsd: NanoUsd): Metered['doubt'] {
  const isTooMuch = nanoUsd > DOUBT_NANO_USD_MAX;
  return { reason, nanoUsd: isTooMuch ? DOUBT_NANO_USD_MAX : nanoUsd };
}

type PricesOf = (upstreamModel: string) => PriceSchedule | undefined;

/** What costs the caller nothing costs nothing in all its turns. */
function otherPrices({ prices, provider }: Candidate): PricesOf {
  if (prices === NO_PRICES) return () => NO_PRICES;
  return (upstreamModel) => provider.pricesByModel?.get(upstreamModel);
}

/** At the called model's price, for want of a better one. */
function unpricedTurns({ turns }: Usage, { prices }: Candidate, pricesOf: PricesOf): Metered['doubt'] {
  if (turns === undefined) return null;
  let nanoUsd = 0n;
  let isDoubtful = false;
  for (const turn of turns) {
    if (turn.kind === 'own' || pricesOf(turn.upstreamModel) !== undefined) continue;
    isDoubtful = true;
    if (turn.kind === 'advice') nanoUsd += priceUsage(turn.usage, prices).costNanoUsd;
  }
  return isDoubtful ? doubt('unpriced_turn', nanoUsd) : null;
}

function isPlausible(usage: Usage, { request, candidate, reservedNanoUsd }: MeteredCall): boolean {
  const { statedCostNanoUsd } = usage;
  if (statedCostNanoUsd === undefined) return isExplained(usage, request, candidate);
  return statedCostNanoUsd <= reservedNanoUsd * STATED_COST_FACTOR + STATED_COST_SLACK;
}
