// What a protocol is: how a prepared call is signed, and one codec for each operation it speaks. An operation without a
// codec is not supported, and routing sees that before anything is sent. All of it is pure; transport/ does the I/O.

import type { IncomingHttpHeaders } from 'node:http';
import type { Format } from '../canonical/format.ts';
import type { Candidate, FamilyTraits, Provider } from '../canonical/model.ts';
import type { AnswerOf, CanonicalRequest, Operation, RequestOf } from '../canonical/operation.ts';
import type { StreamDecoder } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { UpstreamVideo } from '../canonical/video.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { ContextOverflow } from '../errors/context-overflow.ts';

/** A body too large to hold, of a known length; opened afresh for every attempt. */
export type StreamedBody = Readonly<{ byteLength: number; open(): AsyncIterable<Buffer> }>;

export type UpstreamCall = Readonly<{
  /** Appended to the provider's base URL. */
  path: string;
  body: string | Buffer | StreamedBody;
  /** JSON unless said. */
  contentType?: string;
  /** By whether it is a stream of events or JSON, unless said. */
  accept?: string;
}>;

/** A call that is text as a whole, which is nearly all of them. */
export type TextCall = UpstreamCall & Readonly<{ body: string | Buffer }>;

/** A whole answer with status 200. */
export type UpstreamReply = Readonly<{ headers: IncomingHttpHeaders; body: Buffer }>;

/** How an attempt failed. `detail` is for our logs alone: it may hold the upstream's own words. */
export type UpstreamFailure = Readonly<{ detail: string }> &
  Readonly<
    | { kind: 'rate_limited'; retryAfterSeconds: number | null }
    /** The provider refuses the gateway's own key or account. */
    | { kind: 'auth_failed' }
    | { kind: 'unavailable'; retryAfterSeconds: number | null }
    /** The caller's own doing: no other provider would take the request either. */
    | {
        kind: 'rejected';
        code: ErrorCode;
        publicMessage: string;
        overflow?: ContextOverflow;
        /** What it does not take is reasoning that was sealed for another account; without that it would. */
        isReasoningForeign?: true;
      }
    /** This provider cannot do what is asked; another of the same model may well. */
    | { kind: 'unsupported'; code: ErrorCode; publicMessage: string }
    | { kind: 'model_missing' }
    | { kind: 'unreachable' }
    | { kind: 'timeout' }
    /** A bound of the gateway's own on bytes or time was reached, which is the answer's doing and not the provider's. */
    | { kind: 'bound'; code: ErrorCode; publicMessage: string }
    /** It answered, but not with anything that could be an answer. */
    | { kind: 'malformed'; code?: ErrorCode; publicMessage?: string }
  >;

export type Decoded<Answer> =
  | Readonly<{
      kind: 'answer';
      answer: Answer;
      /** Null when there was none, or none that can be believed. */
      usage: Usage | null;
      finishReason: string | null;
    }>
  | Readonly<{ kind: 'failure'; failure: UpstreamFailure }>;

/**
 * How one operation is asked of an upstream. Members that take a request are methods on purpose, as in a dialect: the
 * codec of one operation then counts as a codec, and `codecOf` finds the one that fits the request.
 */
export type Codec<Name extends Operation = Operation> = Readonly<{
  format: Format;
  /**
   * Pure and repeatable: failover runs it again for the next candidate. `headers` are names and values in turn of what
   * the client said beside its body, for formats that have a place for it there.
   */
  encode(request: RequestOf<Name>, candidate: Candidate, headers?: readonly string[]): UpstreamCall;
  /** Pictures must be in the request itself: the gateway gets those that the caller names by an address. */
  embedsPictures?: true;
  /** Of addresses only our own must not be asked for: what the gateway keeps of a model's pictures goes back as it came. */
  embedsKeptPictures?: true;
  decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure;
  /** Missing where answers are streams only. */
  decode?(reply: UpstreamReply, request: RequestOf<Name>): Decoded<AnswerOf<Name>>;
  /** Bounds a whole answer, where the usual bound is too narrow. */
  answerBytesMax?: number;
  /** For a usage record met in a stream of events. */
  readUsage?(value: unknown): Usage | null;
  /** One for each stream whose bytes are packed otherwise than its format has them. */
  createReframer?(request: RequestOf<Name>): Reframer;
  /** One for each stream of events, for a dialect of another format. */
  createStreamDecoder?(): StreamDecoder;
}>;

/** Bytes as they came in, bytes as the codec's format has them out. */
export type Reframer = Readonly<{ push(chunk: Buffer): Buffer; end(): Buffer }>;

