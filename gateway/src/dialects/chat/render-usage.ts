// What a call used and cost, in this dialect. Both details objects always have their first member, even at zero: some
// clients reject the whole answer without it.

import type { JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';

export function renderChatUsage(usage: Usage, costUsd: number): JsonObject {
  const promptDetails: JsonObject = { cached_tokens: usage.cachedTokens };
  if (usage.cacheWriteTokens > 0) promptDetails.cache_write_tokens = usage.cacheWriteTokens;
  if (usage.promptAudioTokens > 0) promptDetails.audio_tokens = usage.promptAudioTokens;
  const completionDetails: JsonObject = { reasoning_tokens: usage.reasoningTokens };
  if (usage.completionImageTokens > 0) completionDetails.image_tokens = usage.completionImageTokens;
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    cost: costUsd,
    prompt_tokens_details: promptDetails,
    completion_tokens_details: completionDetails,
  };
}
