// A protocol: how a prepared call is signed, and one codec for each operation. An operation without a codec is not
// supported, and routing sees that before anything is sent. All of it is pure; transport/ does the I/O.

import type { IncomingHttpHeaders } from 'node:http';
import type { Format } from '../canonical/format.ts';
import type { Candidate, FamilyTraits, Provider } from '../canonical/model.ts';
import type { AnswerOf, CanonicalRequest, Operation, RequestOf } from '../canonical/operation.ts';
import type { DecoderWishes, StreamDecoder } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { UpstreamVideo } from '../canonical/video.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { ContextOverflow } from '../errors/context-overflow.ts';

/** A body too large for memory, of a known length; opened again for every attempt. */
export type StreamedBody = Readonly<{ byteLength: number; open(): AsyncIterable<Buffer> }>;

/** In memory; a long one may be in pieces, which are shared with others. */
export type WholeBody = string | Buffer | readonly Buffer[];

/** For whoever needs it in one piece. */
export const joined = (body: WholeBody): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : Buffer.concat(body);

export type UpstreamCall = Readonly<{
  /** Appended to the provider's base URL. */
  path: string;
  body: WholeBody | StreamedBody;
  /** JSON by default. */
  contentType?: string;
  /** By default an event stream or JSON, by whether the call streams. */
  accept?: string;
}>;

/** A call whose body is text, as nearly all are. */
export type TextCall = UpstreamCall & Readonly<{ body: WholeBody }>;

/** A whole answer with status 200. */
export type UpstreamReply = Readonly<{ headers: IncomingHttpHeaders; body: Buffer }>;

/** How an attempt failed. `detail` is for our logs only: it may contain the upstream's own text. */
export type UpstreamFailure = Readonly<{ detail: string }> &
  Readonly<
    | {
        kind: 'rate_limited';
        retryAfterSeconds: number | null;
        /** This one request is more than the account may send in a minute; smaller ones would pass. */
        isRequestTooLarge?: true;
      }
    /** The provider refuses the gateway's own key or account: altogether, or for this one model. */
    | { kind: 'auth_failed'; isOfModel?: boolean }
    | {
        kind: 'unavailable';
        retryAfterSeconds: number | null;
        /** A caller can bring it about: another try may do better, and the provider is not at fault. */
        isProvoked?: boolean;
        /** What the upstream states to have used all the same. */
        used?: Usage;
      }
    /** The request itself is wrong: no other provider would take it either. */
    | {
        kind: 'rejected';
        code: ErrorCode;
        publicMessage: string;
        overflow?: ContextOverflow;
        /**
         * The upstream refuses reasoning that was sealed for another account or conversation; without it the call would
         * pass.
         */
        isReasoningForeign?: true;
      }
    /** This provider cannot do what is asked; another provider of the same model may. */
    | { kind: 'unsupported'; code: ErrorCode; publicMessage: string }
    | { kind: 'model_missing' }
    | { kind: 'unreachable' }
    | { kind: 'timeout' }
    /** The answer exceeded a bound of the gateway on bytes or time, which is not the provider's fault. */
    | {
        kind: 'bound';
        code: ErrorCode;
        publicMessage: string;
        retryAfterSeconds?: number;
        /** Not the caller's doing either: the answers of others leave no room. */
        isOfOthers?: boolean;
      }
    /** The upstream answered, but not with an answer. */
    | { kind: 'malformed'; code?: ErrorCode; publicMessage?: string }
  >;

export type Decoded<Answer> =
  | Readonly<{
      kind: 'answer';
      answer: Answer;
      /** Null when there was no usage, or none that can be believed. */
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
   * Pure and repeatable: failover runs it again for the next candidate. `headers` are names and values in turn that the
   * client sent, for formats that have a place for them.
   */
  encode(request: RequestOf<Name>, candidate: Candidate, headers?: readonly string[]): UpstreamCall;
  /** Those of the client's headers that the provider takes; all of them where this is missing. */
  headersFrom?(headers: readonly string[], request: RequestOf<Name>): readonly string[];
  /** Pictures must be in the request itself: the gateway fetches those that the caller names by an address. */
  embedsPictures?: true;
  /**
   * The provider fetches addresses, except the gateway's own: pictures that the gateway keeps are put into the request.
   */
  embedsKeptPictures?: true;
  /** The provider runs no tools by itself; those that the caller offers are left out. */
  lacksHostedTools?: true;
  /** The provider searches only where the caller offers no tools of its own; with them, the search is left out. */
  searchesAlone?: true;
  /** It writes an order of its own, in which extras of the caller's body have no place. */
  omitsExtras?: true;
  /** `request` is what was refused; without it a refusal that it could have provoked counts as provoked. */
  decodeError(
    status: number,
    headers: IncomingHttpHeaders,
    body: Buffer,
    request?: RequestOf<Operation>,
  ): UpstreamFailure;
  /** Missing where answers are only streamed. */
  decode?(reply: UpstreamReply, request: RequestOf<Name>, route: CodecRoute): Decoded<AnswerOf<Name>>;
  /** Bounds a whole answer, where the usual bound is too small. */
  answerBytesMax?: number;
  /** Reads a usage record in a stream of events. */
  readUsage?(value: unknown): Usage | null;
  /** Makes a reframer for a stream whose bytes are packed differently from its format. */
  createReframer?(request: RequestOf<Name>): Reframer;
  /** Makes a decoder for a stream of events, for a dialect of another format, or where the answer is reviewed. */
  createStreamDecoder?(wishes?: DecoderWishes): StreamDecoder;
}>;

