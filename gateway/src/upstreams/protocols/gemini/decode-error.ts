// Reads an upstream's refusal. Its meaning decides whether the next provider is tried; its text never reaches the
// caller, who gets our own words.

import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { describeForLog, parseRetryAfter } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';
import { describeError, errorIn, hasReason, retryDelayOf, statusOfError } from './error-envelope.ts';

const SIGNS = {
  context: ['input token count', 'exceeds the maximum number of tokens', 'context window', 'too long'],
  policy: ['safety filter', 'blocked by safety', 'prohibited use policy'],
  outputLimit: /max_?output_?tokens/i,
  /** Refusals name the field by its path; these names mean the same to every caller. */
  field: /\b(temperature|top_?p|top_?k|stop_?sequences|tools|seed|response_?schema|thinking)\b/i,
};
/**
 * How a refusal with status 400 begins that means the gateway's key or its place. Further on it may quote the caller,
 * and a caller must not be able to have the key taken for a bad one.
 */
const ACCOUNT_SENTENCE = /^(?:api key not valid|api key expired|user location is not supported)\b/i;

/** A file that the caller has named by its address at the vendor: the key is good, and has no such file. */
const FILE_SENTENCE = /^you do not have permission to access the file\b/i;

/**
 * Said of a film that is private, which a caller may name, and of a model that the key may not use. Where the request
 * names nothing by its address, it can only be the key.
 */
const CALLER_SENTENCE = /^the caller does not have permission\W*$/i;

const NO_PERMISSION = 'The provider may not read something that this request names by its address.';

export function decodeError(
  status: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  request?: CanonicalRequest,
): UpstreamFailure {
  const error = errorIn(body);
  const words = error === null ? body.toString('utf8', 0, 1_000) : describeError(error);
  const detail = describeForLog(`${status} ${words}`);
  // A redirect is not followed, because it could send the provider's key anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  const meaning = status === 400 && error !== null ? (statusOfError(error) ?? status) : status;
  const retryAfterSeconds = parseRetryAfter(headers) ?? (error === null ? null : retryDelayOf(error));
  if (meaning === 429) return { kind: 'rate_limited', retryAfterSeconds, detail };
  if (meaning >= 500 || meaning === 408 || meaning === 409 || meaning === 499) {
    return { kind: 'unavailable', retryAfterSeconds, detail };
  }
  const isAboutKey = error !== null && (hasReason(error, 'API_KEY_INVALID') || begins(error, ACCOUNT_SENTENCE));
  if (error !== null && begins(error, FILE_SENTENCE)) return refused.otherwise(detail);
  const isForbidden = error !== null && begins(error, CALLER_SENTENCE);
  if (isForbidden && (request === undefined || namesAddresses(request)))
    return { kind: 'unsupported', code: 'unknown_4xx', publicMessage: NO_PERMISSION, detail };
  // The resource is the model, at its place: the key may be good for others.
  if (isForbidden || (error !== null && hasReason(error, 'IAM_PERMISSION_DENIED')))
    return { kind: 'auth_failed', isOfModel: true, detail };
  if (meaning === 401 || meaning === 402 || meaning === 403 || isAboutKey) return { kind: 'auth_failed', detail };
  if (meaning === 404) return { kind: 'model_missing', detail };
  return refused.byWords(meaning, words, detail, SIGNS);
}

/** Whether the provider was to fetch something that the caller has chosen. */
function namesAddresses(request: CanonicalRequest): boolean {
  const { needs } = request;
  if (request.operation !== 'chat') return needs.imageInput || needs.fileInput || needs.videoInput;
  return request.toConversation().messages.some((message) => message.parts.some(hasAddress));
}

function hasAddress(part: Message['parts'][number]): boolean {
  if (part.type === 'tool-result') return part.content.some(hasAddress);
  return 'source' in part && part.source.kind === 'url';
}

const begins = ({ message }: JsonObject, sentence: RegExp): boolean =>
  typeof message === 'string' && sentence.test(message);
