// Finds the tools in a body that a provider would run and charge for, and takes them out again. Agents offer such tools
// by habit, whether or not they are used, so they are no reason to refuse a call: what nobody pays for is left out.

import { type HostedTools, NO_HOSTED_TOOLS } from '../canonical/hosted-tools.ts';
import { isJsonObject, type JsonObject } from '../canonical/json.ts';

/** Their names carry the date of their version. */
const SEARCH = /^web_search(?:_|$)/;
const OTHERS = /^(?:code_interpreter|code_execution|file_search|image_generation)(?:_|$)/;
/** The chat form of the same wish. */
const SEARCH_FIELD = 'web_search_options';
const STATED_SEARCHES_MAX = 20;

export function hostedToolsOf(body: JsonObject): HostedTools {
  let searchesMax = isJsonObject(body[SEARCH_FIELD]) ? 1 : 0;
  let hasOthers = false;
  for (const tool of listsOf(body).flatMap(flatten)) {
    if (typeof tool.type !== 'string') continue;
    if (SEARCH.test(tool.type)) searchesMax = Math.max(searchesMax, statedSearches(tool.max_uses));
    else hasOthers ||= OTHERS.test(tool.type);
  }
  return searchesMax === 0 && !hasOthers ? NO_HOSTED_TOOLS : { searchesMax, hasOthers };
}

/** Most answers search once or not at all; what goes beyond is charged all the same. */
function statedSearches(usesMax: unknown): number {
  return Number.isSafeInteger(usesMax) ? Math.min(Math.max(usesMax as number, 1), STATED_SEARCHES_MAX) : 1;
}

/** The request's own list, and those that an agent puts into its input items. */
function listsOf({ tools, input }: JsonObject): readonly unknown[] {
  if (!Array.isArray(input)) return [tools];
  return [tools, ...input.filter(isToolItem).map((item) => item.tools)];
}

const isToolItem = (item: unknown): item is JsonObject => isJsonObject(item) && item.type === 'additional_tools';

function flatten(tools: unknown): readonly JsonObject[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).flatMap((tool) => (Array.isArray(tool.tools) ? flatten(tool.tools) : [tool]));
}

export type LeftOut = Readonly<{ searches: boolean; others: boolean }>;

/** The same body without them; a choice that names one of them goes too, since it could not be kept. */
export function withoutHostedTools(body: JsonObject, left: LeftOut): JsonObject {
  const isLeft = ({ type }: JsonObject): boolean =>
    typeof type === 'string' && ((left.searches && SEARCH.test(type)) || (left.others && OTHERS.test(type)));
  const gone = listsOf(body).flatMap(flatten).filter(isLeft);
  const { [SEARCH_FIELD]: options, ...others } = body;
  const kept: JsonObject = left.searches || options === undefined ? others : { ...body };
  if (gone.length === 0) return kept;
  kept.tools = withoutTools(body.tools, isLeft);
  if (Array.isArray(body.input)) {
    kept.input = body.input.map((item) =>
      isToolItem(item) ? { ...item, tools: withoutTools(item.tools, isLeft) } : item,
    );
  }
  if (Array.isArray(kept.tools) && kept.tools.length === 0) delete kept.tools;
  if (kept.tools === undefined || names(body.tool_choice, gone)) delete kept.tool_choice;
  return kept;
}

function withoutTools(tools: unknown, isLeft: (tool: JsonObject) => boolean): unknown {
  if (!Array.isArray(tools)) return tools;
  return tools
    .filter((tool) => !isJsonObject(tool) || !isLeft(tool))
    .map((tool: unknown) =>
      isJsonObject(tool) && Array.isArray(tool.tools) ? { ...tool, tools: withoutTools(tool.tools, isLeft) } : tool,
    );
}

function names(choice: unknown, gone: readonly JsonObject[]): boolean {
  if (!isJsonObject(choice)) return false;
  if (choice.type === 'allowed_tools') return Array.isArray(choice.tools) && choice.tools.some((it) => names(it, gone));
  return gone.some(({ type, name }) => type === choice.type || (name !== undefined && name === choice.name));
}
