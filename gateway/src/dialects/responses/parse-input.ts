// Checks the items of the input and measures them. Unknown kinds of items are left alone: a provider of this format may
// know them, and they count towards the prompt like everything that is forwarded.

import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { addEmbeddedImage, jsonTokens, MESSAGE_OVERHEAD_TOKENS, textTokens } from '../estimate-prompt.ts';
import { refuseField, refuseMissing } from '../refuse.ts';
import { ASSISTANT_BLOCKS, INPUT_BLOCKS, type InputTally, OUTPUT_BLOCKS, parseContent } from './parse-content.ts';

const ITEMS_MAX = 10_000;

type Place = () => string;

/** Fills the tally and returns how many items there are. */
export function parseInput(input: unknown, tally: InputTally): number {
  if (input === undefined || input === null) throw refuseMissing('input');
  if (typeof input === 'string') {
    tally.tokens += MESSAGE_OVERHEAD_TOKENS + textTokens(input);
    return 1;
  }
  if (!Array.isArray(input)) throw refuseField('input', 'must be a string or an array of items');
  if (input.length === 0) throw new ApiError('missing_required_field', 'input must hold at least one item.');
  if (input.length > ITEMS_MAX) throw refuseField('input', `may hold at most ${ITEMS_MAX} items`);
  const callIds = new Set<unknown>();
  for (let index = 0; index < input.length; index += 1) {
    const item: unknown = input[index];
    const path = (): string => `input[${index}]`;
    if (!isJsonObject(item)) throw refuseField(path(), 'must be an object');
    tally.tokens += MESSAGE_OVERHEAD_TOKENS;
    checkItem(item, path, tally);
    if (isOutput(item)) checkAnswersCall(item, path, callIds);
    else if (item.call_id !== undefined) callIds.add(item.call_id);
  }
  return input.length;
}

function checkItem(item: JsonObject, path: Place, tally: InputTally): void {
  switch (item.type) {
    case undefined:
    case null:
    case 'message':
      checkMessage(item, path, tally);
      return;
    case 'function_call':
      checkCall(item, path, 'arguments');
      break;
    case 'custom_tool_call':
      checkCall(item, path, 'input');
      break;
    case 'function_call_output':
    case 'custom_tool_call_output':
      parseContent(item.output, { readers: OUTPUT_BLOCKS, path: () => `${path()}.output` }, tally);
      return;
    case 'reasoning':
      checkReasoning(item, path);
      break;
    case 'image_generation_call': {
      // A picture that a model has made is read again, and does not require image input of the model.
      const { result, ...others } = item;
      if (typeof result === 'string') addEmbeddedImage(tally, result);
      tally.tokens += jsonTokens(others);
      return;
    }
    case 'item_reference':
      throw refuseReference(path);
    default:
      if (typeof item.type !== 'string') throw refuseField(`${path()}.type`, 'must be a string');
  }
  tally.tokens += jsonTokens(item);
}

function checkMessage(item: JsonObject, path: Place, tally: InputTally): void {
  const { role, content } = item;
  switch (role) {
    case 'user':
    case 'system':
    case 'developer':
      parseContent(content, { readers: INPUT_BLOCKS, path: () => `${path()}.content` }, tally);
      return;
    case 'assistant':
      parseContent(content, { readers: ASSISTANT_BLOCKS, path: () => `${path()}.content` }, tally);
      return;
    case undefined:
      // A reference may leave its type out; then it has only an id.
      if (content === undefined && typeof item.id === 'string') throw refuseReference(path);
      throw refuseMissing(`${path()}.role`);
    default:
      throw refuseField(`${path()}.role`, 'must be one of user, assistant, system, developer');
  }
}

function checkCall(item: JsonObject, path: Place, inputMember: string): void {
  for (const member of ['call_id', 'name', inputMember]) {
    if (typeof item[member] !== 'string') throw malformed(`${path()}.${member} is required and must be a string.`);
  }
  if (item.call_id === '' || item.name === '') throw malformed(`${path()} needs a call_id and a name.`);
  const { namespace } = item;
  if (isSet(namespace) && typeof namespace !== 'string') throw malformed(`${path()}.namespace must be a string.`);
}

function isOutput(item: JsonObject): boolean {
  return item.type === 'function_call_output' || item.type === 'custom_tool_call_output';
}

function checkAnswersCall(item: JsonObject, path: Place, callIds: ReadonlySet<unknown>): void {
  const { call_id: callId } = item;
  if (!isFilled(callId)) throw malformed(`${path()}.call_id is required and must be a string.`);
  if (!callIds.has(callId)) throw malformed(`${path()}.call_id matches no call earlier in input.`);
}

function checkReasoning(item: JsonObject, path: Place): void {
  const { encrypted_content: encrypted } = item;
  if (isSet(encrypted) && typeof encrypted !== 'string') {
    throw refuseField(`${path()}.encrypted_content`, 'must be a string');
  }
  for (const member of ['summary', 'content']) {
    const parts = item[member];
    if (parts === undefined || parts === null) continue;
    if (!Array.isArray(parts) || !parts.every((part) => isJsonObject(part) && typeof part.text === 'string')) {
      throw refuseField(`${path()}.${member}`, 'must be an array of objects with a text');
    }
  }
}

function refuseReference(path: Place): ApiError {
  return new ApiError(
    'invalid_prompt',
    `${path()} refers to a stored item, and nothing is stored here. Set store:false to send whole items.`,
  );
}

function malformed(message: string): ApiError {
  return new ApiError('malformed_tool_messages', message);
}
