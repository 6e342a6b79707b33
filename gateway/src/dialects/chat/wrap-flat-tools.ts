// Turns `{type: 'function', name, parameters}` into `{type: 'function', function: {name, parameters}}`, a tool that takes
// plain text and `{name, input_schema}` likewise, and adds the type to a definition without one. The parser checks
// whether the result is valid.

import { isJsonObject, isSet, type JsonObject } from '../../canonical/json.ts';

/** Returns the same list when there is nothing to wrap. */
export function wrapFlatTools(tools: unknown): unknown {
  return Array.isArray(tools) && tools.some((it) => isFlatTool(it) || isUntyped(it)) ? tools.map(wrapTool) : tools;
}

/** The form of Messages, which may leave out its type. */
const hasInputSchema = (tool: JsonObject): boolean =>
  isJsonObject(tool.input_schema) && (!isSet(tool.type) || tool.type === 'custom');

function isFlatTool(tool: unknown): boolean {
  if (!isJsonObject(tool)) return false;
  if (hasInputSchema(tool)) return true;
  if (tool.type !== 'function' && tool.type !== 'custom') return false;
  return tool[tool.type] === undefined && tool.name !== undefined;
}

const isUntyped = (tool: unknown): boolean =>
  isJsonObject(tool) && (tool.type === undefined || tool.type === null) && isJsonObject(tool.function);

function wrapTool(tool: JsonObject): unknown {
  if (isUntyped(tool)) return { ...tool, type: 'function' };
  if (!isFlatTool(tool)) return tool;
  if (hasInputSchema(tool)) {
    const { name, description, input_schema: parameters } = tool;
    return { type: 'function', function: { name, ...(isSet(description) ? { description } : {}), parameters } };
  }
  const { type, ...definition } = tool;
  // The flat form writes "not set" as null, which the nested form does not allow.
  const set = Object.entries(definition).filter(([, value]) => value !== null);
  const nested = Object.fromEntries(set);
  return type === 'custom' ? { type, custom: withNestedGrammar(nested) } : { type, function: nested };
}

function withNestedGrammar(definition: JsonObject): JsonObject {
  const { format } = definition;
  if (!isJsonObject(format) || format.type !== 'grammar' || format.grammar !== undefined) return definition;
  const { type, ...grammar } = format;
  return { ...definition, format: { type, grammar } };
}
