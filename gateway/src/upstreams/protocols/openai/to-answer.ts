// A whole chat answer in the vendor-neutral form. Only its first choice can be told in another format.

import type { Answer } from '../../../canonical/answer.ts';
import type { Citation } from '../../../canonical/citation.ts';
import type { AssistantPart } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
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

function collectParts(stream: readonly StreamPart[]): readonly AssistantPart[] {
  const parts: AssistantPart[] = [];
  const citations: Citation[] = [];
  for (const part of stream) {
    switch (part.type) {
      case 'text-start':
        parts.push({ type: 'text', text: '' });
        break;
      case 'reasoning-start':
        parts.push({ type: 'reasoning', text: '', itemId: part.itemId });
        break;
      case 'tool-input-start':
        parts.push({ type: 'tool-call', id: part.id, name: part.name, argumentsText: '' });
        break;
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        extendLast(parts, part.text);
        break;
      case 'reasoning-end': {
        const { type: _type, ...opaque } = part;
        const last = parts.at(-1);
        if (last?.type === 'reasoning') parts[parts.length - 1] = { ...last, ...opaque };
        break;
      }
      case 'citation':
        citations.push(part.citation);
        break;
      default:
        break;
    }
  }
  return withCitations(parts, citations);
}

/** A whole message has one text as a rule; sources that are not within it are of its last. */
function withCitations(parts: AssistantPart[], citations: readonly Citation[]): readonly AssistantPart[] {
  const place = parts.findLastIndex(({ type }) => type === 'text');
  const text = parts[place];
  if (citations.length > 0 && text?.type === 'text') parts[place] = { ...text, citations };
  return parts;
}

/** A whole message holds each part in one piece, so what is added always belongs to the part begun last. */
function extendLast(parts: AssistantPart[], text: string): void {
  const last = parts.at(-1);
  if (last === undefined) return;
  parts[parts.length - 1] =
    last.type === 'tool-call'
      ? { ...last, argumentsText: last.argumentsText + text }
      : { ...last, text: last.text + text };
}
