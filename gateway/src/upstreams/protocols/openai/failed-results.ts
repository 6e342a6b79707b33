// Results of tools that failed, in a chat body. This format has no member for that, so the text says it; the member by
// which some clients and the gateway mark them is left out, because strict upstreams refuse what they do not know.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { asFailed } from '../../failed-result.ts';

type Marked = JsonObject & Readonly<{ role: 'tool'; is_error: unknown }>;

/** The same list where no result is marked. */
export function withFailuresSaid(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(isMarked)) return messages;
  return messages.map((message) => (isMarked(message) ? sayFailure(message) : message));
}

const isMarked = (message: unknown): message is Marked =>
  isJsonObject(message) && message.role === 'tool' && message.is_error !== undefined;

function sayFailure({ is_error: isError, ...message }: Marked): JsonObject {
  return isError === true ? { ...message, content: failed(message.content) } : message;
}

function failed(content: unknown): unknown {
  if (!Array.isArray(content)) return asFailed(typeof content === 'string' ? content : '');
  const place = content.findIndex(isText);
  if (place === -1) return [{ type: 'text', text: asFailed('') }, ...content];
  const part = content[place] as JsonObject & Readonly<{ text: string }>;
  return content.with(place, { ...part, text: asFailed(part.text) });
}

const isText = (part: unknown): boolean => isJsonObject(part) && part.type === 'text' && typeof part.text === 'string';
