// The messages of a conversation as single vendors take them: without the members and with the ids of tool calls that
// other vendors' models left in it, and the two sides taking turns.

import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { TEXT_SEPARATOR } from './encode-messages.ts';
import { type CallIds, type Destination, type Vendor, vendorAt } from './vendors.ts';

/** The same list where the vendor takes all of it. */
export function fitMessages(messages: unknown, destination: Destination): unknown {
  const vendor = vendorAt(destination);
  if (vendor === undefined || !Array.isArray(messages)) return messages;
  const members = refusedMembers(vendor, destination.upstreamModel);
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
