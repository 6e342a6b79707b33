// What single vendors of this protocol do not take. Some refuse a call for a member of a message that they do not know,
// or for an id of a tool call that does not look like theirs, and a conversation brings both back: the thinking and the
// ids of other vendors' models, and what SDKs add to a model's message. And some know the limit of an answer by one of
// its two names only: they refuse the other one, or ignore it and answer at any length.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Provider } from '../../../canonical/model.ts';

type Place = Pick<Provider, 'baseUrl'>;
type CallIds = Readonly<{ pattern: RegExp; length: number }>;
type Vendor = Readonly<{
  /** Members of a message. */
  unknown?: readonly string[];
  callIds?: CallIds;
  limitName?: LimitName;
}>;
type LimitName = 'max_tokens' | 'max_completion_tokens';

const ADDED: readonly string[] = ['refusal', 'annotations', 'audio', 'images', 'function_call'];
const THINKING: readonly string[] = ['reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'];
const OPENAI_IDS: CallIds = { pattern: /^.{1,40}$/s, length: 40 };
const MISTRAL_IDS: CallIds = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 };
const OLDER_LIMIT: Vendor = { limitName: 'max_tokens' };

/** By host, or by what follows the first part of its name. */
const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  // Models that think know the newer name alone, and all others know it as well.
  ['api.openai.com', { callIds: OPENAI_IDS, limitName: 'max_completion_tokens' }],
  ['.openai.azure.com', { callIds: OPENAI_IDS }],
  ['api.mistral.ai', { ...OLDER_LIMIT, unknown: [...ADDED, ...THINKING, 'reasoning'], callIds: MISTRAL_IDS }],
  ['api.groq.com', { unknown: [...ADDED, ...THINKING, 'reasoning'] }],
  ['api.cerebras.ai', { unknown: [...ADDED, ...THINKING] }],
  ['api.deepseek.com', OLDER_LIMIT],
  ['api.perplexity.ai', OLDER_LIMIT],
  ['api.together.xyz', OLDER_LIMIT],
  ['api.moonshot.ai', OLDER_LIMIT],
  ['api.moonshot.cn', OLDER_LIMIT],
  ['integrate.api.nvidia.com', OLDER_LIMIT],
  ['api.z.ai', OLDER_LIMIT],
  ['open.bigmodel.cn', OLDER_LIMIT],
]);

const HOST = /^https?:\/\/([^/:]+)/;

function vendorOf({ baseUrl }: Place): Vendor | undefined {
  const host = HOST.exec(baseUrl)?.[1] ?? '';
  return VENDORS.get(host) ?? VENDORS.get(host.slice(host.indexOf('.')));
}

/** Undefined where both names are known, or nobody knows. */
export const limitNameAt = (provider: Place): LimitName | undefined => vendorOf(provider)?.limitName;

/** The same list where the vendor takes all of it. */
export function fitMessages(messages: unknown, provider: Place): unknown {
  const vendor = vendorOf(provider);
  if (vendor === undefined || !Array.isArray(messages)) return messages;
  const fitted = messages.map((message) => (isJsonObject(message) ? fitMessage(message, vendor) : message));
  return fitted.every((message, index) => message === messages[index]) ? messages : fitted;
}

function fitMessage(message: JsonObject, { unknown = [], callIds }: Vendor): JsonObject {
  const known = unknown.some((name) => name in message) ? without(message, unknown) : message;
  return callIds === undefined ? known : withFittingIds(known, callIds);
}

function without(message: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name]) => !names.includes(name)));
}

function withFittingIds(message: JsonObject, rule: CallIds): JsonObject {
  const { tool_call_id: answered, tool_calls: calls } = message;
  if (!fits(answered, rule)) return { ...message, tool_call_id: idInstead(answered, rule) };
  const fit = (call: unknown): unknown =>
    isJsonObject(call) && !fits(call.id, rule) ? { ...call, id: idInstead(call.id, rule) } : call;
  if (!Array.isArray(calls) || calls.every((call) => fit(call) === call)) return message;
  return { ...message, tool_calls: calls.map(fit) };
}

/** What is no text is left for the vendor to refuse. */
const fits = (id: unknown, { pattern }: CallIds): boolean => typeof id !== 'string' || pattern.test(id);

/** The same for the same id, so that a call and its result still match. */
const idInstead = (id: unknown, { length }: CallIds): string =>
  createHash('sha256').update(String(id)).digest('hex').slice(0, length);
