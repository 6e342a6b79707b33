// What a request of Messages wants cleared of the model's thinking. Where the gateway leaves the thinking out, this goes
// with it: providers refuse to clear thinking where there is none.

import { isJsonObject, type JsonObject } from './json.ts';

/** The same body where it wants no thinking cleared. */
export function withoutClearing(body: JsonObject): JsonObject {
  const { context_management: rules, ...others } = body;
  if (!isJsonObject(rules) || !Array.isArray(rules.edits) || !rules.edits.some(clearsThinking)) return body;
  const edits = rules.edits.filter((edit) => !clearsThinking(edit));
  return edits.length === 0 ? others : { ...others, context_management: { ...rules, edits } };
}

const clearsThinking = (edit: unknown): boolean => isJsonObject(edit) && /^clear_thinking_/.test(String(edit.type));