/** Takes bytes as they came and gives them as the codec's format has them. */
export type Reframer = Readonly<{
  /** How many of the bytes that came are still in memory. */
  keptBytes: number;
  push(chunk: Buffer): Buffer;
  end(): Buffer;
  /** Where the connection breaks: what is complete and was only held back, for nothing more will come. */
  release(): Buffer;
}>;

/** The requests about a video after an upstream has taken it. Paths are appended to the provider's base URL. */
export type VideoQuestions = Readonly<{
  jobPath(jobId: string): string;
  contentPath(jobId: string, index: number): string;
  /** Null when it does not describe a job. */
  decodeJob(body: Buffer): UpstreamVideo | null;
  /** Lists the latest jobs. */
  listPath: string;
  decodeList(body: Buffer): readonly ListedVideo[];
}>;

/** A job in an upstream's list, with what may distinguish it from others. */
export type ListedVideo = Readonly<{ id: string; createdAtMs: number | null; prompt: string; seconds: string }>;

/** A provider's own interface for batches. Paths are appended to the provider's base URL. */
export type BatchInterface = Readonly<{
  /** Whether its lines may be calls to this path. */
  takes(path: string): boolean;
  encodeLine(customId: string, path: string, body: Buffer): Buffer;
  /** The text around the lines, and between them. */
  frame: Readonly<{ opening: string; between: string; closing: string }>;
  /** Uploads the lines first; the id of the upload then goes into `create`. */
  upload?(content: StreamedBody): UpstreamCall;
  /** `id` is ours, to find the batch again where the interface has a place for it. */
  create(batch: Readonly<{ id: string; path: string; content: StreamedBody; uploadId: string }>): UpstreamCall;
  /** The id of an upload or a batch; null when the answer has none. */
  readId(body: Buffer): string | null;
  statusPath(upstreamId: string): string;
  /** Null when it does not describe a batch. */
  readStatus(body: Buffer): UpstreamBatchStatus | null;
  cancelPath(upstreamId: string): string;
  /** Lists the latest batches. */
  listPath: string;
  readList(body: Buffer): readonly ListedBatch[];
  /** A line of the results; null when it is not one. */
  readResult(line: string): BatchResult | null;
}>;

export type UpstreamBatchStatus =
  | Readonly<{ state: 'running' }>
  | Readonly<{ state: 'refused' }>
  | Readonly<{ state: 'over'; resultPaths: readonly string[] }>;

/** `ownId` is our own id for it, where the interface returns it. */
export type ListedBatch = Readonly<{
  upstreamId: string;
  ownId: string | null;
  lineCount: number;
  createdAtMs: number;
}>;

/** As an ordinary call would have been answered. Status 0 is for a line that was never run. */
export type BatchResult = Readonly<{ customId: string; status: number; body: Buffer }>;

/** A call that is about to be sent, for signing. */
export type CallToSign = Readonly<{
  method: 'GET' | 'POST';
  /** The complete address, with its query. */
  url: string;
  /** Names and values in turn. */
  headers: readonly string[];
  body: UpstreamCall['body'];
  nowMs: number;
}>;

/** Names and values in turn. */
type Headers = readonly string[];

/** How to obtain a token that authorizes calls for a while. */
export type TokenGrant = Readonly<{
  /** Grants with the same identity share their token. It may contain secrets. */
  identity: string;
  /** The form to post, and where. Throws `AuthorizationError` when the credentials cannot be used. */
  request(nowMs: number): Promise<Readonly<{ url: string; body: string }>>;
}>;

/** Credentials that cannot be used. `detail` is for our logs only and contains no secret. */
export class AuthorizationError extends Error {}

/** One of the ways that a protocol has for pictures and transcriptions. */
export type Way = 'usual' | 'other';

/** The provider and model that a call may go to, as far as they decide what can be asked. */
export type CodecRoute = Readonly<{
  provider: Provider;
  upstreamModel: string;
  model: Readonly<{ traits: Pick<FamilyTraits, 'family'>; outputModalities: readonly string[] }>;
  way?: Way;
}>;

export type Codecs = Readonly<{ [Name in Operation]?: Codec<Name> }>;

export type Protocol = Readonly<{
  /** The headers that authorize the call. The token is empty where the protocol needs none. */
  authorize(call: CallToSign, provider: Provider, token: string): Headers | Promise<Headers>;
  /** Missing where the provider's own secret is sent with each call. */
  grant?(provider: Provider): TokenGrant;
  codecs: Codecs;
  /** For protocols in which the codecs depend on the model or the caller's format; `codecs` are then those of most. */
  codecsOf?(route: CodecRoute, request: CanonicalRequest): Codecs;
  /**
   * Another way to ask for pictures: some providers make them only in conversations, and some have only an endpoint for
   * them. The second way is used where the first does not exist. For transcriptions, the long form of answers.
   */
  otherCodecs?: Codecs;
  /** Where the provider's models are listed; missing where a key is not enough to read the list. */
  modelsPath?: string;
  /** Missing where the protocol has no video. */
  videos?: VideoQuestions;
  /** Missing where the protocol has none. */
  batches?: BatchInterface;
  /**
   * For providers that also speak the Responses format; it serves every dialect whose request can be expressed in it.
   */
  responsesCodec?: Codec<'chat'>;
  /** For providers that also have the old completions; only for requests of that format. */
  completionsCodec?(request: CanonicalRequest): Codec<'chat'>;
}>;
