// Holds what the call may cost before it is sent: the input estimate at the tier it selects, plus a bounded output.
// With several candidates the dearest one decides, so that failover never needs a second decision. A call that is free
// holds nothing, so that only what stops every call can stop it.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { SpendCap } from '../canonical/spend-cap.ts';
import type { Ledger, Reservation } from '../modules/ledger/ledger.ts';
import { estimateCost } from '../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import { unitsMaxOf } from './hosted-tools.ts';

/** Without a limit from the caller, this many output tokens are held at first and extended while streaming. */
export const OUTPUT_TOKENS_DEFAULT = 4_096;

export function reservedOutputTokens(request: CanonicalRequest, candidate: Candidate): number {
  const { outputTokensMax } = request;
  // A limit that the client sends by habit says nothing about how long the answer will be.
  const isHabit = request.operation === 'chat' && request.withOutputLimit !== null;
  if (outputTokensMax !== null && !isHabit) return outputTokensMax;
  const modelMax = candidate.model.completionTokensMax;
  return Math.min(OUTPUT_TOKENS_DEFAULT, modelMax ?? OUTPUT_TOKENS_DEFAULT, outputTokensMax ?? OUTPUT_TOKENS_DEFAULT);
}

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
  let amountNanoUsd: NanoUsd = 0n;
  for (const candidate of candidates) {
    const estimate = estimateCost(
      {
        promptTokens: call.request.promptTokensEstimate,
        outputTokens: reservedOutputTokens(call.request, candidate),
        choices: call.request.choiceCount,
        units: unitsMaxOf(call.request, candidate),
      },
      candidate.prices,
      { completionMultiplier: completionMultiplier(call.request, candidate) },
    );
    if (estimate > amountNanoUsd) amountNanoUsd = estimate;
  }
  return ledger.reserve(call.caller.accountId, call.generationId, amountNanoUsd, caps);
}
