// An upstream's usage record is a stranger's claim about money. In this protocol `input_tokens` leaves out what was read
// from or written to the cache, while our prompt count includes both: only `includeCacheInPrompt` crosses that line.

import { isJsonObject } from '../../../canonical/json.ts';
import { type Usage, withUnits } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

/** The protocol's own figures, where the three kinds of input exclude each other. */
type ExclusiveCounts = Readonly<{
  inputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  outputTokens: number;
  thinkingTokens: number;
  /** Of what was written to the cache, what it keeps for an hour. */
  hourTokens: number;
  webSearches: number;
  hostedTools: number;
}>;

const NOTHING: ExclusiveCounts = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  hourTokens: 0,
  webSearches: 0,
  hostedTools: 0,
};

/** For a record that stands alone; null when there is none, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  const counts = readCounts(value);
  return counts === null || counts === 'invalid' ? null : includeCacheInPrompt(counts);
}

/**
 * The records of one stream together. Each is cumulative and may leave out what has not changed, so the highest value
 * of each figure counts; adding them up would charge twice.
 */
export class UsageTally {
  #counts = NOTHING;
  #isInvalid = false;

  add(value: unknown): void {
    const counts = readCounts(value);
    if (counts === 'invalid') this.#isInvalid = true;
    else if (counts !== null) this.#counts = highest(this.#counts, counts);
  }

  /** Null once any record was one that cannot be believed. */
  get usage(): Usage | null {
    return this.#isInvalid ? null : includeCacheInPrompt(this.#counts);
  }
}

function readCounts(value: unknown): ExclusiveCounts | null | 'invalid' {
  if (value === undefined || value === null) return null;
  if (!isJsonObject(value)) return 'invalid';
  const details = isJsonObject(value.output_tokens_details) ? value.output_tokens_details : {};
  const written = isJsonObject(value.cache_creation) ? value.cache_creation : {};
  const uses = isJsonObject(value.server_tool_use) ? value.server_tool_use : {};
  const counts: ExclusiveCounts = {
    inputTokens: readCount(value.input_tokens),
    cacheReadTokens: readCount(value.cache_read_input_tokens),
    cacheWriteTokens: readCount(value.cache_creation_input_tokens),
    outputTokens: readCount(value.output_tokens),
    thinkingTokens: readCount(details.thinking_tokens),
    hourTokens: readCount(written.ephemeral_1h_input_tokens),
    webSearches: readCount(uses.web_search_requests),
    hostedTools: readCount(uses.code_execution_requests),
  };
  return Object.values(counts).includes(-1) ? 'invalid' : counts;
}

function highest(left: ExclusiveCounts, right: ExclusiveCounts): ExclusiveCounts {
  return {
    inputTokens: Math.max(left.inputTokens, right.inputTokens),
    cacheReadTokens: Math.max(left.cacheReadTokens, right.cacheReadTokens),
    cacheWriteTokens: Math.max(left.cacheWriteTokens, right.cacheWriteTokens),
    outputTokens: Math.max(left.outputTokens, right.outputTokens),
    thinkingTokens: Math.max(left.thinkingTokens, right.thinkingTokens),
    hourTokens: Math.max(left.hourTokens, right.hourTokens),
    webSearches: Math.max(left.webSearches, right.webSearches),
    hostedTools: Math.max(left.hostedTools, right.hostedTools),
  };
}

function includeCacheInPrompt(counts: ExclusiveCounts): Usage | null {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, thinkingTokens } = counts;
  const { webSearches, hostedTools } = counts;
  const usage: Usage = {
    promptTokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    completionTokens: outputTokens,
    cachedTokens: cacheReadTokens,
    cacheWriteTokens,
    // Thinking is part of the output, and a part cannot be more than its whole.
    reasoningTokens: Math.min(thinkingTokens, outputTokens),
    promptAudioTokens: 0,
    completionImageTokens: 0,
  };
  const cacheWriteHourTokens = Math.min(counts.hourTokens, cacheWriteTokens);
  return withUnits(usage, { webSearches, hostedTools, cacheWriteHourTokens });
}
