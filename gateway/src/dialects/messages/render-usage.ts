// What a call used and cost, in this dialect: tokens read from and written to the cache are beside the input tokens and
// not among them.

import type { JsonObject } from '../../canonical/json.ts';
import type { Usage } from '../../canonical/usage.ts';
import { withoutMoney } from '../keep-usage-members.ts';

/**
 * `upstream` is the upstream's own record, whose other members are kept, except what it says of money. Where it lists
 * several turns its totals stay as well: clients see from them how full the context is, and the turns say what was
 * billed.
 */
export function renderMessagesUsage(usage: Usage, costUsd: number, upstream: JsonObject = {}): JsonObject {
  // Tokens that were both read and written in one call are counted once in the sum of three.
  const written = Math.min(usage.cacheWriteTokens, usage.promptTokens - usage.cachedTokens);
  const counts: JsonObject = {
    input_tokens: usage.promptTokens - usage.cachedTokens - written,
    output_tokens: usage.completionTokens,
    cache_read_input_tokens: usage.cachedTokens,
    cache_creation_input_tokens: written,
  };
  const kept = withoutMoney(upstream);
  if (usage.turns === undefined) return { ...kept, ...counts, tollgate_cost: costUsd };
  for (const name of Object.keys(counts)) {
    if (typeof upstream[name] === 'number') delete counts[name];
  }
  return { ...kept, ...counts, tollgate_cost: costUsd };
}
