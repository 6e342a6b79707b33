// Brings what editors and agents send to the form of this dialect: a Responses body, flat tool definitions, blocks of
// Messages, an object where a word is enough. An ordinary body is returned as it is, without a copy; no body is edited.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';
import { convertBlocks } from './convert-blocks.ts';
import { convertResponsesBody } from './convert-responses-body.ts';
import { wrapFlatTools } from './wrap-flat-tools.ts';

/** They have no meaning in a stateless chat call, and strict upstreams refuse them. */
const RESPONSES_ONLY_FIELDS = ['previous_response_id', 'truncation', 'background', 'store'];

export function normalizeBody(body: JsonObject): JsonObject {
  const isResponsesShaped = !isSet(body.messages) && isSet(body.input);
  const converted = isResponsesShaped ? convertResponsesBody(body) : body;
  const changes: JsonObject = {};
  const tools = wrapFlatTools(converted.tools);
  if (tools !== converted.tools) changes.tools = tools;
  const choice = coerceToolChoice(converted.tool_choice);
  if (choice !== converted.tool_choice) changes.tool_choice = choice;
  const messages = convertBlocks(converted.messages);
  if (messages !== converted.messages) changes.messages = messages;
  return applyChanges(converted, changes);
}

function applyChanges(body: JsonObject, changes: JsonObject): JsonObject {
  const stripped = RESPONSES_ONLY_FIELDS.filter((field) => body[field] !== undefined);
  if (stripped.length === 0 && Object.keys(changes).length === 0) return body;
  const copy = { ...body, ...changes };
  for (const field of stripped) delete copy[field];
  return copy;
}

function coerceToolChoice(choice: unknown): unknown {
  // Other vendors' word for the same.
  if (choice === 'any') return 'required';
  if (!isJsonObject(choice)) return choice;
  const { type } = choice;
  if (type === 'auto' || type === 'none' || type === 'required') return type;
  if (type === 'any') return 'required';
  if (type === 'tool') return nestNamed({ ...choice, type: 'function' });
  return type === 'allowed_tools' ? nestAllowed(choice) : nestNamed(choice);
}

/** Names a tool; the same object where it does so in this dialect's form. */
function nestNamed(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const { type, name } = choice;
  if ((type !== 'function' && type !== 'custom') || choice[type] !== undefined || name === undefined) return choice;
  return { type, [type]: { name } };
}

function nestAllowed(choice: JsonObject): JsonObject {
  const { mode, tools } = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  if (!Array.isArray(tools)) return choice;
  const nested = tools.map(nestNamed);
  const isNested = choice.allowed_tools !== undefined && nested.every((tool, index) => tool === tools[index]);
  return isNested ? choice : { type: choice.type, allowed_tools: { mode, tools: nested } };
}
