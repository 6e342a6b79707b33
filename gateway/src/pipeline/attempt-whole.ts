// One try at a whole answer: send, collect, decode. It resolves with an outcome and never rejects, because failover
// decides by what happened, not by what was thrown.

import type { IncomingHttpHeaders } from 'node:http';
import { failureOfTransport } from '../upstreams/failure.ts';
import type { Codec, Decoded } from '../upstreams/protocol.ts';
import type { Receiver, Transport, TransportFailure } from '../upstreams/transport/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { type AttemptPlan, prepareAttempt } from './prepare-attempt.ts';
import type { Presence } from './presence.ts';

/** What came, and the codec that can make sense of it. */
export type WholeAnswer = Extract<Decoded, { kind: 'answer' }> & Readonly<{ codec: Codec }>;

const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export function attemptWhole(plan: AttemptPlan, transport: Transport, presence: Presence): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const { codec, call } = prepareAttempt(plan, ANSWER_BYTES_MAX);
    const receiver = new WholeReceiver(
      (status, headers, body) => {
        if (status !== 200) {
          resolve({ kind: 'failed', status, failure: codec.decodeError(status, headers, body) });
          return;
        }
        const decoded = codec.decode(body);
        if (decoded.kind === 'answer') resolve({ kind: 'whole', status, answer: { ...decoded, codec } });
        else resolve({ kind: 'failed', status, failure: decoded.failure });
      },
      (failure) => resolve({ kind: 'failed', status: 0, failure: failureOfTransport(failure) }),
    );
    const flight = transport.send(call, receiver);
    presence.whenGone(() => {
      flight.cancel();
      resolve({ kind: 'abandoned' });
    });
  });
}

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
