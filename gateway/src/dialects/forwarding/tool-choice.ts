// A choice of tool that names one which was left out cannot be kept, and a list of tools that is empty is refused by many.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

/** Changes the body that it is given, which is a copy already. */
export function withoutGoneChoice(body: JsonObject, choice: unknown, gone: readonly JsonObject[]): JsonObject {
  if (Array.isArray(body.tools) && body.tools.length === 0) delete body.tools;
  if (body.tools === undefined || names(choice, gone)) delete body.tool_choice;
  return body;
}

function names(choice: unknown, gone: readonly JsonObject[]): boolean {
  if (!isJsonObject(choice)) return false;
  if (choice.type === 'allowed_tools') return Array.isArray(choice.tools) && choice.tools.some((it) => names(it, gone));
  return gone.some(({ type, name }) => type === choice.type || (name !== undefined && name === choice.name));
}
