// Finds tools in a body that the provider would run and charge for. Agents offer such tools by habit, whether or not
// they are used, so they are no reason to refuse a call; forwarding/ leaves out those that nobody pays for.

import { isJsonObject, isSet, type JsonObject } from '../canonical/json.ts';
import { type HostedTools, NO_HOSTED_TOOLS } from '../canonical/request.ts';
import { policy, toolFate } from './forwarding/policy.ts';

/** Held for every tool that searches, because models search several times and no provider is sure to keep to less. */
const SEARCHES_LEAST = 5;
const STATED_SEARCHES_MAX = 20;

/** Fields that ask for the same without a tool, in any format. */
const SEARCH_FIELDS = [
  ...new Set(
    Object.values(policy.formats).flatMap((fates) => Object.keys(fates).filter((name) => fates[name] === 'search')),
  ),
];

export function hostedToolsOf(body: JsonObject): HostedTools {
  let searchesMax = SEARCH_FIELDS.some((name) => isAsking(body[name])) ? 1 : 0;
  let hasOthers = false;
  // Most calls have none, and need no lists.
  if (isSet(body.tools) || Array.isArray(body.input)) {
    for (const tool of listsOf(body).flatMap(flatten)) {
      const fate = toolFate(tool.type);
      if (fate === 'search') searchesMax = Math.max(searchesMax, searchesOf(tool));
      else hasOthers ||= fate === 'hosted';
    }
  }
  return searchesMax === 0 && !hasOthers ? NO_HOSTED_TOOLS : { searchesMax, hasOthers };
}

const isAsking = (value: unknown): boolean => value !== undefined && value !== null && value !== false;

/** It is charged by the post. */
const POST_SEARCH = 'x_search';
/** One search of posts usually fetches about as many. */
const POSTS_PER_SEARCH = 25;

/** Further searches are charged all the same. */
function searchesOf({ type, max_uses: usesMax }: JsonObject): number {
  const stated = Number.isSafeInteger(usesMax) ? Math.min(Math.max(usesMax as number, 1), STATED_SEARCHES_MAX) : 1;
  return type === POST_SEARCH ? stated * POSTS_PER_SEARCH : Math.max(stated, SEARCHES_LEAST);
}

/** The request's own list, and those in an agent's input items. */
function listsOf({ tools, input }: JsonObject): readonly unknown[] {
  if (!Array.isArray(input)) return [tools];
  return [tools, ...input.filter(isToolItem).map((item) => item.tools)];
}

const isToolItem = (item: unknown): item is JsonObject => isJsonObject(item) && item.type === 'additional_tools';

function flatten(tools: unknown): readonly JsonObject[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).flatMap((tool) => (Array.isArray(tool.tools) ? flatten(tool.tools) : [tool]));
}
