// The net below every dialect's own walk over its texts: a walk that comes back with nothing, from a body that plainly has
// words in it, has missed them, and then the request is refused rather than sent unread. It is asked only after such a
// walk, which is what nearly no request has.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Two words beside each other. Names, addresses and encoded bytes have none. */
const WORDS = /\p{L}\s+\p{L}/u;
/** The longest that is looked at of one text: words come early. */
const LENGTH_MAX = 4_096;
/** What accompanies a request, and is not said to a model. */
const ASIDE: ReadonlySet<string> = new Set([
  ...['metadata', 'client_metadata', 'provider', 'user', 'plugins', 'transforms', 'response_format', 'text'],
  ...['stop', 'stop_sequences', 'tools', 'functions', 'tool_choice', 'image_config', 'session_id', 'title'],
]);
/** Thinking comes back as it went out, and is nobody's to read. */
const SEALED_TYPES: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Throws where the body of a request whose walk found no text has some. */
export function refuseUnread({ body }: Pick<CanonicalRequest, 'body'>): void {
  const isSaid = Object.keys(body).some((name) => !ASIDE.has(name) && holdsWords(body[name]));
  if (isSaid)
    throw new ApiError('http_400', 'What this request says could not be read for review, so it was not sent.');
}

function holdsWords(value: unknown): boolean {
  if (typeof value === 'string') return WORDS.test(value.length > LENGTH_MAX ? value.slice(0, LENGTH_MAX) : value);
  if (Array.isArray(value)) return value.some(holdsWords);
  if (!isJsonObject(value) || SEALED_TYPES.has(value.type)) return false;
  const object: JsonObject = value;
  return Object.keys(object).some((name) => holdsWords(object[name]));
}
