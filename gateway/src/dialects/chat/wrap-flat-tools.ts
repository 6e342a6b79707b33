// Turns `{type: 'function', name, parameters}` into `{type: 'function', function: {name, parameters}}`. Whether the
// result is a valid definition is for the parser to say.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';

/** Returns the very same list when there is nothing to wrap. */
export function wrapFlatTools(tools: unknown): unknown {
  return Array.isArray(tools) && tools.some(isFlatTool) ? tools.map(wrapTool) : tools;
}

function isFlatTool(tool: unknown): boolean {
  return isJsonObject(tool) && tool.type === 'function' && tool.function === undefined && tool.name !== undefined;
}

function wrapTool(tool: JsonObject): unknown {
  if (!isFlatTool(tool)) return tool;
  const { type, ...definition } = tool;
  // The flat form spells "not set" as null, which the nested form does not know.
  const set = Object.entries(definition).filter(([, value]) => value !== null);
  return { type, function: Object.fromEntries(set) };
}
