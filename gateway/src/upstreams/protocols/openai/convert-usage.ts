// An upstream's usage record is a stranger's claim about money. Each count must be a whole number in range; one that
// is not makes the whole record worthless, and then nothing is charged. Zero is a count; only absence is absence.

import { isJsonObject } from '../../../canonical/json.ts';
import { type Usage, withUnits } from '../../../canonical/usage.ts';

const TOKENS_MAX = 2 ** 40;

/** Null: there was no record. `invalid`: there was one that cannot be believed, worth an alert. */
export function convertUsage(value: unknown): Usage | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return 'invalid';
  const promptDetails = isJsonObject(value.prompt_tokens_details) ? value.prompt_tokens_details : {};
  const completionDetails = isJsonObject(value.completion_tokens_details) ? value.completion_tokens_details : {};
  const prompt = readCount(value.prompt_tokens);
  const completion = readCount(value.completion_tokens);
  // Some providers count cache hits outside of the details.
  const cached = readCount(promptDetails.cached_tokens ?? value.prompt_cache_hit_tokens);
  const cacheWrite = readCount(promptDetails.cache_write_tokens);
  const reasoning = readCount(completionDetails.reasoning_tokens);
  const promptAudio = readCount(promptDetails.audio_tokens);
  const completionImage = readCount(completionDetails.image_tokens);
  const total = readCount(value.total_tokens);
  const uses = isJsonObject(value.server_tool_use) ? value.server_tool_use : {};
  const webSearches = readCount(uses.web_search_requests ?? value.num_search_queries);
  const counts = [prompt, completion, cached, cacheWrite, reasoning, promptAudio, completionImage, total, webSearches];
  if (counts.includes(-1)) return 'invalid';
  // A few providers leave reasoning out of the completion; their total gives it away.
  const isReasoningApart = reasoning > 0 && total === prompt + completion + reasoning;
  const usage = withinTotals({
    promptTokens: prompt,
    completionTokens: isReasoningApart ? completion + reasoning : completion,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite,
    reasoningTokens: reasoning,
    promptAudioTokens: promptAudio,
    completionImageTokens: completionImage,
  });
  return withUnits(usage, { webSearches });
}

export function readUsage(value: unknown): Usage | null {
  const usage = convertUsage(value);
  return usage === 'invalid' ? null : usage;
}

/** -1 for what is no count at all. */
function readCount(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX;
  // Adding zero turns a negative zero into the ordinary one.
  return isCount ? value + 0 : -1;
}

/** A part cannot be more than its whole, whatever the upstream says. */
function withinTotals(usage: Usage): Usage {
  const { promptTokens, completionTokens } = usage;
  const cachedTokens = Math.min(usage.cachedTokens, promptTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens: Math.min(usage.cacheWriteTokens, promptTokens - cachedTokens),
    reasoningTokens: Math.min(usage.reasoningTokens, completionTokens),
    promptAudioTokens: Math.min(usage.promptAudioTokens, promptTokens),
    completionImageTokens: Math.min(usage.completionImageTokens, completionTokens),
  };
}

export type UsageBounds = Readonly<{ promptTokensMax: number; completionTokensMax: number }>;

/** Cuts absurd counts to what the call could have used at most. */
export function boundUsage(usage: Usage, bounds: UsageBounds): Readonly<{ usage: Usage; isCapped: boolean }> {
  const promptTokens = Math.min(usage.promptTokens, bounds.promptTokensMax);
  const completionTokens = Math.min(usage.completionTokens, bounds.completionTokensMax);
  const isCapped = promptTokens !== usage.promptTokens || completionTokens !== usage.completionTokens;
  return { usage: isCapped ? withinTotals({ ...usage, promptTokens, completionTokens }) : usage, isCapped };
}
