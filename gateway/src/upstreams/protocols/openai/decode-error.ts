// Reads an upstream's refusal. Its meaning decides whether the next provider is tried; its text never reaches the
// caller, who gets our own words and at most the name of the wrong field.

import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { describeForLog, parseRetryAfter } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';

const PARAMETER_NAME = /^[a-zA-Z0-9_.[\]]{1,64}$/;

const MODEL_CODES = new Set<unknown>(['model_not_found', 'model_not_available', 'unknown_model']);
const CONTEXT_CODES = new Set<unknown>([
  'context_length_exceeded',
  'context_too_long',
  'string_above_max_length',
  'too_many_prompt_tokens',
  'model_max_prompt_tokens_exceeded',
  'exceed_context_size_error',
]);
const CONTEXT_WORDS = [
  'context length',
  'context window',
  'context_length',
  'context size',
  'context limit',
  'prompt is too long',
  'prompt too long',
  'input is too long',
  'messages is too long',
  'request is too long',
  'too many tokens',
  'maximum prompt length',
  'maximum input length',
  'maximum number of tokens allowed',
  'reduce the length of',
  'input token count',
  'tokens in request more than max tokens allowed',
];
/** Codes with statuses that blame the request or its rate, although the gateway's account is wrong or empty. */
const ACCOUNT_CODES = new Set<unknown>([
  'invalid_api_key',
  'insufficient_quota',
  'billing_hard_limit_reached',
  'billing_not_active',
  'account_deactivated',
  'insufficient_balance',
  'credits_exhausted',
]);
/**
 * How a refusal begins that means the gateway's account. Further on it may quote the caller, and a caller must not be
 * able to have the key taken for a bad one.
 */
const ACCOUNT_SENTENCE = new RegExp(
  `^(?:you |your )?(?:${[
    'incorrect api key',
    'invalid api key',
    'invalid x-api-key',
    'api key not valid',
    'api key expired',
    'exceeded your current quota',
    'insufficient balance',
    'insufficient credits',
    'credit balance is too low',
  ].join('|')})\\b(?!\\s*:)`,
  'i',
);
/** A copy of this protocol says with it that the rate is limited, in the sentence of an empty account. */
const LIMITED_STATUS = 'RESOURCE_EXHAUSTED';
const POLICY_CODES = new Set<unknown>([
  'content_policy_violation',
  'content_filter',
  'content_moderation',
  'moderation_blocked',
  'responsibleaipolicyviolation',
]);
const POLICY_WORDS = [
  'content policy',
  'content management policy',
  'usage policies',
  'usage guidelines',
  'safety system',
  'was flagged',
];
/** The model is there, but nobody serves it with what the request asks for. */
const UNSERVED_SENTENCE = /^no endpoints found that (?:support|can handle)\b/i;

type UpstreamError = Readonly<{ code: unknown; type: unknown; status: unknown; param: unknown; message: string }>;

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const text = body.toString('utf8', 0, refused.ERROR_BYTES_MAX);
  const error = readError(text);
  const detail = describeForLog(`${status} ${describe(error.code)} ${describe(error.type)} ${error.message}`);
  const retryAfterSeconds = parseRetryAfter(headers);
  const isAboutAccount = status >= 400 && status < 500 && isAccountRefusal(error);
  if (isAboutAccount) return { kind: 'auth_failed', detail };
  if (status === 429) return { kind: 'rate_limited', retryAfterSeconds, detail, ...sizeIn(error) };
  if (status === 408 || status === 409 || status === 425) return { kind: 'unavailable', retryAfterSeconds, detail };
  if (status >= 500 && status <= 599) return { kind: 'unavailable', retryAfterSeconds, detail };
  if (refused.isByGuard(status, text)) return { kind: 'unavailable', retryAfterSeconds, detail };
  // A redirect is not followed, because it could send the provider's key anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  if (isPolicyRefusal(error)) return refused.byPolicy(detail);
  if (status === 402 && asksForLess(error)) return refused.forWantOfCredit(detail);
  if (status === 401 || status === 402 || status === 403) return { kind: 'auth_failed', detail };
  if (status === 404 && UNSERVED_SENTENCE.test(error.message)) return unserved(detail);
  if ((status === 404 && !isAboutOther(error)) || MODEL_CODES.has(error.code)) return { kind: 'model_missing', detail };
  return refusedRequest(status, error, detail);
}

/** How many tokens of output the gateway's account at an aggregator still pays for. */
const AFFORDABLE = /\bfewer max_tokens\. You requested up to \d{1,9} tokens, but can only afford (\d{1,9})\b/i;
/** An account that pays for less is empty. */
const AFFORDABLE_TOKENS_LEAST = 1_024;

/** Anybody can ask for too much, so it does not mean that the account is of no use. */
const asksForLess = ({ message }: UpstreamError): boolean =>
  Number(AFFORDABLE.exec(message)?.[1] ?? 0) >= AFFORDABLE_TOKENS_LEAST;

const TOO_LARGE_SENTENCE = /^request too large\b/i;

const sizeIn = ({ message }: UpstreamError): Readonly<{ isRequestTooLarge?: true }> =>
  TOO_LARGE_SENTENCE.test(message) ? { isRequestTooLarge: true } : {};

/** Something else than the model was not found: an item, a file. */
const isAboutOther = ({ param }: UpstreamError): boolean =>
  typeof param === 'string' && param !== '' && param !== 'model';

function unserved(detail: string): UpstreamFailure {
  const publicMessage = 'The provider does not serve this model with what the request asks for, such as tools.';
  return { kind: 'unsupported', code: 'unsupported_param', publicMessage, detail };
}

function refusedRequest(status: number, error: UpstreamError, detail: string): UpstreamFailure {
  if (isContextRefusal(error)) return refused.asTooLong(error.message, detail);
  if (status === 413) return refused.asTooLarge(detail);
  const { param } = error;
  if (param === 'max_tokens' || param === 'max_completion_tokens') return refused.forOutputLimit(detail, param);
  return refused.otherwise(detail, typeof param === 'string' && PARAMETER_NAME.test(param) ? param : undefined);
}

function isPolicyRefusal(error: UpstreamError): boolean {
  return (
    POLICY_CODES.has(lower(error.code)) ||
    POLICY_CODES.has(lower(error.type)) ||
    refused.mentions(error.message, POLICY_WORDS)
  );
}

function isAccountRefusal({ code, type, status, message }: UpstreamError): boolean {
  if (ACCOUNT_CODES.has(code) || ACCOUNT_CODES.has(type)) return true;
  return status !== LIMITED_STATUS && ACCOUNT_SENTENCE.test(message.trimStart());
}

function isContextRefusal(error: UpstreamError): boolean {
  return (
    CONTEXT_CODES.has(error.code) || CONTEXT_CODES.has(error.type) || refused.mentions(error.message, CONTEXT_WORDS)
  );
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** The usual envelope, the same without its `error` or in a list, or no JSON at all. */
function readError(text: string): UpstreamError {
  const json = parseObject(text);
  const error = isJsonObject(json?.error) ? json.error : (json ?? {});
  const { code, type, status, param } = error;
  const message = [error.message, error.error].find((it) => typeof it === 'string') ?? text;
  return { code, type, status, param, message: String(message) };
}

function parseObject(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    const envelope: unknown = Array.isArray(json) ? json[0] : json;
    return isJsonObject(envelope) ? envelope : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function describe(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '-';
}
