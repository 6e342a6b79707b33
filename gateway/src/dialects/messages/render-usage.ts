// What a call used and cost, as this dialect shows it: the tokens read from and written to the cache stand beside the
// input tokens and not among them.

import type { JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';

/** `upstream` is the upstream's own record, whose other members are kept. */
export function renderMessagesUsage(usage: Usage, costUsd: number, upstream: JsonObject = {}): JsonObject {
  return {
    ...upstream,
    input_tokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
    output_tokens: usage.completionTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
    tollgate_cost: costUsd,
  };
}
