// Converts a Responses body, which some editors send to the chat endpoint, to the chat form. It only reshapes: the chat
// parser checks the result, so what has no counterpart is either dropped here or refused there.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { refuseField } from '../refuse.ts';

const ITEMS_MAX = 10_000;
/** Members that are converted below, or that only shape a Responses answer. */
const CONVERTED_FIELDS = ['input', 'instructions', 'max_output_tokens', 'text', 'include', 'client_metadata'];
/** Tools that a chat model can be offered, and hosted tools that are refused by name; agents send others besides. */
const KEPT_TOOLS = new Set<unknown>([
  'function',
  'custom',
  'web_search_preview',
  'file_search',
  'computer_use_preview',
]);

export function convertResponsesBody(body: JsonObject): JsonObject {
  const chat: JsonObject = { ...body };
  for (const field of CONVERTED_FIELDS) delete chat[field];
  const messages = convertInput(body.input);
  const { instructions, text } = body;
  if (isSet(instructions)) {
    if (typeof instructions !== 'string') throw refuseField('instructions', 'must be a string');
    messages.unshift({ role: 'system', content: instructions });
  }
  chat.messages = messages;
  const tokensMax = body.max_output_tokens;
  if (isSet(tokensMax)) chat.max_tokens ??= tokensMax;
  if (isJsonObject(text)) Object.assign(chat, convertText(text, body));
  if (Array.isArray(body.tools)) {
    chat.tools = body.tools.filter((tool) => !isJsonObject(tool) || KEPT_TOOLS.has(tool.type));
  }
  return chat;
}

/** `text` has the form of the answer, and its verbosity. */
function convertText(text: JsonObject, body: JsonObject): JsonObject {
  const converted: JsonObject = {};
  if (text.verbosity !== undefined && body.verbosity === undefined) converted.verbosity = text.verbosity;
  const format = text.format;
  if (!isJsonObject(format) || body.response_format !== undefined) return converted;
  const { type, ...definition } = format;
  converted.response_format = type === 'json_schema' ? { type, json_schema: definition } : format;
  return converted;
}

function convertInput(input: unknown): JsonObject[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }];
  if (!Array.isArray(input)) throw refuseField('input', 'must be a string or an array of items');
  if (input.length > ITEMS_MAX) throw refuseField('input', `may hold at most ${ITEMS_MAX} items`);
  const messages: JsonObject[] = [];
  for (let index = 0; index < input.length; index += 1) {
    const item: unknown = input[index];
    if (!isJsonObject(item)) throw refuseField(`input[${index}]`, 'must be an object');
    convertItem(item, index, messages);
  }
  return messages;
}

function convertItem(item: JsonObject, index: number, messages: JsonObject[]): void {
  switch (item.type) {
    case undefined:
    case 'message':
      messages.push({ role: item.role, content: convertContent(item.content) });
      return;
    case 'function_call':
      appendCall({ id: item.call_id, type: 'function', function: namedWith(item, 'arguments') }, messages);
      return;
    case 'custom_tool_call':
      appendCall({ id: item.call_id, type: 'custom', custom: namedWith(item, 'input') }, messages);
      return;
    case 'function_call_output':
    case 'custom_tool_call_output':
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: convertContent(item.output) });
      return;
    case 'reasoning':
      // Chat has no place for another call's hidden reasoning; the model reasons again.
      return;
    case 'item_reference':
      throw new ApiError(
        'invalid_prompt',
        `input[${index}] refers to a stored item, and nothing is stored here. Set store:false to send whole items.`,
      );
    default:
      throw refuseField(
        `input[${index}].type`,
        'must be message, a call of a function or custom tool, its output, reasoning or item_reference',
      );
  }
}

const namedWith = (item: JsonObject, member: string): JsonObject => ({ name: item.name, [member]: item[member] });

/** Calls made together belong to one assistant message; a chat upstream refuses them spread over several. */
function appendCall(call: JsonObject, messages: JsonObject[]): void {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') messages.push({ role: 'assistant', content: null, tool_calls: [call] });
  else if (Array.isArray(last.tool_calls)) last.tool_calls.push(call);
  else last.tool_calls = [call];
}

function convertContent(content: unknown): unknown {
  return Array.isArray(content) ? content.map(convertBlock) : content;
}

function convertBlock(block: unknown): unknown {
  if (!isJsonObject(block)) return block;
  switch (block.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: block.text };
    case 'input_image':
      return { type: 'image_url', image_url: withoutUnset({ url: block.image_url, detail: block.detail }) };
    case 'input_file':
      return {
        type: 'file',
        file: withoutUnset({
          filename: block.filename,
          file_data: block.file_data,
          file_id: block.file_id,
        }),
      };
    default:
      return block;
  }
}

function withoutUnset(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
