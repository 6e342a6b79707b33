// Vendors that refuse a call for a member of a message that they do not know. A conversation brings such members back:
// the thinking of models of other vendors, under several names, and what SDKs add to a model's message.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Provider } from '../../../canonical/model.ts';

const ADDED: readonly string[] = ['refusal', 'annotations', 'audio', 'images', 'function_call'];
const THINKING: readonly string[] = ['reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'];

const UNKNOWN: ReadonlyMap<string, readonly string[]> = new Map([
  ['api.mistral.ai', [...ADDED, ...THINKING, 'reasoning']],
  ['api.groq.com', [...ADDED, ...THINKING, 'reasoning']],
  ['api.cerebras.ai', [...ADDED, ...THINKING]],
]);

const HOST = /^https?:\/\/([^/:]+)/;

/** The same list where the vendor takes all of it. */
export function withKnownMembers(messages: unknown, { baseUrl }: Pick<Provider, 'baseUrl'>): unknown {
  const unknown = UNKNOWN.get(HOST.exec(baseUrl)?.[1] ?? '');
  if (unknown === undefined || !Array.isArray(messages)) return messages;
  const isFine = (message: unknown): boolean => !isJsonObject(message) || unknown.every((name) => !(name in message));
  return messages.every(isFine)
    ? messages
    : messages.map((message) => (isFine(message) ? message : without(message, unknown)));
}

function without(message: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}
