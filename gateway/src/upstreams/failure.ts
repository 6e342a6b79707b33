// From how an attempt failed to what the caller is told. The words are ours throughout: an upstream's text may name
// its keys, its hosts or another customer, so it only ever becomes `detail`.

import { ApiError } from '../errors/api-error.ts';
import { unreachable } from '../platform/assert.ts';
import type { UpstreamFailure } from './protocol.ts';
import type { TransportFailure } from './transport/transport.ts';

const DETAIL_LENGTH_MAX = 500;
const RETRY_AFTER_SECONDS_MAX = 86_400;
const DIGITS = /^\d{1,9}$/;
/** Tokens that look like a credential, wherever a provider repeats the one it was sent. */
const CREDENTIAL = /\b(?:sk|pk|rk|key|gsk|xai)[-_][\w*.-]{6,}|\bBearer\s+\S+/gi;

/** True when trying another provider could not help, because the request itself was refused. */
export function isCallersFault(failure: UpstreamFailure): boolean {
  return failure.kind === 'rejected';
}

export function failureToApiError(failure: UpstreamFailure): ApiError {
  const { detail } = failure;
  switch (failure.kind) {
    case 'rate_limited':
      return new ApiError('upstream_rate_limited', 'The provider is limiting the rate of requests. Try again later.', {
        detail,
        ...waitOf(failure.retryAfterSeconds),
      });
    case 'auth_failed':
      return new ApiError('upstream_auth_failed', 'The provider did not accept the credentials of the gateway.', {
        detail,
      });
    case 'unavailable':
      return new ApiError('upstream_unavailable', 'The provider failed to answer. Try again shortly.', {
        detail,
        ...waitOf(failure.retryAfterSeconds),
      });
    case 'rejected':
      return new ApiError(failure.code, failure.publicMessage, { detail });
    case 'model_missing':
      return new ApiError('unknown_model', 'No provider serves this model at present.', { detail });
    case 'unreachable':
      return new ApiError('upstream_unreachable', 'The provider could not be reached. Try again shortly.', { detail });
    case 'timeout':
      return new ApiError('http_504', 'The provider did not answer in time.', { detail });
    case 'malformed':
      return new ApiError('upstream_unavailable', 'The provider gave an answer that cannot be used.', { detail });
    default:
      return unreachable(failure);
  }
}

function waitOf(retryAfterSeconds: number | null): { retryAfterSeconds?: number } {
  return retryAfterSeconds === null ? {} : { retryAfterSeconds };
}

export function failureOfTransport(failure: TransportFailure): UpstreamFailure {
  const detail = describeForLog(`${failure.kind}: ${failure.detail}`);
  switch (failure.kind) {
    case 'unreachable':
    case 'reset':
      return { kind: 'unreachable', detail };
    case 'timeout':
      return { kind: 'timeout', detail };
    case 'oversize':
    case 'undecodable':
      return { kind: 'malformed', detail };
    default:
      return unreachable(failure.kind);
  }
}

/** A fault inside a stream that had begun well; `status` is what the upstream's error frame stated, if anything. */
export function failureOfStreamFault(
  fault: Readonly<{ kind: 'malformed' | 'oversize' | 'upstream-error'; detail: string; status: number | null }>,
): UpstreamFailure {
  const detail = describeForLog(`${fault.kind}: ${fault.detail}`);
  if (fault.kind !== 'upstream-error') return { kind: 'malformed', detail };
  if (fault.status === 429) return { kind: 'rate_limited', retryAfterSeconds: null, detail };
  return { kind: 'unavailable', retryAfterSeconds: null, detail };
}

/** Whole seconds to wait; null when the header is missing or says nothing usable. */
export function parseRetryAfter(value: string | undefined): number | null {
  const seconds = value?.trim() ?? '';
  if (!DIGITS.test(seconds)) return null;
  return Math.min(Number(seconds), RETRY_AFTER_SECONDS_MAX);
}

/** A stranger's text made fit for a log line: short, and without anything that looks like a credential. */
export function describeForLog(text: string): string {
  return text.slice(0, DETAIL_LENGTH_MAX).replace(CREDENTIAL, '[redacted]').slice(0, DETAIL_LENGTH_MAX);
}
