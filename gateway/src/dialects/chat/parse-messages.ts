// Checks the conversation and measures it. Content and tool calls are checked by role; unknown members are left alone,
// but count towards the prompt, because they are forwarded.

import { customArguments } from '../../canonical/custom-tools.ts';
import { isFilled, isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { addImage, jsonTokens, MESSAGE_OVERHEAD_TOKENS, textTokens } from '../estimate-prompt.ts';
import { refuseField, refuseMissing } from '../refuse.ts';
import {
  ASSISTANT_PARTS,
  type PartReaders,
  type PromptTally,
  readParts,
  TOOL_PARTS,
  USER_PARTS,
} from './parse-content.ts';

const MESSAGES_MAX = 10_000;

/** Fills the tally and returns how many messages there are. */
export function parseMessages(messages: unknown, tally: PromptTally): number {
  if (messages === undefined || messages === null) throw refuseMissing('messages');
  if (!Array.isArray(messages)) throw refuseField('messages', 'must be an array');
  if (messages.length === 0) throw new ApiError('missing_required_field', 'messages must hold at least one message.');
  if (messages.length > MESSAGES_MAX) throw refuseField('messages', `may hold at most ${MESSAGES_MAX} messages`);
  let callIds: Set<string> | null = null;
  for (let index = 0; index < messages.length; index += 1) {
    const message: unknown = messages[index];
    if (!isJsonObject(message)) throw refuseField(`messages[${index}]`, 'must be an object');
    checkMessage(message, index, tally);
    if (message.role === 'assistant') callIds = collectCallIds(message, index, callIds, tally);
    else if (message.role === 'tool') checkAnswersCall(message.tool_call_id, index, callIds);
  }
  return messages.length;
}

function checkMessage(message: JsonObject, index: number, tally: PromptTally): void {
  const name = message.name;
  if (isSet(name) && typeof name !== 'string') throw refuseField(`messages[${index}].name`, 'must be a string');
  const { content, role } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      checkContent(content, index, USER_PARTS, tally);
      break;
    case 'assistant':
      // An assistant message may have no content, as is usual beside tool calls.
      if (isSet(content)) checkContent(content, index, ASSISTANT_PARTS, tally);
      break;
    case 'tool':
      checkContent(content, index, TOOL_PARTS, tally);
      break;
    case undefined:
      throw refuseMissing(`messages[${index}].role`);
    default:
      throw refuseField(`messages[${index}].role`, 'must be one of system, developer, user, assistant, tool');
  }
  tally.tokens += MESSAGE_OVERHEAD_TOKENS;
  for (const key in message) {
    if (key === 'images') addMade(tally, message[key]);
    else if (key !== 'role' && key !== 'content') tally.tokens += jsonTokens(message[key]);
  }
}

/** Pictures that a model has made are read again, and do not require image input of the model. */
function addMade(tally: PromptTally, images: unknown): void {
  for (const item of Array.isArray(images) ? images : [images]) {
    const url = isJsonObject(item) && isJsonObject(item.image_url) ? item.image_url.url : undefined;
    if (typeof url === 'string') addImage(tally, url);
    else tally.tokens += jsonTokens(item);
  }
}

function checkContent(content: unknown, index: number, readers: PartReaders, tally: PromptTally): void {
  if (typeof content === 'string') tally.tokens += textTokens(content);
  else if (Array.isArray(content)) readParts(content, index, readers, tally);
  else if (content === undefined) throw refuseMissing(`messages[${index}].content`);
  else throw refuseField(`messages[${index}].content`, 'must be a string or an array of content parts');
}

function collectCallIds(
  { tool_calls: calls }: JsonObject,
  index: number,
  known: Set<string> | null,
  tally: PromptTally,
): Set<string> | null {
  if (calls === undefined || calls === null) return known;
  if (!Array.isArray(calls)) throw malformed(`messages[${index}].tool_calls must be an array.`);
  if (calls.length === 0) return known;
  const ids = known ?? new Set<string>();
  for (let position = 0; position < calls.length; position += 1) {
    ids.add(readCallId(calls[position], `messages[${index}].tool_calls[${position}]`, tally));
  }
  return ids;
}

function readCallId(call: unknown, path: string, tally: PromptTally): string {
  if (!isJsonObject(call)) throw malformed(`${path} must be an object.`);
  const { id, type = 'function' } = call;
  if (!isFilled(id)) throw malformed(`${path}.id must be a string.`);
  if (type !== 'function' && type !== 'custom') throw malformed(`${path}.type must be function or custom.`);
  const callee = call[type];
  if (!isJsonObject(callee)) throw malformed(`${path}.${type} must be an object.`);
  if (!isFilled(callee.name)) throw malformed(`${path}.${type}.name must be a string.`);
  if (type === 'custom') {
    if (typeof callee.input !== 'string') throw malformed(`${path}.custom.input must be a string.`);
    // As the argument of a function, which it is for most upstreams, it is longer.
    tally.tokens += textTokens(customArguments(callee.input)) - textTokens(callee.input);
  } else if (typeof callee.arguments !== 'string') {
    throw malformed(`${path}.function.arguments must be a JSON string.`);
  }
  return id;
}

function checkAnswersCall(callId: unknown, index: number, known: ReadonlySet<string> | null): void {
  if (!isFilled(callId)) throw malformed(`messages[${index}].tool_call_id is required and must be a string.`);
  if (known === null || !known.has(callId)) {
    throw malformed(`messages[${index}].tool_call_id matches no tool call of an earlier assistant message.`);
  }
}

function malformed(message: string): ApiError {
  return new ApiError('malformed_tool_messages', message);
}
