// Where a chunk of a chat stream says what was used: most upstreams in the chunk itself, some in its choice, and some
// beside it in a member of their own.

import { isJsonObject, type JsonObject } from './json.ts';

/** Undefined or null where it says nothing. What is found is a stranger's word. */
export function statedUsage(chunk: JsonObject, choice: JsonObject | null | undefined): unknown {
  return chunk.usage ?? choice?.usage ?? usageBeside(chunk);
}

function usageBeside(chunk: JsonObject): unknown {
  for (const name in chunk) {
    if (!name.startsWith('x_')) continue;
    const own = chunk[name];
    if (isJsonObject(own) && isJsonObject(own.usage)) return own.usage;
  }
  return undefined;
}
