// What a protocol is: how to authorize, and one codec for each operation it speaks. An operation without a codec is
// not supported, and routing sees that before anything is sent. All of it is pure; transport/ does the I/O.

import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../canonical/answer.ts';
import type { Format } from '../canonical/format.ts';
import type { JsonObject } from '../canonical/json.ts';
import type { Candidate, ProtocolName } from '../canonical/model.ts';
import type { Operation } from '../canonical/operation.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { StreamDecoder } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ErrorCode } from '../errors/catalogue.ts';

export type UpstreamCall = Readonly<{
  /** Appended to the provider's base URL. */
  path: string;
  body: string;
}>;

/** How an attempt failed. `detail` is for our logs alone: it may hold the upstream's own words. */
export type UpstreamFailure = Readonly<{ detail: string }> &
  Readonly<
    | { kind: 'rate_limited'; retryAfterSeconds: number | null }
    /** The provider refuses the gateway's own key or account. */
    | { kind: 'auth_failed' }
    | { kind: 'unavailable'; retryAfterSeconds: number | null }
    /** The caller's own doing: no other provider would take the request either. */
    | { kind: 'rejected'; code: ErrorCode; publicMessage: string }
    | { kind: 'model_missing' }
    | { kind: 'unreachable' }
    | { kind: 'timeout' }
    /** It answered, but not with anything that could be an answer. */
    | { kind: 'malformed' }
  >;

export type Decoded =
  | Readonly<{
      kind: 'answer';
      /** Has a non-empty `choices`, each with a message; everything else is as the upstream sent it. */
      json: JsonObject;
      /** Null when there was none, or none that can be believed. */
      usage: Usage | null;
      finishReason: string | null;
    }>
  | Readonly<{ kind: 'failure'; failure: UpstreamFailure }>;

export type Codec = Readonly<{
  /** Requests of this format pass through; all others go through the conversation. */
  format: Format;
  /** Pure and repeatable: failover runs it again for the next candidate. */
  encode(request: CanonicalRequest, candidate: Candidate): UpstreamCall;
  decode(body: Buffer): Decoded;
  decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure;
  /** For a usage record met in a stream. */
  readUsage(value: unknown): Usage | null;
  /** A decoded answer in the vendor-neutral form, for a dialect of another format. */
  toAnswer(json: JsonObject): Answer;
  /** One for each stream, for a dialect of another format. */
  createStreamDecoder(): StreamDecoder;
}>;

export type Protocol = Readonly<{
  name: ProtocolName;
  /** Header names and values in turn. */
  authorize(secret: string): readonly string[];
  codecs: Readonly<Partial<Record<Operation, Codec>>>;
  /** For providers that also speak the Responses format, so that such calls need no translation. */
  responsesCodec?: Codec;
}>;
