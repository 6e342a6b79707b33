// A call to an upstream, and the receiver of its answer: piece by piece, or as a whole for questions that are not
// customers' calls.

import type { AnswerHeaders } from './answer-headers.ts';
import type { CallAuthorization } from './authorization.ts';

export type TransportCall = Readonly<{
  baseUrl: string;
  /**
   * The customer who owns the address, where one does: every connection is checked, and not shared with others' calls.
   */
  guardedFor?: string;
  /** POST by default; a GET has no body. */
  method?: 'GET';
  path: string;
  headers: readonly string[];
  /** Signs the call when it is sent; missing for an address that needs no credentials. */
  authorization?: CallAuthorization;
  /** A stream is opened once, when the call is sent; its length is announced, so it must be right. */
  body: string | Buffer | readonly Buffer[] | Readonly<{ byteLength: number; open(): AsyncIterable<Buffer> }>;
  /**
   * It does no harm where it arrives twice, so it is sent once more where a used connection was closed as it came. A GET
   * always is.
   */
  isRepeatable?: boolean;
  /** The pool bounds connecting as well. */
  timeouts: Readonly<{ connectMs?: number; firstByteMs: number; idleMs: number; totalMs: number }>;
  /** Bounds everything the upstream may send in answer, after decoding. */
  responseBytesMax: number;
}>;

export type TransportFailure = Readonly<{
  kind: 'unreachable' | 'reset' | 'timeout' | 'overtime' | 'oversize' | 'undecodable' | 'unauthorized';
  detail: string;
  /** No byte of the call was sent, so the upstream has certainly done nothing. */
  isUnsent: boolean;
}>;

/** Exactly one of `onEnd` and `onFail` is called, last; neither after `cancel`. */
export type Receiver = {
  onStart(status: number, headers: AnswerHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onFail(failure: TransportFailure): void;
};

export type Flight = Readonly<{
  pause(): void;
  resume(): void;
  cancel(): void;
}>;

export type Transport = Readonly<{
  send(call: TransportCall, receiver: Receiver): Flight;
  close(): Promise<void>;
}>;

type OnAnswer = (status: number, headers: AnswerHeaders, body: Buffer) => void;

/** Collects an answer. Most fit into one read, which is then used without a copy. */
export class WholeReceiver implements Receiver {
  readonly #onAnswer: OnAnswer;
  readonly #onFail: (failure: TransportFailure) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: AnswerHeaders = {};

  constructor(onAnswer: OnAnswer, onFail: (failure: TransportFailure) => void) {
    this.#onAnswer = onAnswer;
    this.#onFail = onFail;
  }

  onStart(status: number, headers: AnswerHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onData(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onEnd(): void {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks);
    this.#onAnswer(this.#status, this.#headers, body);
  }

  onFail(failure: TransportFailure): void {
    this.#onFail(failure);
  }
}
