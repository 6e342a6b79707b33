// The figures of one usage record, or of one turn in it, as this protocol counts them: `input_tokens` leaves out what
// was read from or written to the cache, while our prompt count includes both. Only `includeCacheInPrompt` converts
// between the two.

import { type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { type Usage, withUnits } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

export type ExclusiveCounts = Readonly<{
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** Tokens written to the cache that it keeps for an hour. */
  hourTokens: number;
  webSearches: number;
  hostedTools: number;
}>;

export const NO_COUNTS: ExclusiveCounts = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  hourTokens: 0,
  webSearches: 0,
  hostedTools: 0,
};

/** Null where any figure is not a count. */
export function readCounts(record: JsonObject): ExclusiveCounts | null {
  const details = objectOrEmpty(record.output_tokens_details);
  const written = objectOrEmpty(record.cache_creation);
  const uses = objectOrEmpty(record.server_tool_use);
  const counts: ExclusiveCounts = {
    inputTokens: readCount(record.input_tokens),
    cacheReadTokens: readCount(record.cache_read_input_tokens),
    cacheWriteTokens: readCount(record.cache_creation_input_tokens),
    outputTokens: readCount(record.output_tokens),
    thinkingTokens: readCount(details.thinking_tokens),
    hourTokens: readCount(written.ephemeral_1h_input_tokens),
    webSearches: readCount(uses.web_search_requests),
    hostedTools: readCount(uses.code_execution_requests),
  };
  return Object.values(counts).includes(-1) ? null : counts;
}

type Combine = (left: number, right: number) => number;

/** Figure by figure. */
export function combineCounts(left: ExclusiveCounts, right: ExclusiveCounts, combine: Combine): ExclusiveCounts {
  return {
    inputTokens: combine(left.inputTokens, right.inputTokens),
    cacheReadTokens: combine(left.cacheReadTokens, right.cacheReadTokens),
    cacheWriteTokens: combine(left.cacheWriteTokens, right.cacheWriteTokens),
    outputTokens: combine(left.outputTokens, right.outputTokens),
    thinkingTokens: combine(left.thinkingTokens, right.thinkingTokens),
    hourTokens: combine(left.hourTokens, right.hourTokens),
    webSearches: combine(left.webSearches, right.webSearches),
    hostedTools: combine(left.hostedTools, right.hostedTools),
  };
}

export function includeCacheInPrompt(counts: ExclusiveCounts): Usage {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, thinkingTokens } = counts;
  const { webSearches, hostedTools } = counts;
  const usage: Usage = {
    promptTokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    completionTokens: outputTokens,
    cachedTokens: cacheReadTokens,
    cacheWriteTokens,
    // Thinking is part of the output, so it cannot be more.
    reasoningTokens: Math.min(thinkingTokens, outputTokens),
    promptAudioTokens: 0,
    completionImageTokens: 0,
  };
  const cacheWriteHourTokens = Math.min(counts.hourTokens, cacheWriteTokens);
  return withUnits(usage, { webSearches, hostedTools, cacheWriteHourTokens });
}
