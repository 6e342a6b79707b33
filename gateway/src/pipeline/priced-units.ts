// Transcriptions are counted in tokens or in seconds, as the upstream likes, and priced in one of them. A count in the
// other unit is converted: without that the call would cost nothing, whatever its length.

import type { Candidate } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { Usage } from '../canonical/usage.ts';

/** As models that count in tokens hear and as people speak. */
const MS_PER_TOKEN_HEARD = 100;
const MS_PER_TOKEN_SAID = 250;

export function withPricedUnits(usage: Usage, { operation }: CanonicalRequest, { prices }: Candidate): Usage {
  if (operation !== 'transcription' || usage.statedCostNanoUsd !== undefined) return usage;
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
