// The one error that a caller may see. `message` is public; `detail` is for our logs only and is never sent, so that
// internal text (an upstream's message, a host name) cannot leak.

import { catalogue, type ErrorCode, publicCode } from './catalogue.ts';
import type { ContextOverflow } from './context-overflow.ts';

type ApiErrorOptions = Readonly<{
  /** Overrides the catalogue's status, for the one code the specification gives two (`upstream_unavailable`). */
  status?: number;
  /** Sent as `Retry-After` when the wait is known. */
  retryAfterSeconds?: number | undefined;
  /** True where a quick retry cannot help although the status looks retryable; sent as `x-should-retry: false`. */
  isTerminal?: boolean;
  /** Further response headers, for example the rate-limit window. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Public values for programs; only the Messages dialect has a place for them. */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** By how much a prompt is too long, for the dialect that words it differently. */
  overflow?: ContextOverflow | undefined;
  /** For logs only. */
  detail?: string | undefined;
  cause?: unknown;
}>;

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  readonly retryAfterSeconds: number | undefined;
  readonly isTerminal: boolean;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly overflow: ContextOverflow | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? catalogue[code].status;
    this.type = catalogue[code].type;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.isTerminal = options.isTerminal ?? false;
    this.headers = options.headers;
    this.details = options.details;
    this.overflow = options.overflow;
    this.detail = options.detail;
  }

  /** The same error with one more header. */
  withHeader(name: string, value: string): ApiError {
    return this.#with(this.message, { ...this.headers, [name]: value });
  }

  /** The same error with another message. */
  withMessage(message: string): ApiError {
    return this.#with(message, this.headers);
  }

  #with(message: string, headers: Readonly<Record<string, string>> | undefined): ApiError {
    const { status, isTerminal, retryAfterSeconds, details, overflow, detail, cause } = this;
    const options = { status, isTerminal, retryAfterSeconds, headers, details, overflow, detail, cause };
    return new ApiError(this.code, message, options);
  }

  /** The wire form of the chat dialect and of every management route. */
  envelope(): { error: { message: string; type: string; code: string | number } } {
    return { error: { message: this.message, type: this.type, code: publicCode(this.code) } };
  }
}

const OUTAGE_RETRY_SECONDS = 2;

/** What a call needs cannot be read at the moment, and the call is not answered without it. */
export const temporaryOutage = (message: string, detail: string, cause?: unknown): ApiError =>
  new ApiError('http_503', message, { retryAfterSeconds: OUTAGE_RETRY_SECONDS, detail, cause });
