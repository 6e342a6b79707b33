// One try at a whole answer: send, collect, decode, and whatever the dialect has to do before it counts. It resolves with
// an outcome, because failover decides by what happened; it rejects only for faults that are our own.

import type { IncomingHttpHeaders } from 'node:http';
import type { AnswerOf, Operation } from '../canonical/operation.ts';
import { assert } from '../platform/assert.ts';
import { failureOfTransport } from '../upstreams/failure.ts';
import type { Decoded } from '../upstreams/protocol.ts';
import type { Receiver, Transport, TransportFailure } from '../upstreams/transport/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { renderContext } from './open-pipe.ts';
import { type AttemptPlan, prepareAttempt } from './prepare-attempt.ts';
import type { Presence } from './presence.ts';

export type WholeAnswer = Extract<Decoded<AnswerOf<Operation>>, { kind: 'answer' }>;

export function attemptWhole(plan: AttemptPlan, transport: Transport, presence: Presence): Promise<AttemptOutcome> {
  return new Promise((resolve, reject) => {
    const { codec, request, call } = prepareAttempt(plan);
    const receiver = new WholeReceiver(
      (status, headers, body) => {
        if (status !== 200) {
          resolve({ kind: 'failed', status, failure: codec.decodeError(status, headers, body) });
          return;
        }
        assert(codec.decode !== undefined, `${request.operation} has no whole answers`);
        const decoded = codec.decode({ headers, body }, request);
        if (decoded.kind === 'failure') {
          resolve({ kind: 'failed', status, failure: decoded.failure });
          return;
        }
        const received = receive(plan, decoded, status);
        // Not resolved with the promise itself: a client that leaves meanwhile must still be able to end the attempt.
        if (received instanceof Promise) received.then(resolve, reject);
        else resolve(received);
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

function receive(
  { call, candidate }: AttemptPlan,
  answer: WholeAnswer,
  status: number,
): AttemptOutcome | Promise<AttemptOutcome> {
  const { dialect } = call;
  const receiving = dialect.receive?.(answer.answer, answer.usage, renderContext(call, candidate.model)) ?? null;
  if (receiving === null) return { kind: 'whole', status, answer };
  return receiving.then((received) => {
    if (received.kind === 'answer') return { kind: 'whole', status, answer: { ...answer, ...received } };
    const { code, publicMessage, detail } = received;
    return { kind: 'failed', status, failure: { kind: 'malformed', code, publicMessage, detail } };
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
