// What single vendors of this protocol do not know. Some refuse a call for a member of a message that they do not know,
// and a conversation brings such members back: the thinking of other vendors' models, under several names, and what SDKs
// add to a model's message. And some know the limit of an answer only by its older name: they refuse the newer one, or
// ignore it and answer at any length.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Provider } from '../../../canonical/model.ts';

type Place = Pick<Provider, 'baseUrl'>;

const ADDED: readonly string[] = ['refusal', 'annotations', 'audio', 'images', 'function_call'];
const THINKING: readonly string[] = ['reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'];

const UNKNOWN_MEMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['api.mistral.ai', [...ADDED, ...THINKING, 'reasoning']],
  ['api.groq.com', [...ADDED, ...THINKING, 'reasoning']],
  ['api.cerebras.ai', [...ADDED, ...THINKING]],
]);

const KNOW_MAX_TOKENS_ALONE: ReadonlySet<string> = new Set([
  'api.mistral.ai',
  'api.deepseek.com',
  'api.perplexity.ai',
  'api.together.xyz',
  'api.moonshot.ai',
  'api.moonshot.cn',
  'integrate.api.nvidia.com',
  'api.z.ai',
  'open.bigmodel.cn',
]);

const HOST = /^https?:\/\/([^/:]+)/;
const hostOf = ({ baseUrl }: Place): string => HOST.exec(baseUrl)?.[1] ?? '';

export const knowsMaxTokensAlone = (provider: Place): boolean => KNOW_MAX_TOKENS_ALONE.has(hostOf(provider));

/** The same list where the vendor takes all of it. */
export function withKnownMembers(messages: unknown, provider: Place): unknown {
  const unknown = UNKNOWN_MEMBERS.get(hostOf(provider));
  if (unknown === undefined || !Array.isArray(messages)) return messages;
  const isFine = (message: unknown): boolean => !isJsonObject(message) || unknown.every((name) => !(name in message));
  if (messages.every(isFine)) return messages;
  return messages.map((message) => (isFine(message) ? message : without(message, unknown)));
}

function without(message: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}
