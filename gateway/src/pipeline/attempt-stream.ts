// One try at a stream. It is decided as soon as the first piece for the client exists: until then a failure can still
// move on to the next candidate, from then on the stream belongs to the relay and is never tried again.

import type { IncomingHttpHeaders } from 'node:http';
import type { StreamOutput, StreamPipe } from '../dialects/stream-pipe.ts';
import { failureOfStreamFault, failureOfTransport } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { Flight, Receiver, Transport, TransportFailure } from '../upstreams/transport/transport.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { openPipe } from './open-pipe.ts';
import { type AttemptPlan, type PreparedAttempt, prepareAttempt } from './prepare-attempt.ts';
import type { Presence } from './presence.ts';

/** A stream that has begun. `firstOutput` is what the client is to get first; the rest goes to the sink. */
export type OpenStream = Readonly<{
  pipe: StreamPipe;
  flight: Flight;
  firstOutput: StreamOutput;
  attach(sink: StreamSink): void;
}>;

export type StreamSink = {
  onOutput(output: StreamOutput): void;
  onEnd(): void;
  onFail(failure: UpstreamFailure): void;
};

const ERROR_BYTES_MAX = 64 * 1024;

export function attemptStream(plan: AttemptPlan, transport: Transport, presence: Presence): Promise<AttemptOutcome> {
  return new Promise((resolve) => {
    const prepared = prepareAttempt(plan);
    const pipe = openPipe(plan, prepared.codec);
    const receiver = new StreamReceiver(pipe, prepared, resolve);
    const flight = transport.send(prepared.call, receiver);
    receiver.flight = flight;
    presence.whenGone(() => {
      flight.cancel();
      resolve({ kind: 'abandoned' });
    });
  });
}

class StreamReceiver implements Receiver {
  readonly #pipe: StreamPipe;
  readonly #prepared: PreparedAttempt;
  readonly #resolve: (outcome: AttemptOutcome) => void;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Set when the answer is not what the pipe takes: its body is then read as an error, or as malformed. */
  #errorChunks: Buffer[] | null = null;
  #errorBytes = 0;
  #isOpen = false;
  #hasEnded = false;
  #sink: StreamSink | null = null;
  flight: Flight | null = null;

  constructor(pipe: StreamPipe, prepared: PreparedAttempt, resolve: (outcome: AttemptOutcome) => void) {
    this.#pipe = pipe;
    this.#prepared = prepared;
    this.#resolve = resolve;
  }

  onStart(status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
    const { raw } = this.#pipe;
    const type = headers['content-type'] ?? '';
    const isTaken = raw === undefined ? type.startsWith('text/event-stream') : raw.accepts(type);
    if (status !== 200 || !isTaken) this.#errorChunks = [];
  }

  onData(chunk: Buffer): void {
    if (this.#errorChunks !== null) {
      this.#errorBytes += chunk.length;
      if (this.#errorBytes <= ERROR_BYTES_MAX) this.#errorChunks.push(chunk);
      return;
    }
    this.#advance(this.#pipe.push(chunk));
  }

  onEnd(): void {
    if (this.#errorChunks !== null) {
      this.#failAnswer(Buffer.concat(this.#errorChunks));
      return;
    }
    this.#hasEnded = true;
    const output = this.#pipe.end();
    if (!this.#isOpen) this.#advance(output);
    else if (output.length > 0) this.#sink?.onOutput(output);
    if (!this.#isOpen) this.#failed({ kind: 'malformed', detail: 'the stream ended without content' });
    else this.#sink?.onEnd();
  }

  onFail(failure: TransportFailure): void {
    if (this.#isOpen) this.#sink?.onFail(failureOfTransport(failure));
    else this.#failed(failureOfTransport(failure));
  }

  #advance(output: StreamOutput): void {
    if (this.#isOpen) {
      this.#sink?.onOutput(output);
      return;
    }
    const { fault } = this.#pipe;
    if (fault !== null && output.length === 0) {
      this.flight?.cancel();
      this.#failed(failureOfStreamFault(fault));
    } else if (output.length > 0 || this.#pipe.hasFinished || this.#pipe.isDone) this.#open(output);
  }

  #open(firstOutput: StreamOutput): void {
    const { flight } = this;
    if (flight === null) return;
    this.#isOpen = true;
    // Nothing more is read until the relay has attached itself.
    flight.pause();
    const attach = (sink: StreamSink): void => {
      this.#sink = sink;
      if (this.#hasEnded) sink.onEnd();
      else flight.resume();
    };
    const stream = { pipe: this.#pipe, flight, firstOutput, attach };
    this.#resolve({ kind: 'stream', status: this.#status, stream });
  }

  #failAnswer(body: Buffer): void {
    const { codec, request } = this.#prepared;
    if (this.#status !== 200) {
      this.#failed(codec.decodeError(this.#status, this.#headers, body));
      return;
    }
    const decoded = codec.decode?.({ headers: this.#headers, body }, request);
    const isFailure = decoded?.kind === 'failure';
    this.#failed(isFailure ? decoded.failure : { kind: 'malformed', detail: 'the answer is no stream' });
  }

  #failed(failure: UpstreamFailure): void {
    this.#resolve({ kind: 'failed', status: this.#status, failure });
  }
}
