// The web plugin in the words of this protocol: a tool that the upstream runs by itself. Its results are part of the
// answer, so nothing has to be done with them here.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { wantsWeb } from '../../../canonical/plugin.ts';

/** The upstream charges for each search, so there is an end to them. */
const WEB_SEARCH_TOOL: JsonObject = { type: 'web_search_20250305', name: 'web_search', max_uses: 5 };

/** A tool of that name which the caller offers already stays the only one: names are taken once. */
export function withWebSearch(body: JsonObject, plugins: readonly JsonObject[]): JsonObject {
  if (!wantsWeb(plugins)) return body;
  const tools: readonly unknown[] = Array.isArray(body.tools) ? body.tools : [];
  const isOffered = tools.some((tool) => isJsonObject(tool) && tool.name === WEB_SEARCH_TOOL.name);
  return isOffered ? body : { ...body, tools: [...tools, WEB_SEARCH_TOOL] };
}
