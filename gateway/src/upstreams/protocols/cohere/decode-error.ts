// Reads an upstream's refusal. Its meaning decides whether the next provider is tried; its text never reaches the
// caller, who gets our own words.

import type { IncomingHttpHeaders } from 'node:http';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { describeForLog, parseRetryAfter } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';

/** The vendor's own statuses: a token that is refused, and a call that somebody cancelled. */
const INVALID_TOKEN = 498;
const CANCELLED = 499;
const CONTEXT_WORDS = /too many tokens|too long|exceeds? the limit of|context length/i;
const TOKEN_LIMIT = /max_tokens/i;

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const said = readJsonObject(body.subarray(0, refused.ERROR_BYTES_MAX))?.message;
  const words = typeof said === 'string' ? said : body.toString('utf8', 0, 1_000);
  const detail = describeForLog(`${status} ${words}`);
  const retryAfterSeconds = parseRetryAfter(headers);
  // A redirect is not followed, because it could send the provider's key anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  if (status === 429) return { kind: 'rate_limited', retryAfterSeconds, detail };
  if (status >= 500 || status === 408 || status === CANCELLED)
    return { kind: 'unavailable', retryAfterSeconds, detail };
  if (status <= 403 && status >= 401) return { kind: 'auth_failed', detail };
  if (status === INVALID_TOKEN || /^invalid api token/i.test(words)) return { kind: 'auth_failed', detail };
  if (status === 404) return { kind: 'model_missing', detail };
  if (CONTEXT_WORDS.test(words)) return refused.asTooLong(words, detail);
  return TOKEN_LIMIT.test(words) ? refused.forOutputLimit(detail) : refused.otherwise(detail);
}
