// The caller's own tools in the vendor-neutral form. Tools that a vendor defines and runs have no counterpart and are
// left out; deferred ones are offered at once, because other vendors cannot load them later.

import type { Tool, ToolChoice } from '../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { isCallerDefined } from './parse-tools.ts';

export function convertTools(tools: unknown): readonly Tool[] {
  return Array.isArray(tools) ? tools.filter(isCallerDefined).map(convertTool) : [];
}

/** Undefined when the caller left it open, and when the named tool has been left out. */
export function convertToolChoice(choice: unknown, tools: readonly Tool[]): ToolChoice | undefined {
  if (!isJsonObject(choice) || tools.length === 0) return undefined;
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool': {
      const { name } = choice;
      return typeof name === 'string' && tools.some((tool) => tool.name === name) ? { name } : undefined;
    }
    default:
      return undefined;
  }
}

/** Undefined unless the caller forbade it: models decide themselves about parallel calls. */
export function isParallelAllowed(choice: unknown): false | undefined {
  return isJsonObject(choice) && choice.disable_parallel_tool_use === true ? false : undefined;
}

function convertTool(tool: JsonObject): Tool {
  const { name, description, input_schema: schema, strict, cache_control: cacheControl } = tool;
  return {
    name: String(name),
    ...(typeof description === 'string' ? { description } : {}),
    parameters: isJsonObject(schema) ? schema : { type: 'object', properties: {} },
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(isJsonObject(cacheControl) ? { cacheControl } : {}),
  };
}
