// A JSON pointer in the fragment of an address (RFC 6901), as references within a schema are written. Percent signs are
// decoded before the pointer is divided, and `~1` before `~0`: otherwise `~01` would become a slash.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';

const TOKENS_MAX = 64;

/** The object within the root that the reference leads to; undefined where it leads nowhere, or out of the document. */
export function followPointer(root: JsonObject, reference: string): JsonObject | undefined {
  const pointer = reference.startsWith('#') ? decoded(reference.slice(1)) : null;
  if (pointer === null || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
  const tokens = pointer.split('/').slice(1);
  if (tokens.length > TOKENS_MAX) return undefined;
  let found: unknown = root;
  for (const token of tokens) found = memberOf(found, token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return isJsonObject(found) ? found : undefined;
}

const memberOf = (value: unknown, name: string): unknown =>
  (isJsonObject(value) || Array.isArray(value)) && Object.hasOwn(value, name) ? (value as JsonObject)[name] : undefined;

/** Null for what is no encoded text. */
function decoded(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}
