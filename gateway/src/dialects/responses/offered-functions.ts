// Every function that a request offers: flat or nested definitions at the top, those inside a namespace, and those in
// an agent's input item. Tools that take plain text are offered as functions too; other kinds are known only to
// providers of this format and are skipped.

import { describeCustomTool, readCustomTool } from '../../canonical/custom-tools.ts';
import { isJsonObject, type JsonObject, textOrEmpty } from '../../canonical/json.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export type OfferedFunction = Readonly<{
  /** Null at the top. */
  namespace: string | null;
  /** The flat form: name, description, parameters, strict. */
  definition: JsonObject;
  /** The definition's place as the caller would write it. */
  path: string;
  /** The caller calls it a custom tool, whose input is plain text. */
  isCustom: boolean;
}>;

/** A list of tools, and its place as the caller would write it. */
export type ToolList = Readonly<{ tools: unknown; path: string }>;

/** The request's own list, then those of its input items in order. */
export function toolListsOf(body: JsonObject): readonly ToolList[] {
  const lists: ToolList[] = [{ tools: body.tools, path: 'tools' }];
  if (!Array.isArray(body.input)) return lists;
  for (const [index, item] of body.input.entries()) {
    if (isJsonObject(item) && item.type === 'additional_tools') {
      lists.push({ tools: item.tools, path: `input[${index}].tools` });
    }
  }
  return lists;
}

/** For lists that may be anything; what is not a function definition is left out. */
export function offeredFunctions(lists: readonly ToolList[]): readonly OfferedFunction[] {
  return lists.flatMap(({ tools, path }) => functionsIn(tools, path, null));
}

function functionsIn(tools: unknown, path: string, namespace: string | null): OfferedFunction[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool: unknown, index) => {
    if (!isJsonObject(tool)) return [];
    const place = `${path}[${index}]`;
    if (tool.type === 'namespace' && namespace === null) {
      return functionsIn(tool.tools, `${place}.tools`, textOrEmpty(tool.name));
    }
    if (tool.type === 'custom' && typeof tool.name === 'string' && NAME.test(tool.name)) {
      const definition = { type: 'function', name: tool.name, ...describeCustomTool(readCustomTool(tool)) };
      return [{ namespace, definition, path: place, isCustom: true }];
    }
    if (tool.type !== 'function') return [];
    const isNested = isJsonObject(tool.function);
    const definition = isNested ? (tool.function as JsonObject) : tool;
    return [{ namespace, definition, path: isNested ? `${place}.function` : place, isCustom: false }];
  });
}
