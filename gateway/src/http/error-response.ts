// The one place where a failure becomes an answer. Only an ApiError's own message is sent; anything else that was
// thrown is a bug of ours, and its text stays in the log.

import { JSON_TYPE } from '../canonical/answer.ts';
import { ApiError } from '../errors/api-error.ts';
import { refusalOfConstraint } from '../errors/constraints.ts';
import { messagesEnvelope, messagesStatus } from '../errors/messages-envelope.ts';
import { SCIM_TYPE, scimEnvelope } from '../errors/scim-envelope.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import type { ErrorDialect, Exchange, RouteRow } from './exchange.ts';
import { baseHeaders } from './reply-headers.ts';

const INTERNAL_FAULT_MESSAGE = 'An internal error occurred. The request id identifies it for support.';
const OUTAGE_RETRY_SECONDS = 2;
/** How long a refused upload is still read and dropped, so that the client can read the answer. */
const LINGER_MS = 2_000;

export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  // A database that is away is not the request's fault, so the client is told to try again soon.
  if (isConnectionFailure(thrown)) {
    return new ApiError('http_503', 'The service is temporarily unavailable. Try again shortly.', {
      retryAfterSeconds: OUTAGE_RETRY_SECONDS,
      cause: thrown,
    });
  }
  return refusalOfConstraint(thrown) ?? new ApiError('http_500', INTERNAL_FAULT_MESSAGE, { cause: thrown });
}

/** Writes the error, or cuts the connection where an answer has already begun: a truncated body must not look whole. */
export function sendError(exchange: Exchange, error: ApiError): void {
  const { request, response } = exchange;
  if (response.writableEnded || response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const dialect = exchange.route.errors;
  const body = JSON.stringify(errorBody(error, dialect));
  const status = errorStatus(error, dialect);
  const isUploadRefused = error.status === 413 || error.status === 415;
  if (isUploadRefused) response.shouldKeepAlive = false;
  response.writeHead(status, errorHeaders(exchange, error, Buffer.byteLength(body)));
  if (!isUploadRefused || request.complete) {
    response.end(body);
    return;
  }
  // Closing while the client still writes would reset the connection and lose the answer with it.
  response.write(body);
  const finish = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.once('end', finish);
  request.once('close', finish);
  request.resume();
}

type Refused = Pick<Exchange, 'route' | 'requestId' | 'isBrowserRoute'>;

export function errorHeaders(
  { route, requestId, isBrowserRoute }: Refused,
  error: ApiError,
  bodyLength: number,
): string[] {
  return [...baseHeaders(route, requestId, isBrowserRoute), ...ownErrorHeaders(route, error, bodyLength)];
}

/** Without those that every response has. */
export function ownErrorHeaders(route: Pick<RouteRow, 'errors'>, error: ApiError, bodyLength: number): string[] {
  const type = route.errors === 'scim' ? SCIM_TYPE : JSON_TYPE;
  const headers = ['Content-Type', type, 'Content-Length', String(bodyLength)];
  if (error.retryAfterSeconds !== undefined) headers.push('Retry-After', String(error.retryAfterSeconds));
  // Without this header SDKs retry even where no retry can help.
  if (error.isTerminal || error.status === 402 || error.status === 403) headers.push('x-should-retry', 'false');
  for (const [name, value] of Object.entries(error.headers ?? {})) headers.push(name, value);
  return headers;
}

export function errorStatus(error: ApiError, dialect: ErrorDialect | undefined): number {
  return dialect === 'messages' ? messagesStatus(error) : error.status;
}

export function errorBody(error: ApiError, dialect: ErrorDialect | undefined): object {
  if (dialect === 'scim') return scimEnvelope(error);
  return dialect === 'messages' ? messagesEnvelope(error) : error.envelope();
}
