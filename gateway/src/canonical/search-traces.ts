// What a search of the web leaves in an answer whose usage does not count searches: sources that are quoted, or calls
// among the output. Somebody has run it, and wants to be paid for it.

import { isJsonObject, type JsonObject } from './json.ts';
import { type Units, type Usage, withUnits } from './usage.ts';

/** Of a message, or of a piece of one. */
export function quotesSources({ annotations }: JsonObject): boolean {
  return Array.isArray(annotations) && annotations.some((it) => isJsonObject(it) && it.type === 'url_citation');
}

/** A provider that counts is believed; sources without a count were found by one search at least. */
export function withSearchTrace(usage: Usage | null, isTraced: boolean): Usage | null {
  return isTraced && usage?.units?.webSearches === undefined ? withUnits(usage, { webSearches: 1 }) : usage;
}

const OTHER_CALLS = new Set<unknown>(['code_interpreter_call', 'image_generation_call', 'file_search_call']);

/** Of the items of a response: each use of a tool that the provider ran is one of them. */
export function usesAmong(items: unknown): Units {
  let webSearches = 0;
  let hostedTools = 0;
  for (const item of Array.isArray(items) ? items : []) {
    if (!isJsonObject(item)) continue;
    if (item.type === 'web_search_call') webSearches += 1;
    else if (OTHER_CALLS.has(item.type)) hostedTools += 1;
  }
  return { webSearches, hostedTools };
}
