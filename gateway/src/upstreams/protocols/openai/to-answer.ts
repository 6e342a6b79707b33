// A whole chat answer in the vendor-neutral form. Only its first choice can be told in another format.

import type { Answer } from '../../../canonical/answer.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { collectParts } from '../../collect-parts.ts';
import { readUsage } from './convert-usage.ts';
import { DeltaReader } from './delta-reader.ts';
import { readFinishReason } from './finish-reason.ts';
import { readSourceLists } from './read-annotations.ts';

export function toAnswer(json: JsonObject): Answer {
  const first: unknown = Array.isArray(json.choices) ? json.choices[0] : undefined;
  const choice = isJsonObject(first) ? first : {};
  const message = isJsonObject(choice.message) ? choice.message : {};
  const reader = new DeltaReader();
  const parts: StreamPart[] = [];
  reader.read(withPositions(message), parts);
  for (const citation of readSourceLists(json)) parts.push({ type: 'citation', citation });
  reader.end(json.id, parts);
  const word = typeof choice.finish_reason === 'string' ? choice.finish_reason : '';
  const native = typeof choice.native_finish_reason === 'string' ? choice.native_finish_reason : word;
  return {
    parts: collectParts(parts),
    finishReason: readFinishReason(word, reader.hasToolCalls),
    nativeFinishReason: native === '' ? null : native,
    stopSequence: null,
    usage: readUsage(json.usage),
  };
}

/** In a whole message the place in the list tells the calls apart, whatever their ids and indexes claim. */
function withPositions(message: JsonObject): JsonObject {
  const { tool_calls: calls } = message;
  if (!Array.isArray(calls)) return message;
  return { ...message, tool_calls: calls.map((call, index) => (isJsonObject(call) ? { ...call, index } : call)) };
}
