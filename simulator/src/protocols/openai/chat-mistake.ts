// What the real API would refuse in a chat completion request, so that a client's mistake shows before it meets a real
// provider: above all tool results that do not match the calls before them, which translations get wrong.

import { type JsonObject, numberAt, objectsIn, stringAt } from '../../json.ts';

const CHOICES_MAX = 128;
const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

function callIds(message: JsonObject): Set<unknown> {
  return new Set(message.role === 'assistant' ? objectsIn(message.tool_calls).map((call) => call.id) : []);
}

function findUnansweredCalls(messages: readonly JsonObject[]): string | undefined {
  let open = new Set<unknown>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        return "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.";
      }
      continue;
    }
    if (open.size > 0) break;
    open = callIds(message);
  }
  if (open.size === 0) return undefined;
  const ids = [...open].join(', ');
  return `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`;
}

export function findChatMistake(body: JsonObject): string | undefined {
  if (stringAt(body, 'model') === undefined) return 'you must provide a model parameter';
  if (!Array.isArray(body.messages)) return "Missing required parameter: 'messages'.";
  if (body.messages.length === 0) return "Invalid 'messages': empty array. Expected an array with minimum length 1.";
  const wrong = objectsIn(body.messages).findIndex((message) => !ROLES.has(message.role));
  if (wrong >= 0) return `Invalid value for 'messages[${wrong}].role'.`;
  for (const name of ['max_tokens', 'max_completion_tokens']) {
    const maxTokens = numberAt(body, name);
    if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && maxTokens >= 1)) {
      return `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${maxTokens} instead.`;
    }
  }
  const choices = numberAt(body, 'n') ?? 1;
  if (!Number.isInteger(choices) || choices < 1 || choices > CHOICES_MAX) return "Invalid 'n'.";
  if (body.stream !== true && body.stream_options !== undefined && body.stream_options !== null) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  }
  return findUnansweredCalls(objectsIn(body.messages));
}
