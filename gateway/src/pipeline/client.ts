// The client's side of an answer. A stream has a head, what is written, whether the client keeps up, and a sign of life
// for the keep-alive ticker, also while nobody has answered yet; a whole answer is shown once, with what it was
// charged.

import { type Content, EVENTS_TYPE } from '../canonical/answer.ts';
import type { Candidate } from '../canonical/model.ts';
import type { Bill } from '../dialects/dialect.ts';
import type { StreamOutput, StreamPipe } from '../dialects/stream-pipe.ts';
import type { Exchange, HttpResponse } from '../http/exchange.ts';
import { sendBytes, startFile } from '../http/respond.ts';
import { sendEvents, startEventStream } from '../http/sse.ts';
import { assert } from '../platform/assert.ts';
import type { WholeAnswer } from './attempts/attempt-parts.ts';
import { type Call, GENERATION_HEADER, renderContext } from './call.ts';
import type { KeptStream } from './keep-alive.ts';
import { leftOutTools } from './money/hosted-tools.ts';

export type StreamOwner = Readonly<{
  /** How the stream of the upstream that is being asked is read; null before there is one. */
  pipe(): StreamPipe | null;
  /** The client reads slower than the upstream writes; the upstream is not read until the client has caught up. */
  onBlocked(): void;
  onDrained(): void;
}>;

export class ClientStream implements KeptStream {
  readonly #exchange: Exchange;
  readonly #response: HttpResponse;
  readonly #generationId: string;
  readonly #source: StreamOwner;
  place = -1;
  quietTicks = 0;
  hasWritten = false;
  isBlocked = false;
  /** The gateway has given up on a client that reads nothing. */
  isDropped = false;

  constructor(exchange: Exchange, generationId: string, source: StreamOwner) {
    this.#generationId = generationId;
    this.#exchange = exchange;
    this.#response = exchange.response;
    this.#source = source;
  }

  get hasBegun(): boolean {
    return this.#response.headersSent;
  }

  begin(pipe: StreamPipe): void {
    if (this.hasBegun) return;
    if (pipe.raw === undefined) startEventStream(this.#exchange);
    else startFile(this.#exchange, pipe.raw.contentType);
  }

  write(output: StreamOutput): void {
    if (output.length === 0) return;
    this.hasWritten = true;
    if (this.#response.write(output, 'latin1') || this.isBlocked) return;
    this.isBlocked = true;
    this.#source.onBlocked();
    this.#response.once('drain', () => {
      this.isBlocked = false;
      this.#source.onDrained();
    });
  }

  writeKeepAlive(): void {
    const pipe = this.#source.pipe();
    if (pipe === null || pipe.raw !== undefined) return;
    if (!this.hasBegun) startEventStream(this.#exchange, [GENERATION_HEADER, this.#generationId]);
    this.write(pipe.keepAliveFrame);
  }

  end(output: string): void {
    this.#response.end(output, 'latin1');
  }

  fail(output: string, isCharged: boolean): void {
    if (!isCharged) this.#response.breakOff();
    this.end(output);
  }

  /** Cuts the connection, so that half a file does not look like a whole one. */
  cut(): void {
    this.#response.destroy();
  }

  dropClient(): void {
    this.isDropped = true;
    this.#response.destroy();
  }
}

// Shows a whole answer to the client, with what it was charged, in the client's own format.

type Paid = Readonly<{ call: Call; candidate: Candidate; answer: WholeAnswer; bill: Bill }>;

/** Headers of an answer that is certain to succeed. */
export function pushSuccessHeaders({ headers }: Exchange, call: Call, candidate: Candidate): void {
  const { generationId, auto, request } = call;
  headers.push(GENERATION_HEADER, generationId);
  const left = leftOutTools(request, candidate);
  if (left !== null) headers.push('x-tollgate-left-out', left);
  const exhausted = candidate.freeShare?.exhausted ?? null;
  if (exhausted !== null) headers.push('x-tollgate-free-fallback', exhausted);
  if (auto !== null) headers.push('X-Auto-Resolved-Model', candidate.model.id);
}

/** A promise only where the answer has to be made ready, as pictures are. */
export function sendAnswer(exchange: Exchange, { call, candidate, answer, bill }: Paid): undefined | Promise<void> {
  const { dialect } = call;
  assert(dialect.render !== undefined, `${dialect.operation} has no whole answers`);
  const content = dialect.render(answer.answer, renderContext(call, candidate.model), bill);
  if (content instanceof Promise) return content.then((ready) => send(exchange, ready));
  send(exchange, content);
  return undefined;
}

function send(exchange: Exchange, content: Content): void {
  if (content.type === EVENTS_TYPE) sendEvents(exchange, content.body);
  else sendBytes(exchange, 200, content);
}
