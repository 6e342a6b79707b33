// What a call that the client left, or that broke, has cost us: what was delivered, and what upstreams may have done
// unseen, in every attempt.

import type { Candidate } from '../../canonical/model.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { isZeroUsage, NO_UNITS, type Usage, zeroUsage } from '../../canonical/usage.ts';
import { type UnpaidCall, unpaidCost } from '../../modules/ledger/price-usage.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { isOfModel } from '../../upstreams/failure.ts';
import type { UpstreamFailure } from '../../upstreams/protocol.ts';
import type { Call } from '../call.ts';
import { completionMultiplier, outputTokensMaxOf } from './output-terms.ts';

export type AbsorbedReason = 'abandoned' | 'exhausted' | 'interrupted' | 'oversize' | 'blocked';

/** What an upstream may have done in one attempt of a call that nobody pays. */
type LostWork = Readonly<{
  /** The prompt and what was delivered, by our count. */
  estimated: Usage;
  /** What the upstream has reported so far; null where it has reported nothing. */
  reported: Usage | null;
  /** It has answered, and nothing of that was delivered. */
  isUnseen?: boolean;
}>;

/** The most that an upstream can have used of a call whose answer nobody waited for. */
export const unreadWork = ({ request }: Pick<Call, 'request'>): LostWork => ({
  estimated: { ...zeroUsage, promptTokens: request.promptTokensEstimate, units: request.unitsMax },
  reported: null,
});

export type Lost = Readonly<{ reason: AbsorbedReason; works: readonly LostWork[] }>;

/** What upstreams may have done in attempts that failed; null where nothing shows that they did anything. */
export function lostIn(call: Pick<Call, 'request'>, failures: readonly UpstreamFailure[]): Lost | null {
  const works = failures.flatMap((failure) => workIn(call, failure) ?? []);
  const isTooMuch = failures.some((failure) => failure.kind === 'bound' && failure.isOfOthers !== true);
  return works.length === 0 ? null : { reason: isTooMuch ? 'oversize' : 'interrupted', works };
}

function workIn(call: Pick<Call, 'request'>, failure: UpstreamFailure): LostWork | null {
  const unread = unreadWork(call);
  if (failure.kind === 'bound' || failure.kind === 'timeout') return unread;
  if (!isOfModel(failure)) return null;
  const reported = failure.kind === 'unavailable' ? (failure.used ?? null) : null;
  return { estimated: { ...unread.estimated, units: NO_UNITS }, reported, isUnseen: true };
}

type Known = Readonly<{
  /** What calls of the model usually use without showing it; null where that is not known. */
  usualTokens: number | null;
  heldNanoUsd: NanoUsd;
}>;

type Unpaid = Readonly<{ absorbedNanoUsd: NanoUsd; markupNanoUsd: NanoUsd }>;

/** The cost of all of it, each attempt up to what was held for the call. */
export function estimateUnpaid(call: Call, candidate: Candidate, works: readonly LostWork[], known: Known): Unpaid {
  const elapsedMs = call.elapsedMs() / works.length;
  let absorbedNanoUsd = 0n;
  let markupNanoUsd = 0n;
  for (const work of works) {
    const unpaid = costOf(unpaidCall(call, candidate, work, { ...known, elapsedMs }), candidate, known.heldNanoUsd);
    absorbedNanoUsd += unpaid.absorbedNanoUsd;
    markupNanoUsd += unpaid.markupNanoUsd;
  }
  return { absorbedNanoUsd, markupNanoUsd };
}

type Unpriced = Omit<UnpaidCall, 'prices' | 'heldNanoUsd'>;

function costOf(unpaid: Unpriced, { prices }: Candidate, heldNanoUsd: NanoUsd): Unpaid {
  const absorbedNanoUsd = unpaidCost({ ...unpaid, prices, heldNanoUsd });
  const cost = prices.sold?.cost;
  if (cost === undefined) return { absorbedNanoUsd, markupNanoUsd: 0n };
  const costNanoUsd = unpaidCost({ ...unpaid, prices: cost, heldNanoUsd: absorbedNanoUsd });
  return { absorbedNanoUsd, markupNanoUsd: absorbedNanoUsd - costNanoUsd };
}

function unpaidCall(
  { request }: Call,
  candidate: Candidate,
  { estimated, reported, isUnseen = false }: LostWork,
  { usualTokens, elapsedMs }: Pick<UnpaidCall, 'usualTokens' | 'elapsedMs'>,
): Unpriced {
  const limit = outputTokensMaxOf(request, candidate.model) ?? candidate.model.completionTokensMax;
  // What an upstream has counted at the end of an answer is all that it did.
  const isCounted = isUnseen && reported !== null && !isZeroUsage(reported);
  return {
    promptTokens: estimated.promptTokens,
    deliveredTokens: estimated.completionTokens,
    isHidden:
      request.operation === 'chat' && !isCounted && (isUnseen || usualTokens !== null || mayHide(request, candidate)),
    usualTokens,
    elapsedMs,
    tokensPerSecond: null,
    outputTokensMax: limit === null ? null : limit * request.choiceCount,
    units: estimated.units ?? {},
    reported,
    completionMultiplier: completionMultiplier(request, candidate),
  };
}

/** Whether the upstream may work without showing it: on a whole answer, or thinking. */
const mayHide = ({ isStream, wantsReasoning }: ConversationRequest, { model }: Candidate): boolean =>
  !isStream || wantsReasoning === true || model.traits.isReasoningMandatory;
