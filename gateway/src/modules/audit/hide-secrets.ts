// The last guard of the log. Code that writes an entry leaves secrets out by choosing its fields; if one slips through
// (a key pasted as a name, a token among settings), it is blanked here, because an entry can never be taken back.

import type { JsonObject } from '../../canonical/json.ts';

const HIDDEN = '[hidden]';

const SECRET_FIELD =
  /^(?:key|secret|api_?key|token|password|code|prompt|messages|authorization|cookie|credentials?|[a-z]+(?:Secret|Token|Password)|private_?key)$/i;

/** Our keys and those of most vendors begin with `sk-` or similar; bearer tokens and private keys say what they are. */
const SECRET_TEXT = /\b(?:sk|pk|rk)[-_][\w-]{16,}|\bBearer\s+\S{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*/g;

export function hideSecrets(object: JsonObject | null): JsonObject | null {
  return object === null ? null : hideIn(object);
}

function hideIn(object: JsonObject): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [
    name,
    SECRET_FIELD.test(name) && value !== null ? HIDDEN : hideValue(value),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

function hideValue(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(SECRET_TEXT, HIDDEN);
  if (Array.isArray(value)) return value.map(hideValue);
  return typeof value === 'object' && value !== null ? hideIn(value as JsonObject) : value;
}
