// Holds what a call may cost before it is sent: the input estimate at the tier it selects, plus the output by its terms.
// With several candidates the dearest one decides, so that failover never needs a second decision. A call that is free
// holds nothing, so that only what stops every call can stop it.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { SpendCap } from '../canonical/spend-cap.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import {
  affordableOutput,
  type CostEstimate,
  estimateCost,
  type PricingOptions,
} from '../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../platform/money.ts';
import { refuseUnholdable } from './answer-bounds.ts';
import type { Call } from './call.ts';
import { unitsMaxOf } from './hosted-tools.ts';
import { OUTPUT_TOKENS_LEAST, outputTerms } from './output-terms.ts';

export function completionMultiplier(request: CanonicalRequest, candidate: Candidate): number {
  const { traits } = candidate.model;
  const isThinking = request.operation === 'chat' && request.isThinkingEnabled;
  return traits.isThinkingOptIn && isThinking ? traits.thinkingCompletionMultiplier : 1;
}

export function reserve(
  ledger: Ledger,
  call: Call,
  candidates: readonly Candidate[],
  caps: readonly SpendCap[],
): Reservation | Promise<Reservation> {
  const { caller, generationId, request } = call;
  refuseUnholdable(request, OUTPUT_TOKENS_LEAST);
  let mostNanoUsd: NanoUsd = 0n;
  let elseNanoUsd: NanoUsd = 0n;
  let leastNanoUsd: NanoUsd = 0n;
  for (const candidate of candidates) {
    const { most, otherwise, least } = outputTerms(request, candidate);
    const cost = costOf(request, candidate, most);
    const costElse = otherwise === most ? cost : costOf(request, candidate, otherwise);
    const costLeast = least === most ? cost : costOf(request, candidate, least);
    if (cost > mostNanoUsd) mostNanoUsd = cost;
    if (costElse > elseNanoUsd) elseNanoUsd = costElse;
    if (costLeast > leastNanoUsd) leastNanoUsd = costLeast;
  }
  const { accountId } = caller;
  if (leastNanoUsd === mostNanoUsd) return ledger.reserve(accountId, generationId, mostNanoUsd, caps);
  return ledger.reserveWithin(accountId, generationId, { mostNanoUsd, elseNanoUsd, leastNanoUsd }, caps);
}

/** How many tokens of output what is held pays for, for each choice. */
export function heldOutputTokens(request: CanonicalRequest, candidate: Candidate, heldNanoUsd: NanoUsd): number {
  return affordableOutput(
    heldNanoUsd,
    estimateOf(request, candidate, 0),
    candidate.prices,
    optionsOf(request, candidate),
  );
}

/** With so many tokens of output for each choice. */
export function costOf(request: CanonicalRequest, candidate: Candidate, outputTokens: number): NanoUsd {
  return estimateCost(estimateOf(request, candidate, outputTokens), candidate.prices, optionsOf(request, candidate));
}

const estimateOf = (request: CanonicalRequest, candidate: Candidate, outputTokens: number): CostEstimate => ({
  promptTokens: request.promptTokensEstimate,
  outputTokens,
  choices: request.choiceCount,
  units: unitsMaxOf(request, candidate),
});

const optionsOf = (request: CanonicalRequest, candidate: Candidate): PricingOptions => ({
  completionMultiplier: completionMultiplier(request, candidate),
});
