// Collects an answer that is of use only as a whole, for questions that are not calls of customers.

import type { IncomingHttpHeaders } from 'node:http';
import type { Receiver, TransportFailure } from './transport.ts';

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
