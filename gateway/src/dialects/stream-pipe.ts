// What stands between an upstream's stream and a client: bytes in, text for the client out. Whether it splices the
// same format or translates between two, the relay drives it the same way. Everything that finishes an answer is held
// back until `finale`, which is called after the settlement.

import type { FinishReason } from '../canonical/answer.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { StreamFault, StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import type { ApiError } from '../errors/api-error.ts';

export type StreamPipe = {
  /** Takes what one read brought and returns what may go to the client now, as latin1 text (one character a byte). */
  push(chunk: Buffer): string;
  end(): string;
  /** What was held back, with the usage and what was charged for it, and the end mark. */
  finale(usage: Usage, costUsd: number): string;
  /** The dialect's way to end a stream that failed, end mark included. */
  failure(error: ApiError): string;
  /** The dialect's way to say nothing. */
  readonly keepAliveFrame: string;
  /** The upstream has said that it is done. */
  readonly isDone: boolean;
  /** The model has finished, whether or not the usage is known yet. */
  readonly hasFinished: boolean;
  readonly finishReason: string | null;
  /** Null until the upstream has reported a usage, and when what it reported is none. */
  readonly usage: Usage | null;
  /** A usage record has been seen, usable or not. */
  readonly hasUsage: boolean;
  readonly fault: StreamFault | null;
  /** Frames with content so far, and their bytes: how the running cost is estimated. */
  readonly frameCount: number;
  readonly contentBytes: number;
};

/** Stream parts in, a dialect's frames out. Text is ordinary JavaScript text; whoever writes it chooses the bytes. */
export type StreamRenderer = Readonly<{
  /** Frames for one part of content. `usage`, `finish`, `error` and `done` never come here. */
  render(part: StreamPart): string;
  /** Closes what is open and ends the stream, with the usage and what was charged for it. */
  finale(finish: StreamFinish, usage: Usage, costUsd: number): string;
  failure(error: ApiError): string;
  keepAliveFrame: string;
}>;

export type StreamFinish = Readonly<{ reason: FinishReason; native: string | null; stopSequence: string | null }>;

/** What a dialect needs to know to write an answer. */
export type RenderContext = Readonly<{
  /** The generation's id; a dialect may dress it in its own prefix, and must be able to undress it. */
  id: string;
  modelId: string;
  createdSeconds: number;
  /** Some dialects repeat the request in the answer. */
  request: CanonicalRequest;
}>;