/** What is asked about a video once an upstream has taken it. Paths are appended to the provider's base URL. */
export type VideoQuestions = Readonly<{
  jobPath(jobId: string): string;
  contentPath(jobId: string, index: number): string;
  /** Null when it is no description of a job. */
  decodeJob(body: Buffer): UpstreamVideo | null;
  /** The jobs that were ordered last. */
  listPath: string;
  decodeList(body: Buffer): readonly ListedVideo[];
}>;

/** A job of an upstream's list, with what may tell it from others. */
export type ListedVideo = Readonly<{ id: string; createdAtMs: number | null; prompt: string; seconds: string }>;

/** A provider's own interface for many calls that nobody waits for. Paths are appended to the provider's base URL. */
export type BatchInterface = Readonly<{
  /** Whether its lines may ask what an ordinary call asks at this path. */
  takes(path: string): boolean;
  encodeLine(customId: string, path: string, body: Buffer): Buffer;
  /** What stands around the lines, and between them. */
  frame: Readonly<{ opening: string; between: string; closing: string }>;
  /** Where the lines are uploaded before; what that is named by then goes into `create`. */
  upload?(content: StreamedBody): UpstreamCall;
  /** `id` is ours, for finding it again where the interface has a place for it. */
  create(batch: Readonly<{ id: string; path: string; content: StreamedBody; uploadId: string }>): UpstreamCall;
  /** What an upload or a batch is named by; null when the answer names nothing. */
  readId(body: Buffer): string | null;
  statusPath(upstreamId: string): string;
  /** Null when it is no description of a batch. */
  readStatus(body: Buffer): UpstreamBatchStatus | null;
  cancelPath(upstreamId: string): string;
  /** Those that were made last. */
  listPath: string;
  readList(body: Buffer): readonly ListedBatch[];
  /** A line of the results; null when it is none. */
  readResult(line: string): BatchResult | null;
}>;

export type UpstreamBatchStatus =
  | Readonly<{ state: 'running' }>
  | Readonly<{ state: 'refused' }>
  | Readonly<{ state: 'over'; resultPaths: readonly string[] }>;

/** `ownId` is our own name for it, where the interface tells. */
export type ListedBatch = Readonly<{
  upstreamId: string;
  ownId: string | null;
  lineCount: number;
  createdAtMs: number;
}>;

/** As an ordinary call would have been answered. A status of 0 is for a line that was never run. */
export type BatchResult = Readonly<{ customId: string; status: number; body: Buffer }>;

/** A call as it is about to be sent, for whoever signs it. */
export type CallToSign = Readonly<{
  method: 'GET' | 'POST';
  /** Whole, with its query. */
  url: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: UpstreamCall['body'];
  nowMs: number;
}>;

/** Names and values in turn. */
type Headers = readonly string[];

/** How a token is had that authorizes calls for a while. */
export type TokenGrant = Readonly<{
  /** Grants with one identity share their token. It may hold secrets. */
  identity: string;
  /** What to post, as a form, and where. Throws `AuthorizationError` when the credentials are none. */
  request(nowMs: number): Promise<Readonly<{ url: string; body: string }>>;
}>;

/** Credentials that lead to no authorization. `detail` is for our logs alone and holds no secret. */
export class AuthorizationError extends Error {}

/** Which of the ways that a protocol has for pictures. */
export type Way = 'usual' | 'other';

/** Where a call may go, as far as it decides what can be asked there. */
export type CodecRoute = Readonly<{
  provider: Provider;
  upstreamModel: string;
  model: Readonly<{ traits: Pick<FamilyTraits, 'family'>; outputModalities: readonly string[] }>;
  way?: Way;
}>;

export type Codecs = Readonly<{ [Name in Operation]?: Codec<Name> }>;

export type Protocol = Readonly<{
  /** What makes the call the gateway's own. The token is empty where the protocol grants none. */
  authorize(call: CallToSign, provider: Provider, token: string): Headers | Promise<Headers>;
  /** Missing where the provider's own secret goes with each call. */
  grant?(provider: Provider): TokenGrant;
  codecs: Codecs;
  /** Where what can be asked, or how, depends on the model or the caller's format; `codecs` are then those of most. */
  codecsOf?(route: CodecRoute, request: CanonicalRequest): Codecs;
  /**
   * Other ways to ask the same, for pictures: some providers make them in conversation alone, and some have an endpoint
   * for them alone. The second way is taken where the first is not there.
   */
  otherCodecs?: Codecs;
  /** Where the provider's models are listed; missing where a key alone does not open the list. */
  modelsPath?: string;
  /** Missing where the protocol has no video. */
  videos?: VideoQuestions;
  /** Missing where the protocol has none. */
  batches?: BatchInterface;
  /** For providers that also speak the Responses format; it serves every dialect that can be said in it. */
  responsesCodec?: Codec<'chat'>;
  /** For providers that also have the old completions, and for requests of that format alone. */
  completionsCodec?(request: CanonicalRequest): Codec<'chat'>;
}>;
