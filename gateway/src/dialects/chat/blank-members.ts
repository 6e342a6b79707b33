// Members that some upstreams write into every message or delta with nothing in them, such as `"tool_calls": null`.
// Many SDKs take such a member for a list, an object or a role that is wrong, so it is left out; `content` may be null.

import type { JsonObject } from '../../canonical/json.ts';

const NAMES = ['role', 'tool_calls', 'function_call', 'reasoning_details', 'annotations', 'images', 'audio'];

/**
 * What a delta must be read for: a blank member, also of a call, content that is a list of parts, or an error behind
 * the delta. Unescaped quotes make a key of what stands between them.
 */
export const UNTIDY_MEMBER = new RegExp(
  `"(?:error":|content":\\s*\\[|(?:${NAMES.join('|')}|id|type|name|function)":\\s*(?:null|""))`,
);

/** Of a message, a delta or a call; the same object where nothing is blank. */
export function withoutBlanks(object: JsonObject, names: readonly string[] = NAMES): JsonObject {
  const blanks = names.filter((name) => object[name] === null || object[name] === '');
  if (blanks.length === 0) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => !blanks.includes(name)));
}
