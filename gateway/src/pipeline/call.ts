// What stays the same for one call from its admission to its record. Stages take it as a value; nobody changes it.

import { isUtf8 } from 'node:buffer';
import type { OutputReview } from '../canonical/answer.ts';
import type { Caller } from '../canonical/caller.ts';
import type { AttemptEntry, AutoDecision, ReviewEntry, ReviewNotes } from '../canonical/generation.ts';
import type { Model } from '../canonical/model.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { Dialect } from '../dialects/dialect.ts';
import type { RenderContext } from '../dialects/stream-pipe.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Clock } from '../platform/clock.ts';
import { newTimedId } from '../platform/ids.ts';
import type { CallTrace } from './call-trace.ts';

export type Call = Readonly<{
  generationId: string;
  caller: Caller;
  request: CanonicalRequest;
  /** Reads the client's body and writes the answer. */
  dialect: Dialect;
  /** Names and values in turn, for an upstream of the dialect's own format. */
  forwardedHeaders: readonly string[];
  /** Null where the caller named a model instead of `auto`. */
  auto: AutoDecision | null;
  /** Null while nothing is traced. */
  trace: CallTrace | null;
  /** From `X-Title`; metadata only. */
  appName: string | null;
  startedAtMs: number;
  elapsedMs(): number;
  /** Null where the caller is no student, or has no quota. */
  quota: Readonly<{ end(isAnswered: boolean): Promise<void> }> | null;
  /** The rules that the answer is checked against; null for nearly all calls. */
  review: OutputReview | null;
  /** What filters and guards have decided about the call so far. */
  reviews: CallReviews;
}>;

/** No candidate has answered and nothing was sent to the client. The call's owner ends it with `fail` or `forget`. */
export type CallFailure = Readonly<{ error: Error; attempts: readonly AttemptEntry[] }>;

const APP_NAME_LENGTH_MAX = 128;
const FORWARDED_HEADER_LENGTH_MAX = 2_048;
/** Names the record of the call. */
export const GENERATION_HEADER = 'X-Generation-Id';

const NO_HEADERS: readonly string[] = [];

type CallParts = Pick<Call, 'caller' | 'request' | 'dialect' | 'trace' | 'quota' | 'review' | 'reviews'> &
  Readonly<{ resolution: Pick<Call, 'auto'> }>;

export function openCall(exchange: Exchange, parts: CallParts, { clock }: Readonly<{ clock: Clock }>): Call {
  const startedMonotonicMs = clock.monotonicMs();
  const { resumed } = exchange;
  const startedAtMs = resumed?.calledAtMs ?? clock.nowMs();
  const generationId = resumed?.generationId ?? newTimedId('gen', startedAtMs);
  parts.trace?.identify(generationId);
  return {
    generationId,
    caller: parts.caller,
    request: parts.request,
    dialect: parts.dialect,
    auto: parts.resolution.auto,
    trace: parts.trace,
    quota: parts.quota,
    review: parts.review,
    reviews: parts.reviews,
    forwardedHeaders: forwardedHeadersOf(exchange, parts.dialect),
    appName: appNameOf(exchange),
    startedAtMs,
    elapsedMs: () => Math.round(clock.monotonicMs() - startedMonotonicMs),
  };
}

function forwardedHeadersOf(exchange: Exchange, dialect: Dialect): readonly string[] {
  if (dialect.forwardedHeaders.length === 0) return NO_HEADERS;
  return dialect.forwardedHeaders.flatMap((name) => {
    const value = exchange.request.headers[name];
    return typeof value === 'string' && value.length <= FORWARDED_HEADER_LENGTH_MAX ? [name, value] : [];
  });
}

export function appNameOf(exchange: Exchange): string | null {
  const { headers } = exchange.request;
  const title = headers['x-title'] ?? headers['x-openrouter-title'];
  if (typeof title !== 'string' || title === '') return null;
  // A character of two units is not cut in half.
  return decodeHeader(title)
    .slice(0, APP_NAME_LENGTH_MAX)
    .replace(/[\ud800-\udbff]$/, '');
}

/** Node reads a header as one character per byte, whereas most clients send UTF-8. */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** Adds the header that names the record of a failed call. */
export function named(error: Error, { generationId }: Call): Error {
  return error instanceof ApiError ? error.withHeader(GENERATION_HEADER, generationId) : error;
}

// What a dialect needs to know to write an answer.

export function renderContext(call: Call, model: Model): RenderContext<CanonicalRequest> {
  return {
    id: call.generationId,
    modelId: model.id,
    makesImages: model.outputModalities.includes('image'),
    owner: call.caller.accountId,
    elapsedMs: call.elapsedMs,
    createdSeconds: Math.floor(call.startedAtMs / 1000),
    request: call.request,
    review: call.review,
  };
}

// What filters and guards have decided about one call, for its record. A stream's rule may be hit again and again and
// is noted once; how many notes there can be is bounded, as they come from rules and services of strangers.

const ENTRIES_MAX = 32;

export class CallReviews implements ReviewNotes {
  #entries: ReviewEntry[] | null = null;

  /** Null while there are none. */
  get entries(): readonly ReviewEntry[] | null {
    return this.#entries;
  }

  note(entry: ReviewEntry): void {
    this.#entries ??= [];
    if (this.#entries.length < ENTRIES_MAX && !this.#entries.some((known) => isSame(known, entry)))
      this.#entries.push(entry);
  }
}

const isSame = (one: ReviewEntry, other: ReviewEntry): boolean =>
  one.by === other.by && one.name === other.name && one.of === other.of && one.outcome === other.outcome;
