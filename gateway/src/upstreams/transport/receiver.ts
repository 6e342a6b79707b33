// What is sent to an upstream, and who hears of its answer: piece by piece, or as a whole for questions that are not
// calls of customers.

import type { IncomingHttpHeaders } from 'node:http';
import type { CallAuthorization } from './authorization.ts';

export type TransportCall = Readonly<{
  baseUrl: string;
  /** Whose address it is, where it is a customer's: every connection is checked, and shared with nobody else's calls. */
  guardedFor?: string;
  /** POST unless said; a question has no body. */
  method?: 'GET';
  path: string;
  headers: readonly string[];
  /** What signs it when it is sent; nothing for an address that asks for nothing. */
  authorization?: CallAuthorization;
  /** A stream is opened once, when the call is sent; its length must be right, since it is announced. */
  body: string | Buffer | Readonly<{ byteLength: number; open(): AsyncIterable<Buffer> }>;
  /** Connecting is bounded by the pool as well. */
  timeouts: Readonly<{ connectMs?: number; firstByteMs: number; idleMs: number; totalMs: number }>;
  /** Bounds everything the upstream may send in answer, after decoding. */
  responseBytesMax: number;
}>;

export type TransportFailure = Readonly<{
  kind: 'unreachable' | 'reset' | 'timeout' | 'overtime' | 'oversize' | 'undecodable' | 'unauthorized';
  detail: string;
  /** No byte of the call was ever sent, so that whatever it asks for has certainly not been done. */
  isUnsent: boolean;
}>;

/** Exactly one of `onEnd` and `onFail` is called, last; neither after `cancel`. */
export type Receiver = {
  /** Keeps the pieces until the end, so that nothing is gained by joining them before. */
  readonly isCollecting?: boolean;
  onStart(status: number, headers: IncomingHttpHeaders): void;
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

type OnAnswer = (status: number, headers: IncomingHttpHeaders, body: Buffer) => void;

/** Collects an answer. Most fit one read, which is then used as it is. */
export class WholeReceiver implements Receiver {
  readonly #onAnswer: OnAnswer;
  readonly #onFail: (failure: TransportFailure) => void;
  readonly #chunks: Buffer[] = [];
  #status = 0;
  #headers: IncomingHttpHeaders = {};

  constructor(onAnswer: OnAnswer, onFail: (failure: TransportFailure) => void) {
    this.#onAnswer = onAnswer;
    this.#onFail = onFail;
  }

  onStart(status: number, headers: IncomingHttpHeaders): void {
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
