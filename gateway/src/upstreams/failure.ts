// Turns a failed attempt into what the caller is told and what is logged. All words are ours: an upstream's text may
// quote the prompt or name its keys, its hosts or another customer, so only known codes of it become `detail`.

import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../canonical/usage.ts';
import { ApiError } from '../errors/api-error.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import { unreachable } from '../platform/assert.ts';
import type { UpstreamFailure } from './protocol.ts';
import * as refused from './refusals.ts';
import type { TransportFailure } from './transport/receiver.ts';

const DETAIL_LENGTH_MAX = 500;
const SEARCHED_LENGTH_MAX = 65_536;
const CODES_MAX = 5;
const STATUS = /^\d{3}\b/;
const WORD = /[A-Za-z]\w+/g;
const RETRY_AFTER_SECONDS_MAX = 86_400;
const NO_ROOM_RETRY_SECONDS = 5;
const DIGITS = /^\d{1,9}$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
const OLDER_DATE = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/;
const OLDEST_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/;
/** Text that looks like a credential, in case a provider repeats the one it was sent. */
const CREDENTIAL = /\b(?:sk|pk|rk|key|gsk|xai)[-_][\w*.-]{6,}|\bBearer\s+\S+/gi;

/** True when another provider could not help, because the request itself was refused. */
export function isCallersFault(failure: UpstreamFailure): boolean {
  return failure.kind === 'rejected';
}

/** A failure that says something about the provider, and not only about the request. */
type ProviderFailure = Exclude<UpstreamFailure, { kind: 'rejected' | 'unsupported' | 'bound' }>;

/**
 * False when the provider refused the request, answered more than can be taken, answered without a picture, or had a
 * model that ended with an error of its own: all of that follows from the request, and nobody's requests may close a
 * route for others.
 */
export function isProviderFailure(failure: UpstreamFailure): failure is ProviderFailure {
  if (isOfModel(failure) || (failure.kind === 'rate_limited' && failure.isRequestTooLarge)) return false;
  return failure.kind !== 'rejected' && failure.kind !== 'unsupported' && failure.kind !== 'bound';
}

/** The upstream has worked, and its model has said something instead of drawing, or ended with an error of its own. */
export const isOfModel = (failure: UpstreamFailure): boolean =>
  failure.kind === 'malformed'
    ? failure.code === 'no_images'
    : failure.kind === 'unavailable' && failure.isProvoked === true;

type UsualKind = Exclude<UpstreamFailure['kind'], 'rejected' | 'unsupported' | 'bound'>;

/** The code and the words for a failure that brings none of its own. */
const usualWords: Readonly<Record<UsualKind, readonly [ErrorCode, string]>> = {
  rate_limited: ['upstream_rate_limited', 'The provider is limiting the rate of requests. Try again later.'],
  auth_failed: [
    'upstream_auth_failed',
    'The provider did not accept the credentials of the gateway. Its operator has to renew them.',
  ],
  unavailable: ['upstream_unavailable', 'The provider failed to answer. Try again shortly.'],
  model_missing: [
    'unknown_model',
    'No provider serves this model at present. Try again later, or ask for another model.',
  ],
  unreachable: ['upstream_unreachable', 'The provider could not be reached. Try again shortly.'],
  timeout: ['http_504', 'The provider did not answer in time. Try again, or ask for a stream or a shorter answer.'],
  malformed: ['upstream_unavailable', 'The provider gave an answer that cannot be used. Try again shortly.'],
};

export function failureToApiError(failure: UpstreamFailure): ApiError {
  const [code, message] = wordsOf(failure);
  const overflow = failure.kind === 'rejected' ? failure.overflow : undefined;
  const retryAfterSeconds = 'retryAfterSeconds' in failure ? (failure.retryAfterSeconds ?? undefined) : undefined;
  return new ApiError(code, message, { detail: failure.detail, overflow, retryAfterSeconds });
}

function wordsOf(failure: UpstreamFailure): readonly [ErrorCode, string] {
  if (failure.kind === 'rejected' || failure.kind === 'unsupported' || failure.kind === 'bound') {
    return [failure.code, failure.publicMessage];
  }
  const usual = usualWords[failure.kind];
  if (failure.kind !== 'malformed') return usual;
  return [failure.code ?? usual[0], failure.publicMessage ?? usual[1]];
}

export function failureOfTransport(failure: TransportFailure): UpstreamFailure {
  const detail = shortenForLog(`${failure.kind}: ${failure.detail}`);
  switch (failure.kind) {
    case 'unreachable':
    case 'reset':
      return { kind: 'unreachable', detail };
    case 'timeout':
      return { kind: 'timeout', detail };
    case 'unauthorized':
      return { kind: 'auth_failed', detail };
    case 'overtime':
      return { kind: 'bound', code: 'http_504', publicMessage: 'The answer took longer than any may take.', detail };
    case 'oversize':
      return tooLarge(detail);
    case 'undecodable':
      return { kind: 'malformed', detail };
    default:
      return unreachable(failure.kind);
  }
}

function tooLarge(detail: string): UpstreamFailure {
  const publicMessage = 'The answer is larger than can be delivered. Ask for less of it, or for a stream.';
  return { kind: 'bound', code: 'upstream_unavailable', publicMessage, detail };
}

/** Too many large answers are in memory for one more: others' alone, or the caller's own besides. */
export function noRoom(isOfOthers: boolean): UpstreamFailure {
  const publicMessage =
    'Too many large answers are under way for one more. Ask for fewer at once, or for shorter ones.';
  const detail = 'no room for a large answer';
  const told = { code: 'http_503', publicMessage, retryAfterSeconds: NO_ROOM_RETRY_SECONDS, detail } as const;
  return { kind: 'bound', ...told, isOfOthers };
}

