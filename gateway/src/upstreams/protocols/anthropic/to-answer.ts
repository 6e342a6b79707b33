// A whole message in the vendor-neutral form. Blocks of the upstream's own tools and of kinds not known yet are left
// out: no other format has a place for them.

import type { Answer } from '../../../canonical/answer.ts';
import type { AssistantPart } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { readUsage } from './convert-usage.ts';
import { inputText } from './input-text.ts';
import { mapStopReason } from './map-stop-reason.ts';
import { readCitation } from './read-citation.ts';

export function toAnswer(json: JsonObject): Answer {
  const blocks = Array.isArray(json.content) ? json.content.filter(isJsonObject) : [];
  const native = typeof json.stop_reason === 'string' ? json.stop_reason : null;
  return {
    parts: blocks.flatMap(toPart),
    finishReason: native === null ? 'stop' : mapStopReason(native),
    nativeFinishReason: native,
    stopSequence: typeof json.stop_sequence === 'string' ? json.stop_sequence : null,
    usage: readUsage(json.usage),
  };
}

function toPart(block: JsonObject): AssistantPart[] {
  switch (block.type) {
    case 'text': {
      if (typeof block.text !== 'string' || block.text === '') return [];
      const citations = Array.isArray(block.citations) ? block.citations.flatMap(readCitation) : [];
      return [{ type: 'text', text: block.text, ...(citations.length > 0 && { citations }) }];
    }
    case 'thinking': {
      const signature = typeof block.signature === 'string' && block.signature !== '' ? block.signature : undefined;
      return [{ type: 'reasoning', text: typeof block.thinking === 'string' ? block.thinking : '', signature }];
    }
    case 'redacted_thinking':
      return typeof block.data === 'string' ? [{ type: 'reasoning', text: '', redactedData: block.data }] : [];
    case 'tool_use': {
      const { id, name, input } = block;
      if (typeof id !== 'string' || typeof name !== 'string') return [];
      return [{ type: 'tool-call', id, name, argumentsText: inputText(input) }];
    }
    default:
      return [];
  }
}
