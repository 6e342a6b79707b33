// A whole response in the vendor-neutral form. Items without a counterpart in other formats stay as they are: only
// clients of the same format have a place for them.

import type { Answer, AnswerPart } from '../../../canonical/answer.ts';
import type { Citation, TextPart } from '../../../canonical/conversation.ts';
import { customCall } from '../../../canonical/custom-tools.ts';
import {
  isFilled,
  isJsonObject,
  type JsonObject,
  listOrEmpty,
  textOrEmpty,
  textOrNothing,
  textOrNull,
} from '../../../canonical/json.ts';
import { readAnnotations } from '../openai/read-annotations.ts';
import { readLogprobs } from '../openai/read-logprobs.ts';
import { readUsage } from './convert-usage.ts';
import { readFinishReason } from './finish-reason.ts';

export function toAnswer(json: JsonObject): Answer {
  const items = Array.isArray(json.output) ? json.output.filter(isJsonObject) : [];
  const logprobs = items
    .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []))
    .flatMap((block) => readLogprobs(block.logprobs));
  return {
    parts: items.flatMap(readItem),
    finishReason: readFinishReason(json) ?? 'stop',
    nativeFinishReason: textOrNull(json.status),
    stopSequence: null,
    usage: readUsage(json.usage),
    ...(logprobs.length === 0 ? {} : { logprobs }),
  };
}

function readItem(item: JsonObject): readonly AnswerPart[] {
  switch (item.type) {
    case 'message':
      return listOrEmpty(item.content)
        .filter(isJsonObject)
        .flatMap(readBlock)
        .map((text) => ({ ...text, ...readOwn(item) }));
    case 'function_call':
      return [
        {
          type: 'tool-call',
          id: textOrEmpty(item.call_id),
          name: textOrEmpty(item.name),
          ...namespaceOf(item),
          ...readOwn(item),
          argumentsText: textOrEmpty(item.arguments),
        },
      ];
    case 'custom_tool_call': {
      const call = customCall(textOrEmpty(item.call_id), textOrEmpty(item.name), textOrEmpty(item.input));
      return [{ ...call, ...namespaceOf(item), ...readOwn(item) }];
    }
    case 'reasoning':
      return [
        {
          type: 'reasoning',
          text: readSummary(item),
          itemId: textOrNothing(item.id),
          encryptedContent: textOrNothing(item.encrypted_content),
        },
      ];
    default:
      return isOwnItem(item) ? [{ type: 'block', block: item }] : [];
  }
}

/** A picture that was made is none: nobody can review it. */
const SHARED_ITEMS: ReadonlySet<unknown> = new Set([
  ...['message', 'reasoning', 'function_call', 'custom_tool_call', 'image_generation_call'],
]);

/** An item that only this format has. */
export const isOwnItem = ({ type }: JsonObject): boolean => typeof type === 'string' && !SHARED_ITEMS.has(type);

/** A function may belong to one, and its name means nothing without it. */
export const namespaceOf = ({ namespace }: JsonObject): Readonly<{ namespace?: string }> =>
  isFilled(namespace) ? { namespace } : {};

/** Who calls a tool, the model or a program that it wrote, and whether a message is the answer or on the way to it. */
export function readOwn({ type, caller, phase }: JsonObject): Readonly<{ own?: JsonObject }> {
  if (type === 'message') return isFilled(phase) ? { own: { phase } } : {};
  return isJsonObject(caller) ? { own: { caller } } : {};
}

/** Each with the whole of it as it came. */
export const readOwnAnnotations = (annotations: unknown): readonly Citation[] =>
  listOrEmpty(annotations)
    .filter(isJsonObject)
    .flatMap((block) => readAnnotations([block]).map((citation) => ({ ...citation, block })));

/** A refusal is text of the model, too. */
function readBlock(block: JsonObject): readonly TextPart[] {
  const text = block.type === 'refusal' ? block.refusal : block.text;
  if (typeof text !== 'string') return [];
  const citations = readOwnAnnotations(block.annotations);
  return [{ type: 'text', text, ...(citations.length > 0 && { citations }) }];
}

export function readSummary({ summary, content }: JsonObject): string {
  const parts = [summary, content].flatMap((list) => (Array.isArray(list) ? list.filter(isJsonObject) : []));
  return parts.map((part) => textOrEmpty(part.text)).join('\n\n');
}