/** A fault inside a stream that had begun well; `status` is that of the upstream's error frame, if any. */
export function failureOfStreamFault(
  fault: Readonly<{ kind: string; detail: string; status: number | null; isProvoked?: boolean }>,
): UpstreamFailure {
  if (fault.kind !== 'upstream-error') {
    return { kind: 'malformed', detail: shortenForLog(`${fault.kind}: ${fault.detail}`) };
  }
  const detail = `${fault.kind}: ${describeForLog(fault.detail)}`;
  return refused.inside(fault.status, fault.detail, detail) ?? unavailable(detail, fault.isProvoked);
}

export const unavailable = (detail: string, isProvoked = false, used: Usage | null = null): UpstreamFailure => ({
  kind: 'unavailable',
  retryAfterSeconds: null,
  detail,
  ...(isProvoked ? { isProvoked } : {}),
  ...(used === null ? {} : { used }),
});

/** The same failure with what a stream has stated before it. */
export const withUsed = (failure: UpstreamFailure, used: Usage | null): UpstreamFailure =>
  failure.kind === 'unavailable' && used !== null ? { ...failure, used } : failure;

/** Null where the provider did nothing wrong: the stream is complete, or the organization's own rules have ended it. */
export const failureOfProvider = (fault: Parameters<typeof failureOfStreamFault>[0] | null): UpstreamFailure | null =>
  fault === null || fault.kind === 'blocked' ? null : failureOfStreamFault(fault);

/** Whole seconds to wait; null when the header is missing or cannot be used. */
export function parseRetryAfter(headers: IncomingHttpHeaders): number | null {
  const value = headers['retry-after']?.trim() ?? '';
  const seconds = DIGITS.test(value) ? Number(value) : secondsUntil(value, headers.date);
  return seconds === null ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}

/** The date is by the sender's clock, whose time is in the answer too; ours may differ. */
function secondsUntil(date: string, sentDate: string | undefined): number | null {
  const untilMs = parseHttpDate(date);
  if (untilMs === null) return null;
  const sentMs = sentDate === undefined ? null : parseHttpDate(sentDate);
  return Math.ceil((untilMs - (sentMs ?? Date.now())) / 1_000);
}

/** All three forms that HTTP allows; the last does not state a zone, but is in GMT too. */
function parseHttpDate(text: string): number | null {
  const isDate = HTTP_DATE.test(text) || OLDER_DATE.test(text);
  const timeMs = isDate ? Date.parse(text) : OLDEST_DATE.test(text) ? Date.parse(`${text} GMT`) : Number.NaN;
  return Number.isNaN(timeMs) ? null : timeMs;
}

/** What a log may contain of an upstream's text: its leading status, and published error codes. */
export function describeForLog(text: string): string {
  const status = STATUS.exec(text)?.[0] ?? '';
  const codes = new Set((text.slice(0, SEARCHED_LENGTH_MAX).match(WORD) ?? []).filter(isKnownCode));
  const known = [status, ...[...codes].slice(0, CODES_MAX)].filter((word) => word !== '');
  return known.length === 0 ? 'no known code' : known.join(' ');
}

const isKnownCode = (word: string): boolean => KNOWN_ERROR_CODES.has(word);

/** Our own text, or the system's, made fit for a log line: short, and without anything that looks like a credential. */
export function shortenForLog(text: string): string {
  return text.slice(0, DETAIL_LENGTH_MAX).replace(CREDENTIAL, '[redacted]').slice(0, DETAIL_LENGTH_MAX);
}

// The error codes that upstreams publish. Of an upstream's text only these words reach a log, because its sentences
// quote prompts, keys and other customers.

const KNOWN_ERROR_CODES: ReadonlySet<string> = new Set(
  `api_error authentication_error billing_error billing_hard_limit_reached billing_not_active content_filter
  content_policy_violation context_length_exceeded deadline_exceeded engine_overloaded engine_overloaded_error
  insufficient_quota insufficient_balance internal_error internal_server_error invalid_api_key invalid_argument
  invalid_base64_image invalid_image invalid_image_format invalid_prompt invalid_request invalid_request_error
  invalid_value image_content_policy_violation image_too_large image_parse_error model_not_available model_not_found
  model_overloaded moderation_blocked missing_required_parameter not_found not_found_error overloaded overloaded_error
  permission_denied permission_error quota_exceeded rate_limit_error rate_limit_exceeded rate_limit_reached
  request_too_large requests resource_exhausted safety server_error service_unavailable server_overloaded
  string_above_max_length timeout timeout_error tokens tokens_exceeded_error too_many_requests unauthenticated
  unauthorized unknown_parameter unsupported_country_region_territory unsupported_parameter unsupported_value
  upstream_error user_error vector_store_timeout
  ABORTED ALREADY_EXISTS DEADLINE_EXCEEDED FAILED_PRECONDITION INTERNAL INVALID_ARGUMENT NOT_FOUND OUT_OF_RANGE
  PERMISSION_DENIED RESOURCE_EXHAUSTED UNAUTHENTICATED UNAVAILABLE UNIMPLEMENTED
  AccessDeniedException ConflictException InternalServerException ModelErrorException ModelNotReadyException
  ModelStreamErrorException ModelTimeoutException ResourceNotFoundException ServiceQuotaExceededException
  ServiceUnavailableException ThrottlingException ValidationException
  DeploymentNotFound OperationNotSupported ResponsibleAIPolicyViolation`.split(/\s+/),
);
