// Some operations are counted in one unit or another, as the upstream likes, and priced in one of them: transcriptions in
// tokens or seconds, rerank in tokens or searches, moderations in tokens or not at all. A count in the other unit is
// converted: without that the call would cost nothing, whatever its size.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import { DOCUMENTS_PER_SEARCH, type RerankRequest } from '../canonical/rerank.ts';
import type { Usage } from '../canonical/usage.ts';

/** As models that count in tokens hear and as people speak. */
const MS_PER_TOKEN_HEARD = 100;
const MS_PER_TOKEN_SAID = 250;

export function withPricedUnits(usage: Usage, request: CanonicalRequest, candidate: Candidate): Usage {
  if (usage.statedCostNanoUsd !== undefined) return usage;
  if (request.operation === 'transcription') return ofListening(usage, candidate);
  if (request.operation === 'rerank') return ofRanking(usage, request, candidate);
  return request.operation === 'moderation' ? withTokens(usage, request, candidate) : usage;
}

function ofListening(usage: Usage, { prices }: Candidate): Usage {
  const { prompt, completion, audioSecond } = prices.base;
  const isPricedByToken = prompt > 0n || completion > 0n;
  const isPricedByTime = audioSecond !== null && audioSecond > 0n;
  if (isPricedByToken === isPricedByTime) return usage;
  const { promptTokens, completionTokens, units } = usage;
  const audioMs = units?.audioMs ?? 0;
  if (isPricedByTime && audioMs === 0) {
    const heardMs = promptTokens === 0 ? completionTokens * MS_PER_TOKEN_SAID : promptTokens * MS_PER_TOKEN_HEARD;
    return { ...usage, units: { ...units, audioMs: heardMs } };
  }
  if (isPricedByToken && promptTokens === 0 && completionTokens === 0) {
    return {
      ...usage,
      promptTokens: Math.ceil(audioMs / MS_PER_TOKEN_HEARD),
      completionTokens: Math.ceil(audioMs / MS_PER_TOKEN_SAID),
    };
  }
  return usage;
}

/** Searches that nobody counted are taken as if all documents were short, tokens as they were estimated. */
function ofRanking(usage: Usage, request: RerankRequest, candidate: Candidate): Usage {
  const { search } = candidate.prices.base;
  const searches = usage.units?.searches ?? 0;
  if (search !== null && searches === 0) {
    return {
      ...usage,
      units: { ...usage.units, searches: Math.ceil(request.documents.length / DOCUMENTS_PER_SEARCH) },
    };
  }
  return withTokens(usage, request, candidate);
}

/** Those of an estimate, where the upstream counts none and they have a price. */
function withTokens(usage: Usage, { promptTokensEstimate }: CanonicalRequest, { prices }: Candidate): Usage {
  const isCounted = usage.promptTokens > 0 || prices.base.prompt === 0n;
  return isCounted ? usage : { ...usage, promptTokens: promptTokensEstimate };
}
