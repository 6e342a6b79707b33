// Conversations whose tool calls, results and pictures are blocks of the content, as an editor sends them to the chat
// endpoint for some models. A call becomes a member of its message, a result a message of its own. This only reshapes:
// the parser checks what comes of it.

import { isJsonObject, type JsonObject, listOrEmpty } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';

/** Returns the same list where no message has such blocks. */
export function convertBlocks(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasBlocks)) return messages;
  return messages.flatMap((message) => (hasBlocks(message) ? convertMessage(message) : [message]));
}

type Blocks = readonly unknown[];
type BlockMessage = JsonObject & Readonly<{ content: Blocks }>;

const hasBlocks = (message: unknown): message is BlockMessage =>
  isJsonObject(message) &&
  Array.isArray(message.content) &&
  message.content.some((part) => isCall(part) || isResult(part) || isPicture(part));

const isCall = (part: unknown): part is JsonObject => isJsonObject(part) && part.type === 'tool_use';
const isResult = (part: unknown): part is JsonObject => isJsonObject(part) && part.type === 'tool_result';
const isPicture = (part: unknown): part is JsonObject & Readonly<{ source: JsonObject }> =>
  isJsonObject(part) && part.type === 'image' && isJsonObject(part.source);

function convertMessage(message: BlockMessage): JsonObject[] {
  const calls = message.content.filter(isCall).map(toCall);
  const results = message.content.filter(isResult);
  const rest = message.content.filter((part) => !isCall(part) && !isResult(part)).map(toPart);
  const said = calls.length === 0 ? { ...message, content: rest } : withCalls(message, rest, calls);
  return [...results.map(toResult), ...(rest.length === 0 && calls.length === 0 ? [] : [said])];
}

const withCalls = (message: BlockMessage, content: Blocks, calls: Blocks): JsonObject => ({
  ...message,
  content: content.length === 0 ? null : content,
  tool_calls: [...listOrEmpty(message.tool_calls), ...calls],
});

function toCall({ id, name, input }: JsonObject): JsonObject {
  const written = isJsonObject(input) ? stringifyExactJson(input) : (input ?? '{}');
  return { id, type: 'function', function: { name, arguments: written } };
}

/** A failed one keeps its mark, for which this dialect has no member: encoders put it where their format has one. */
function toResult({ tool_use_id: callId, content, is_error: isError }: JsonObject): JsonObject {
  const parts = Array.isArray(content) ? content.map(toPart) : (content ?? '');
  return { role: 'tool', tool_call_id: callId, content: parts, ...(isError === true ? { is_error: true } : {}) };
}

function toPart(part: unknown): unknown {
  if (!isPicture(part)) return part;
  const { source, type: _type, ...others } = part;
  const { media_type: type, data, url } = source;
  return { ...others, type: 'image_url', image_url: { url: url ?? `data:${type};base64,${data}` } };
}
