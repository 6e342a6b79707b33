// Reads a usage record, which is a stranger's claim about money. `inputTokens` leaves out what was read from or written
// to the cache, while our prompt count includes both; where the total shows otherwise, the total is believed.

import { isJsonObject } from '../../../canonical/json.ts';
import { type Usage, withUnits, zeroUsage } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

/** Null when there is no record, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const input = readCount(value.inputTokens);
  const output = readCount(value.outputTokens);
  const read = readCount(value.cacheReadInputTokens);
  const written = readCount(value.cacheWriteInputTokens);
  const total = readCount(value.totalTokens);
  const hour = hourTokens(value.cacheDetails);
  if ([input, output, read, written, total, hour].includes(-1)) return null;
  const isIncluded = read + written > 0 && read + written <= input && total === input + output;
  const usage: Usage = {
    ...zeroUsage,
    promptTokens: isIncluded ? input : input + read + written,
    completionTokens: output,
    cachedTokens: read,
    cacheWriteTokens: written,
  };
  return withUnits(usage, { cacheWriteHourTokens: Math.min(hour, written) });
}

/** Tokens written to the cache that it keeps for an hour. */
function hourTokens(details: unknown): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const detail of details) {
    if (!isJsonObject(detail) || detail.ttl !== '1h') continue;
    const count = readCount(detail.inputTokens);
    if (count === -1) return -1;
    sum += count;
  }
  return sum;
}
