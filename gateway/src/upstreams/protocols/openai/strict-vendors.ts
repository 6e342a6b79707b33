// What single vendors of this protocol do not take: fields that agents send to everybody, members of messages and ids of
// tool calls that a conversation brings back from other vendors' models, two messages of one side in a row, and one of
// the two names of an answer's limit. They refuse the whole call for it, or ignore the limit. It depends on the host and
// not on the model, which another host may serve with all of it.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import type { Provider } from '../../../canonical/model.ts';
import { TEXT_SEPARATOR } from './encode-messages.ts';

type Place = Pick<Provider, 'baseUrl'>;
type Route = Readonly<{ provider: Place; upstreamModel: string }>;
type CallIds = Readonly<{ pattern: RegExp; length: number }>;
type Vendor = Readonly<{
  /** Fields of a request that it refuses. */
  fields?: readonly string[];
  /** Members of a message that it refuses; it also wants texts as one text, without markers. */
  members?: readonly string[];
  /** The models that take their thinking back, as `reasoning`; others refuse it. */
  thinkers?: RegExp;
  callIds?: CallIds;
  limitName?: LimitName;
  /** Models whose sampling is fixed: they refuse any other, and some also the right one while they think. */
  fixedSampling?: RegExp;
  /** The two sides must take turns. */
  takesTurns?: true;
}>;
type LimitName = 'max_tokens' | 'max_completion_tokens';

const FIELDS: readonly string[] = [
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'verbosity',
];
const SAMPLING: readonly string[] = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'];
const REFUSED: readonly string[] = [
  ...['refusal', 'annotations', 'audio', 'images', 'function_call'],
  ...['reasoning_content', 'reasoning_details', 'reasoning_text', 'thinking_blocks'],
];
const OPENAI_IDS: CallIds = { pattern: /^.{1,40}$/s, length: 40 };
const MISTRAL_IDS: CallIds = { pattern: /^[a-zA-Z0-9]{9}$/, length: 9 };
const OLDER_LIMIT: Vendor = { limitName: 'max_tokens' };
const MOONSHOT: Vendor = { ...OLDER_LIMIT, fixedSampling: /kimi-k(?:2\.[5-9]|[3-9])/ };

/** By host, or by what follows the first part of its name. */
const VENDORS: ReadonlyMap<string, Vendor> = new Map<string, Vendor>([
  // Models that think know the newer name alone, and all others know it as well.
  ['api.openai.com', { callIds: OPENAI_IDS, limitName: 'max_completion_tokens' }],
  ['.openai.azure.com', { callIds: OPENAI_IDS }],
  [
    'api.mistral.ai',
    {
      ...OLDER_LIMIT,
      // It states the usage of a stream without being asked, and refuses the question.
      fields: [...FIELDS, 'stream_options'],
      members: REFUSED,
      callIds: MISTRAL_IDS,
    },
  ],
  ['api.groq.com', { fields: FIELDS, members: REFUSED, thinkers: /gpt-oss|qwen/ }],
  ['api.cerebras.ai', { fields: FIELDS, members: REFUSED, thinkers: /./ }],
  ['api.deepseek.com', OLDER_LIMIT],
  ['api.perplexity.ai', { ...OLDER_LIMIT, takesTurns: true }],
  ['api.together.xyz', OLDER_LIMIT],
  ['api.moonshot.ai', MOONSHOT],
  ['api.moonshot.cn', MOONSHOT],
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

const NO_FIELDS: readonly string[] = [];

export function fieldsRefusedAt({ provider, upstreamModel }: Route): readonly string[] {
  const vendor = vendorOf(provider);
  if (vendor === undefined) return NO_FIELDS;
  return vendor.fixedSampling?.test(upstreamModel) === true ? SAMPLING : (vendor.fields ?? NO_FIELDS);
}

/** The same list where the vendor takes all of it. */
export function fitMessages(messages: unknown, { provider, upstreamModel }: Route): unknown {
  const vendor = vendorOf(provider);
  if (vendor === undefined || !Array.isArray(messages)) return messages;
  const members = refusedMembers(vendor, upstreamModel);
  const known = messages.map((message) => (isJsonObject(message) ? fitMessage(message, members, vendor) : message));
  const fitted = vendor.takesTurns === true ? joinTurns(known) : known;
  return fitted.length === messages.length && fitted.every((message, index) => message === messages[index])
    ? messages
    : fitted;
}

function refusedMembers({ members = [], thinkers }: Vendor, upstreamModel: string): readonly string[] {
  return members.length === 0 || thinkers?.test(upstreamModel) === true ? members : [...members, 'reasoning'];
}

function fitMessage(message: JsonObject, members: readonly string[], { callIds }: Vendor): JsonObject {
  const known = members.length === 0 ? message : withOneText(withKnownMembers(message, members));
  return callIds === undefined ? known : withFittingIds(known, callIds);
}

const withKnownMembers = (message: JsonObject, refused: readonly string[]): JsonObject =>
  refused.some((name) => name in message) ? without(message, refused) : message;

function withOneText(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  if (content.every(isText)) return { ...message, content: content.map(({ text }) => text).join(TEXT_SEPARATOR) };
  if (!content.some(isMarked)) return message;
  return { ...message, content: content.map((part) => (isMarked(part) ? without(part, [MARKER]) : part)) };
}

const MARKER = 'cache_control';
const isMarked = (part: unknown): part is JsonObject => isJsonObject(part) && MARKER in part;
const isText = (part: unknown): part is JsonObject & Readonly<{ text: string }> =>
  isJsonObject(part) && part.type === 'text' && typeof part.text === 'string';

/** What one side says in several messages becomes one. */
function joinTurns(messages: readonly unknown[]): unknown[] {
  const turns: unknown[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (isSaid(message) && isSaid(last) && message.role === last.role) {
      turns[turns.length - 1] = { ...last, content: joinContent(last.content, message.content) };
    } else turns.push(message);
  }
  return turns;
}

type Said = JsonObject & Readonly<{ content: string | readonly unknown[] }>;

function isSaid(message: unknown): message is Said {
  if (!isJsonObject(message) || message.tool_calls !== undefined) return false;
  const isOfSide = message.role === 'user' || message.role === 'assistant';
  return isOfSide && (typeof message.content === 'string' || Array.isArray(message.content));
}

function joinContent(one: Said['content'], other: Said['content']): Said['content'] {
  if (typeof one === 'string' && typeof other === 'string') return `${one}${TEXT_SEPARATOR}${other}`;
  return [one, other].flatMap((content) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content));
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
