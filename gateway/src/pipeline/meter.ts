// Turns what the upstream says it used into what the caller pays. The upstream is a stranger: a count that no honest
// answer could have is capped at what was reserved, and a count that is no count at all means no usage, hence no charge.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { isZeroUsage, NO_UNITS, type Units, type Usage } from '../canonical/usage.ts';
import { type Price, priceUsage } from '../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../platform/money.ts';
import { areUsesPlausible, withOfferedUses } from './hosted-tools.ts';
import { completionMultiplier } from './reserve.ts';

export type Metered = Readonly<{ usage: Usage; price: Price; isCapped: boolean }>;

const PROMPT_TOKENS_SLACK = 10_000;
const MEDIA_TOKENS_MAX = 1_000_000;
const COMPLETION_TOKENS_MAX = 1_000_000;
/** An upstream that states the cost knows prices that the hold was only guessed from, so it may be off by this much. */
const STATED_COST_FACTOR = 10n;
const STATED_COST_SLACK: NanoUsd = 1_000_000_000n;

type MeteredCall = Readonly<{ request: CanonicalRequest; candidate: Candidate; reservedNanoUsd: NanoUsd }>;

/** Null: nothing billable was reported, so the whole reservation goes back (failed-request protection). */
export function meter(reported: Usage | null, call: MeteredCall): Metered | null {
  if (reported === null || isZeroUsage(reported)) return null;
  const usage = withOfferedUses(reported, call.request, call.candidate);
  const price = priceUsage(usage, call.candidate.prices, {
    completionMultiplier: completionMultiplier(call.request, call.candidate),
  });
  if (isPlausible(usage, call) || price.costNanoUsd <= call.reservedNanoUsd) {
    return { usage, price, isCapped: false };
  }
  const costNanoUsd = call.reservedNanoUsd;
  return {
    usage,
    price: { ...price, costNanoUsd, subtotalNanoUsd: costNanoUsd, cacheDiscountNanoUsd: 0n },
    isCapped: true,
  };
}

function isPlausible(usage: Usage, { request, candidate, reservedNanoUsd }: MeteredCall): boolean {
  const { statedCostNanoUsd } = usage;
  if (statedCostNanoUsd !== undefined) {
    return statedCostNanoUsd <= reservedNanoUsd * STATED_COST_FACTOR + STATED_COST_SLACK;
  }
  const { needs } = request;
  const hasMedia = needs.imageInput || needs.fileInput || needs.audioInput || needs.videoInput;
  // The estimate is at least a third of a token per character, so twelve times it is four tokens per character.
  const promptTokensMax = request.promptTokensEstimate * 12 + PROMPT_TOKENS_SLACK + (hasMedia ? MEDIA_TOKENS_MAX : 0);
  const outputMax = request.outputTokensMax ?? candidate.model.completionTokensMax ?? COMPLETION_TOKENS_MAX;
  const completionTokensMax = (outputMax * request.choiceCount * 11) / 10 + 100;
  if (usage.promptTokens > promptTokensMax || usage.completionTokens > completionTokensMax) return false;
  const units = usage.units ?? NO_UNITS;
  return areUsesPlausible(units) && isWithin(units, request.unitsMax);
}

/** What is counted in units was known, or bounded, before the call was sent. */
function isWithin(units: Units, unitsMax: Units): boolean {
  return unitNames.every((name) => (units[name] ?? 0) <= (unitsMax[name] ?? 0));
}

const unitNames: readonly (keyof Units)[] = ['characters', 'audioMs', 'images', 'videoMs'];
