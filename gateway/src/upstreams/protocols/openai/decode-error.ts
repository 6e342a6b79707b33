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
const ACCOUNT_WORDS = [
  'incorrect api key',
  'invalid api key',
  'invalid x-api-key',
  'api key not valid',
  'api key expired',
  'api_key_invalid',
  'exceeded your current quota',
  'insufficient balance',
  'insufficient credits',
  'credit balance is too low',
];
const POLICY_CODES = new Set<unknown>([
  'content_policy_violation',
  'content_filter',
  'content_moderation',
  'moderation_blocked',
  'responsibleaipolicyviolation',
]);
const POLICY_WORDS = ['content policy', 'content management policy', 'usage policies', 'safety system', 'was flagged'];

type UpstreamError = Readonly<{ code: unknown; type: unknown; param: unknown; message: string }>;

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const text = body.toString('utf8', 0, refused.ERROR_BYTES_MAX);
  const error = readError(text);
  const detail = describeForLog(`${status} ${describe(error.code)} ${describe(error.type)} ${error.message}`);
  const retryAfterSeconds = parseRetryAfter(headers);
  const isAboutAccount = status >= 400 && status < 500 && isAccountRefusal(error);
  if (isAboutAccount) return { kind: 'auth_failed', detail };
  if (status === 429) return { kind: 'rate_limited', retryAfterSeconds, detail };
  if (status === 408 || status === 409 || status === 425) return { kind: 'unavailable', retryAfterSeconds, detail };
  if (status >= 500 && status <= 599) return { kind: 'unavailable', retryAfterSeconds, detail };
  // A redirect is not followed, because it could send the provider's key anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  if (isPolicyRefusal(error)) return refused.byPolicy(detail);
  if (status === 401 || status === 402 || status === 403) return { kind: 'auth_failed', detail };
  if (status === 404 || MODEL_CODES.has(error.code)) return { kind: 'model_missing', detail };
  return refusedRequest(status, error, detail);
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

function isAccountRefusal(error: UpstreamError): boolean {
  return (
    ACCOUNT_CODES.has(error.code) || ACCOUNT_CODES.has(error.type) || refused.mentions(error.message, ACCOUNT_WORDS)
  );
}

function isContextRefusal(error: UpstreamError): boolean {
  return (
    CONTEXT_CODES.has(error.code) || CONTEXT_CODES.has(error.type) || refused.mentions(error.message, CONTEXT_WORDS)
  );
}

function lower(value: unknown): unknown {
  return typeof value === 'string' ? value.toLowerCase() : value;
}

/** The usual envelope, the same without its `error`, or no JSON at all. */
function readError(text: string): UpstreamError {
  const json = parseObject(text);
  const error = isJsonObject(json?.error) ? json.error : (json ?? {});
  const message = [error.message, error.error].find((it) => typeof it === 'string') ?? text;
  return { code: error.code, type: error.type, param: error.param, message: String(message) };
}

function parseObject(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function describe(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '-';
}
