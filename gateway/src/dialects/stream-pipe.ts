// What stands between an upstream's stream and a client: bytes in, output for the client out. Whether it splices one
// format, translates between two or passes a file through, the pipeline uses it in the same way. Everything that
// finishes an answer is held back until `finale`, which is called after the settlement.

import type { OutputReview } from '../canonical/answer.ts';
import type { Format } from '../canonical/format.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { DecoderWishes, StreamDecoder, StreamFault, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';

/** Bytes, or latin1 text (one character a byte). */
export type StreamOutput = string | Buffer;

export type StreamPipe = {
  /** Absent where the stream is one of events. */
  readonly raw?: RawStream;
  /** Takes what one read brought and returns what may go to the client now. */
  push(chunk: Buffer): StreamOutput;
  end(): StreamOutput;
  /**
   * Work on what was held back before it can be paid for; an error is how the stream then ends. Called once, after
   * everything has come. Absent, or undefined, where there is nothing to do.
   */
  complete?(): Promise<ApiError | null> | undefined;
  /** Ends the answer where it is, as one that has reached its limit: the finale says so. Present where a caller has a limit. */
  cut?(): void;
  /** What was held back, with the usage and the charge, and the end mark. */
  finale(usage: Usage, costUsd: number): string;
  /** How the dialect ends a stream that failed, end mark included. */
  failure(error: ApiError): string;
  /** The dialect's keep-alive frame. */
  readonly keepAliveFrame: string;
  /** The upstream has sent its end mark. */
  readonly isDone: boolean;
  /** The model has finished, with every choice, whether or not the usage is known yet. */
  readonly hasFinished: boolean;
  /** Anything of the answer has come, also what the client is not shown, or not yet. */
  readonly hasSpoken: boolean;
  readonly finishReason: string | null;
  /** Null until the upstream has reported usage, and when what it reported is invalid. */
  readonly usage: Usage | null;
  /** A usage record has been seen, usable or not. */
  readonly hasUsage: boolean;
  readonly fault: StreamFault | null;
  /** What it keeps in memory of what has come: an event that is not complete, or what waits for the finale. */
  readonly keptBytes: number;
  /** Frames with content so far, and their bytes, from which the running cost is estimated. */
  readonly frameCount: number;
  readonly contentBytes: number;
};

/**
 * A stream that is a file: no frame can be added to it, so a failure cuts the connection. It is charged as soon as it
 * has begun, whether or not the client stays to the end.
 */
export type RawStream = Readonly<{
  /** Whether a file of this media type can be the answer; asked once, when the answer begins. */
  accepts(contentType: string): boolean;
  /** The content type that the client is told. */
  contentType: string;
}>;

/** What a pipe may need of the upstream's codec; the functions are set where streams are conversations. */
export type StreamSource = Readonly<{
  format: Format;
  /** Reads a usage record in a stream. */
  readUsage?(value: unknown): Usage | null;
  /** For a dialect of another format. */
  createStreamDecoder?(wishes?: DecoderWishes): StreamDecoder;
}>;

/**
 * Takes stream parts and gives a dialect's frames. Text is ordinary JavaScript text; the writer chooses the encoding.
 */
export type StreamRenderer = Readonly<{
  /** Frames for one part of content. `usage`, `finish`, `error` and `done` never come here. */
  render(part: StreamPart): string;
  /** Closes what is open and ends the stream, with the usage and the charge. */
  finale(finish: StreamFinish, usage: Usage, costUsd: number): string;
  failure(error: ApiError): string;
  keepAliveFrame: string;
}>;

export type StreamFinish = Omit<Extract<StreamPart, { type: 'finish' }>, 'type'>;

/** What a dialect needs to know to write an answer. */
export type RenderContext<Request = ConversationRequest> = Readonly<{
  /** The generation's id; a dialect may add its own prefix, and must be able to remove it. */
  id: string;
  modelId: string;
  createdSeconds: number;
  /** Some dialects repeat the request in the answer. */
  request: Request;
  /** The model makes pictures, whether or not it was asked to. */
  makesImages?: boolean;
  /** Whose pictures are kept: the account that is charged. */
  owner?: string;
  /** Since the call came in. */
  elapsedMs?(): number;
  /** The rules that the answer is checked against; null for nearly all calls. */
  review?: OutputReview | null;
}>;
