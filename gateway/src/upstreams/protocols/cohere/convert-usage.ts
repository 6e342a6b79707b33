// Reads a usage record, which is a stranger's claim about money. It has two counts: what was billed, and what the model
// read including its template. The billed count is used here. A cache saves the beginning of what was read, which is
// first the unbilled template: only what it saved beyond that belongs to the billed prompt.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { type Usage, zeroUsage } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

/** Null when there is no record, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const counts = [value.billed_units, value.tokens].find(isJsonObject);
  if (counts === undefined) return null;
  const promptTokens = readCount(counts.input_tokens);
  const completionTokens = readCount(counts.output_tokens);
  if (promptTokens === -1 || completionTokens === -1) return null;
  const thoughts = isJsonObject(value.tokens) ? readCount(value.tokens.reasoning_tokens) : 0;
  const reasoningTokens = Math.min(Math.max(thoughts, 0), completionTokens);
  const cachedTokens = cachedOf(value, promptTokens);
  return { ...zeroUsage, promptTokens, completionTokens, reasoningTokens, cachedTokens };
}

function cachedOf({ tokens, cached_tokens }: JsonObject, promptTokens: number): number {
  const read = isJsonObject(tokens) ? readCount(tokens.input_tokens) : 0;
  const template = Math.max(read - promptTokens, 0);
  return Math.min(Math.max(readCount(cached_tokens) - template, 0), promptTokens);
}
