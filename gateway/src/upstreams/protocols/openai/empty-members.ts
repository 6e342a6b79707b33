// Members of a chat body that say nothing: empty lists, limits that are null, and how to use tools where there are none.
// Clients that were written for patient upstreams send them, and OpenAI and others refuse a call for them.

import { isJsonObject, isSet, type JsonObject } from '../../../canonical/json.ts';

/** Without a value: null, or a list of nothing. */
const VALUED = ['tools', 'functions', 'stop', 'max_tokens', 'max_completion_tokens'];
/** Without the list that they are about. What must be called is not left out: such a call cannot be served. */
const CHOICES = [
  ['tool_choice', 'tools'],
  ['function_call', 'functions'],
] as const;
const FORCES_NOTHING: ReadonlySet<unknown> = new Set(['auto', 'none', null]);

/** Each member that is left out, as undefined. */
export function emptyMembers(body: JsonObject): JsonObject {
  const empty: JsonObject = {};
  for (const name of VALUED) {
    if (body[name] !== undefined && !hasValue(body[name])) empty[name] = undefined;
  }
  for (const [name, list] of CHOICES) {
    if (FORCES_NOTHING.has(body[name]) && !hasValue(body[list])) empty[name] = undefined;
  }
  // Where the caller has stated no list at all, the upstream shall say what it thinks of it.
  if (body.parallel_tool_calls !== undefined && 'tools' in empty) empty.parallel_tool_calls = undefined;
  return empty;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const hasValue = (value: unknown): boolean => isSet(value) && !isEmptyList(value);

/** The same list where every message says something. */
export function withoutEmptyLists(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasEmptyList)) return messages;
  return messages.map((message) => (hasEmptyList(message) ? fill(message) : message));
}

const hasEmptyList = (message: unknown): message is JsonObject =>
  isJsonObject(message) && (isEmptyList(message.content) || isEmptyList(message.tool_calls));

/** Only beside a call may there be no content. */
function fill({ tool_calls: calls, content, ...message }: JsonObject): JsonObject {
  const hasCalls = hasValue(calls);
  const said = hasValue(content) ? content : hasCalls || isSet(message.function_call) ? null : '';
  return { ...message, content: said, ...(hasCalls ? { tool_calls: calls } : {}) };
}
