// What a call that was left, or broke, has cost us: what came of it, and what the upstream may have done unseen.

import type { Candidate } from '../canonical/model.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { Usage } from '../canonical/usage.ts';
import { unpaidCost } from '../modules/ledger/unpaid-cost.ts';
import type { NanoUsd } from '../platform/money.ts';
import type { Call } from './call.ts';
import { completionMultiplier } from './reserve.ts';

type Known = Readonly<{
  /** The prompt and what was delivered, by our count. */
  estimated: Usage;
  /** What the upstream has said so far; null where that is nothing. */
  reported: Usage | null;
  /** Of the model, where it does not show; null where nothing is known. */
  usualTokens: number | null;
  heldNanoUsd: NanoUsd;
}>;

export function estimateUnpaid(call: Call, candidate: Candidate, known: Known): NanoUsd {
  const { request } = call;
  const { estimated, reported, usualTokens, heldNanoUsd } = known;
  const limit = request.outputTokensMax ?? candidate.model.completionTokensMax;
  return unpaidCost({
    promptTokens: estimated.promptTokens,
    deliveredTokens: estimated.completionTokens,
    isHidden: request.operation === 'chat' && (usualTokens !== null || mayHide(request, candidate)),
    usualTokens,
    elapsedMs: call.elapsedMs(),
    tokensPerSecond: null,
    outputTokensMax: limit === null ? null : limit * request.choiceCount,
    units: estimated.units ?? {},
    reported,
    prices: candidate.prices,
    completionMultiplier: completionMultiplier(request, candidate),
    heldNanoUsd,
  });
}

/** Whether the upstream may work without showing it: on a whole answer, or thinking. */
const mayHide = ({ isStream, wantsReasoning }: ConversationRequest, { model }: Candidate): boolean =>
  !isStream || wantsReasoning === true || model.traits.isReasoningMandatory;
