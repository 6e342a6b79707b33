// Reads an upstream's refusal. Its meaning decides whether the next provider is tried; its text never reaches the
// caller, who gets our own words and at most the name of the wrong field.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject } from '../../../canonical/json.ts';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { describeForLog, parseRetryAfter } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { refusesThinking } from './omit-thinking.ts';

const CONTEXT_WORDS = [
  'prompt is too long',
  'input is too long',
  'context limit',
  'context window',
  'context length',
  'too many total text bytes',
];
const POLICY_WORDS = ['content filtering policy', 'usage policy', 'usage policies'];
/**
 * How a refusal with status 400 begins that means the gateway's account. Other refusals begin with the name of a field,
 * which a caller may have chosen: a caller must not be able to have the key taken for a bad one.
 */
const ACCOUNT_SENTENCE = new RegExp(
  `^(?:${[
    '(?:your )?credit balance is too low',
    'you have (?:reached|exceeded) your (?:specified )?api usage limits',
    '(?:this|your) organization has been disabled',
    'invalid x-api-key',
    'invalid api key',
  ].join('|')})\\b(?!\\s*:)`,
  'i',
);
/** Refusals begin with the path of the field; these names mean the same in every dialect. */
const NAMED_FIELD = /^(messages|system|tools|tool_choice|temperature|top_p|top_k|thinking|metadata)\b[\w.]*: /;
const TOKEN_LIMIT_FIELD = /^max_tokens\b/;

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const text = body.toString('utf8', 0, refused.ERROR_BYTES_MAX);
  const error = readJsonObject(body.subarray(0, refused.ERROR_BYTES_MAX))?.error;
  const detail = describeForLog(`${status} ${isJsonObject(error) ? describeError(error) : text}`);
  const retryAfterSeconds = parseRetryAfter(headers);
  // A redirect is not followed, because it could send the provider's key anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  // Proxies in between change the status more often than the type.
  const meaning = status === 400 ? (statusOfError(error) ?? status) : status;
  if (meaning === 429) return { kind: 'rate_limited', retryAfterSeconds, detail };
  const isLate = meaning === 408 || meaning === 409 || meaning === 425;
  if (meaning >= 500 || isLate || refused.isByGuard(status, text)) {
    return { kind: 'unavailable', retryAfterSeconds, detail };
  }
  const message = isJsonObject(error) && typeof error.message === 'string' ? error.message : text;
  return refusal(meaning, message, detail);
}

function refusal(status: number, message: string, detail: string): UpstreamFailure {
  if (refused.mentions(message, POLICY_WORDS)) return refused.byPolicy(detail);
  const isAboutAccount = status === 401 || status === 402 || status === 403 || ACCOUNT_SENTENCE.test(message);
  if (isAboutAccount) return { kind: 'auth_failed', detail };
  if (status === 404) return { kind: 'model_missing', detail };
  if (refused.mentions(message, CONTEXT_WORDS)) return refused.asTooLong(message, detail);
  if (status === 413) return refused.asTooLarge(detail);
  if (TOKEN_LIMIT_FIELD.test(message)) return refused.forOutputLimit(detail, 'max_tokens');
  if (refusesThinking(message)) return refused.forReasoning(detail);
  if (refused.isUnknownTool(message)) return refused.forTool(detail);
  return refused.otherwise(detail, NAMED_FIELD.exec(message)?.[1]);
}
