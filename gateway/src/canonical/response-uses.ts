// What a response says of the tools that its provider ran and charges for. Where the provider counts them itself, that
// count is believed: the items of the output are what the model tried, and some of them cost nothing.

import { isJsonObject, isSet, type JsonObject, listOrEmpty, objectOrEmpty } from './json.ts';
import type { Units } from './usage.ts';

export function usesIn(response: JsonObject): Units {
  const details = objectOrEmpty(response.usage).server_side_tool_usage_details;
  if (isJsonObject(details)) return countedUses(details);
  const uses = usesAmong(response.output);
  // Some only copy this record, and leave it at zero.
  const stated = countIn(objectOrEmpty(objectOrEmpty(response.tool_usage).web_search), 'num_requests');
  return stated === 0 ? uses : { ...uses, webSearches: stated };
}

/** A profile that a search of posts fetched costs as much as two searches of the web, and a post as much as one. */
const SEARCHES_PER_PROFILE = 2;

function countedUses(details: JsonObject): Units {
  const posts = countIn(details, 'x_posts_fetched') + SEARCHES_PER_PROFILE * countIn(details, 'x_users_fetched');
  return {
    webSearches:
      countIn(details, 'web_search_calls') +
      (isSet(details.x_posts_fetched) ? posts : countIn(details, 'x_search_calls')),
    hostedTools:
      countIn(details, 'code_interpreter_calls') +
      countIn(details, 'document_search_calls') +
      countIn(details, 'file_search_calls') +
      countIn(details, 'image_generation_calls'),
  };
}

const COUNT_MAX = 2 ** 40;

function countIn(record: JsonObject, name: string): number {
  const value = record[name];
  return Number.isInteger(value) && Number(value) > 0 ? Math.min(Number(value), COUNT_MAX) : 0;
}

const SEARCH_CALLS = new Set<unknown>(['web_search_call', 'x_search_call']);
/** A shell's output is among the items only where the provider ran it. */
const OTHER_CALLS = new Set<unknown>([
  ...['code_interpreter_call', 'image_generation_call', 'file_search_call', 'shell_call_output'],
]);
/** Reading what a search has found is no search. */
const READINGS = new Set<unknown>(['open_page', 'find_in_page']);

function usesAmong(items: unknown): Units {
  let webSearches = 0;
  let hostedTools = 0;
  for (const item of listOrEmpty(items)) {
    if (!isJsonObject(item)) continue;
    if (SEARCH_CALLS.has(item.type)) webSearches += READINGS.has(objectOrEmpty(item.action).type) ? 0 : 1;
    else if (OTHER_CALLS.has(item.type)) hostedTools += 1;
  }
  return { webSearches, hostedTools };
}
