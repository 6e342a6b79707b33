// What a call used and cost, in this dialect. Both details always have their first member, even at zero: some clients
// reject the whole answer without it.

import type { JsonObject } from '../../canonical/json.ts';
import type { Bill } from '../dialect.ts';

export function renderResponsesUsage({ usage, costUsd }: Bill): JsonObject {
  const inputDetails: JsonObject = { cached_tokens: usage.cachedTokens };
  if (usage.cacheWriteTokens > 0) inputDetails.cache_write_tokens = usage.cacheWriteTokens;
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: inputDetails,
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
    cost: costUsd,
  };
}
