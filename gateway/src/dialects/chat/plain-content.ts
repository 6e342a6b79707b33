// Content that came as a list of parts, as some vendors give a model's thinking. Clients of this dialect take a text, so
// the texts become one and the thinking stands beside it, as it does for every other model.

import { isJsonObject, type JsonObject, listOrEmpty, textOrEmpty } from '../../canonical/json.ts';

/** Of a message or a delta; the same object where its content is no list, or has parts that are neither. */
export function withPlainContent(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content) || !content.every(isPlainPart)) return message;
  const text = content.map((part) => textOrEmpty(part.text)).join('');
  const thinking = content.map(thinkingOf).join('');
  const plain = { ...message, content: text === '' ? null : text };
  return thinking === '' ? plain : { ...plain, reasoning: textOrEmpty(message.reasoning) + thinking };
}

const isPlainPart = (part: unknown): part is JsonObject =>
  isJsonObject(part) && (part.type === 'text' || part.type === 'thinking');

function thinkingOf({ thinking }: JsonObject): string {
  if (typeof thinking === 'string') return thinking;
  return listOrEmpty(thinking)
    .map((thought) => (isJsonObject(thought) ? textOrEmpty(thought.text) : ''))
    .join('');
}
