// Reads a usage record, which is a stranger's claim about money. Thinking is counted beside the answer here and billed
// as output, and what the upstream's own tools added is counted beside the prompt: our counts include both.

import { isJsonObject, isSet, listOrEmpty } from '../../../canonical/json.ts';
import { type Usage, withUnits } from '../../../canonical/usage.ts';
import { readCount } from '../../read-count.ts';

const COUNTS = [
  'promptTokenCount',
  'candidatesTokenCount',
  'responseTokenCount',
  'thoughtsTokenCount',
  'totalTokenCount',
];

/** Vertex AI writes records that say nothing but how the call is paid, such as `{"trafficType": "ON_DEMAND"}`. */
export const statesNoCount = (record: unknown): boolean =>
  !isSet(record) || (isJsonObject(record) && !COUNTS.some((name) => isSet(record[name])));

/** Null when there is no record, or none that can be believed. */
export function readUsage(value: unknown): Usage | null {
  if (!isJsonObject(value)) return null;
  const prompt = readCount(value.promptTokenCount);
  const toolPrompt = readCount(value.toolUsePromptTokenCount);
  const answer = readCount(value.candidatesTokenCount ?? value.responseTokenCount);
  const thoughts = readCount(value.thoughtsTokenCount);
  const cached = readCount(value.cachedContentTokenCount);
  const total = readCount(value.totalTokenCount);
  const audio = countOf(value.promptTokensDetails, AUDIO);
  const images = countOf(value.candidatesTokensDetails, IMAGE);
  if ([prompt, toolPrompt, answer, thoughts, cached, total, audio, images].includes(-1)) return null;
  const promptTokens = prompt + toolPrompt;
  // What the total has beyond its parts was generated, too: a part that is not stated is billed all the same.
  const completionTokens = Math.max(answer + thoughts, promptTokens > 0 ? total - promptTokens : 0);
  const usage: Usage = {
    promptTokens,
    completionTokens,
    // A part cannot be more than its whole.
    cachedTokens: Math.min(cached, promptTokens),
    cacheWriteTokens: 0,
    reasoningTokens: thoughts,
    promptAudioTokens: Math.min(audio, promptTokens),
    completionImageTokens: Math.min(images, completionTokens - thoughts),
  };
  return withUnits(usage, { webSearches: billedSearches(value.billedToolCalls) });
}

const SEARCH_TOOL = /search/i;

/** Most records leave them out. */
function billedSearches(calls: unknown): number {
  let sum = 0;
  for (const call of listOrEmpty(calls)) {
    if (!isJsonObject(call) || typeof call.tool !== 'string' || !SEARCH_TOOL.test(call.tool)) continue;
    sum += Math.max(readCount(call.successfulToolCallCount), 0);
  }
  return sum;
}

const AUDIO: ReadonlySet<unknown> = new Set(['AUDIO', 4]);
const IMAGE: ReadonlySet<unknown> = new Set(['IMAGE', 2]);

function countOf(details: unknown, modality: ReadonlySet<unknown>): number {
  if (!Array.isArray(details)) return 0;
  let sum = 0;
  for (const detail of details) {
    if (!isJsonObject(detail) || !modality.has(detail.modality)) continue;
    const count = readCount(detail.tokenCount);
    if (count === -1) return -1;
    sum += count;
  }
  return sum;
}

const OLDER_MODEL = /gemini-[12]\b/;

/** Adds the model's searches, unless the record has them. Older models are billed once, newer ones for each query. */
export function withSearches(usage: Usage | null, queryCount: number, modelVersion: unknown): Usage | null {
  const isOlder = typeof modelVersion === 'string' && OLDER_MODEL.test(modelVersion);
  const count = usage?.units?.webSearches ?? queryCount;
  return withUnits(usage, { webSearches: isOlder ? Math.min(count, 1) : count });
}
