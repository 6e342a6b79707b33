// The safety net below each dialect's walk over its texts: when a walk finds nothing in a body that plainly contains
// words, it has missed them, and the request is refused instead of sent unread. It runs only after such a walk, which
// is rare.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { ApiError } from '../../errors/api-error.ts';

/** Two words beside each other. Names, addresses and encoded bytes have no such pair. */
const WORDS = /\p{L}\s+\p{L}/u;
/** The part of a text that is looked at, because words come early. */
const LENGTH_MAX = 4_096;
/** Members that accompany a request and are not shown to a model. */
const ASIDE: ReadonlySet<string> = new Set([
  ...['metadata', 'client_metadata', 'provider', 'user', 'plugins', 'transforms', 'response_format', 'text'],
  ...['stop', 'stop_sequences', 'tools', 'functions', 'tool_choice', 'image_config', 'session_id', 'title'],
]);
/** Thinking is sent back as the model made it, so it is not the caller's text. */
const SEALED_TYPES: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Throws where the body of a request whose walk found no text has some. */
export function refuseUnread({ body }: Pick<CanonicalRequest, 'body'>): void {
  const isSaid = Object.keys(body).some((name) => !ASIDE.has(name) && holdsWords(body[name]));
  if (isSaid)
    throw new ApiError('http_400', 'The text of this request could not be read for review, so it was not sent.');
}

function holdsWords(value: unknown): boolean {
  if (typeof value === 'string') return WORDS.test(value.length > LENGTH_MAX ? value.slice(0, LENGTH_MAX) : value);
  if (Array.isArray(value)) return value.some(holdsWords);
  if (!isJsonObject(value) || SEALED_TYPES.has(value.type)) return false;
  const object: JsonObject = value;
  return Object.keys(object).some((name) => holdsWords(object[name]));
}
