// Carries an open stream to the client and brings the call to its end. Content passes as it comes; the finish is sent
// only after the settlement has committed, so a client that saw it has paid and one that left before has not.

import type { ServerResponse } from 'node:http';
import type { StreamOutput } from '../dialects/stream-pipe.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { failureOfStreamFault, failureToApiError } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { OpenStream, StreamSink } from './attempt-stream.ts';
import { type Billed, bill } from './bill.ts';
import type { Call } from './call.ts';
import { ClientStream } from './client-stream.ts';
import type { Completion, Ending } from './completion.ts';
import type { KeepAlive } from './keep-alive.ts';
import { OutputHold } from './output-hold.ts';
import type { Presence } from './presence.ts';

export type RelayParts = Readonly<{
  call: Call;
  stream: OpenStream;
  ending: Ending;
  completion: Completion;
  response: ServerResponse;
  presence: Presence;
  ledger: Ledger;
  keepAlive: KeepAlive;
  /** The operator charges a stream that its client breaks off, or that runs out of credit, for what was delivered. */
  isAbandonedCharged: boolean;
}>;

/** Resolves when the response has ended, however it ended. The response head must have been written already. */
export function relayStream(parts: RelayParts): Promise<void> {
  return new Promise((resolve) => new StreamRelay(parts, resolve).start());
}

class StreamRelay implements StreamSink {
  readonly #parts: RelayParts;
  readonly #resolve: () => void;
  readonly #hold: OutputHold;
  readonly #client: ClientStream;
  #isOver = false;
  #isExtending = false;
  #isCompleting = false;

  constructor(parts: RelayParts, resolve: () => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.#hold = new OutputHold(parts);
    const { response, stream } = parts;
    this.#client = new ClientStream({
      response,
      pipe: stream.pipe,
      onBlocked: () => stream.flight.pause(),
      onDrained: () => this.#resumeReading(),
    });
  }

  start(): void {
    const { stream, presence, keepAlive } = this.#parts;
    keepAlive.add(this.#client);
    presence.whenGone(() => this.#abandon());
    if (this.#isOver) return;
    this.onOutput(stream.firstOutput);
    if (!this.#isOver) stream.attach(this);
  }

  onOutput(output: StreamOutput): void {
    if (this.#isOver || this.#isCompleting) return;
    this.#client.write(output);
    const { pipe, flight } = this.#parts.stream;
    if (pipe.fault !== null) {
      flight.cancel();
      this.#interrupt(failureOfStreamFault(pipe.fault));
    } else if (pipe.isDone) this.#conclude();
    else this.#extendWhenNeeded();
  }

  onEnd(): void {
    if (this.#isOver || this.#isCompleting) return;
    const { pipe } = this.#parts.stream;
    if (pipe.hasUsage && pipe.hasFinished) this.#conclude();
    else this.#interrupt({ kind: 'malformed', detail: 'the stream ended before its usage record' });
  }

  onFail(failure: UpstreamFailure): void {
    if (this.#isOver || this.#isCompleting) return;
    const { pipe } = this.#parts.stream;
    // The upstream's work is done and counted: a connection lost after that is no failure of the answer.
    if (pipe.hasUsage && pipe.hasFinished) this.#conclude();
    else if (failure.kind === 'bound') this.#chargeDelivered(failureToApiError(failure));
    else this.#interrupt(failure);
  }

  #resumeReading(): void {
    if (!this.#client.isBlocked && !this.#isExtending && !this.#isOver) this.#parts.stream.flight.resume();
  }

  #conclude(): void {
    const completion = this.#parts.stream.pipe.complete?.();
    if (completion === undefined) {
      this.#charge();
      return;
    }
    // A client that leaves meanwhile has not got what it would pay for.
    this.#isCompleting = true;
    const decide = (error: ApiError | null): void => {
      if (this.#isOver) return;
      if (error === null) this.#charge();
      else this.#interrupt(error);
    };
    completion.then(decide, () => decide(new ApiError('pipeline_error', 'The answer could not be completed.')));
  }

  #charge(): void {
    this.#isOver = true;
    const { pipe } = this.#parts.stream;
    // From here on the charge stands whether or not the client stays.
    this.#parts.presence.whenGone(null);
    bill(this.#billed()).then(
      ({ usage, costUsd }) => this.#end(pipe.finale(usage, costUsd)),
      () => this.#endWith(new ApiError('http_500', 'The call could not be billed.')),
    );
  }

  #billed(usage = this.#parts.stream.pipe.usage): Billed {
    const { call, completion } = this.#parts;
    return { call, completion, ending: this.#ending(), usage };
  }

  /** The gateway itself ends a stream that the upstream would have gone on with: what came of it is paid for. */
  #chargeDelivered(error: ApiError | null): void {
    this.#isOver = true;
    const estimated = this.#hold.estimatedUsage(this.#parts.stream.pipe);
    const end = (): void => (error === null ? this.#close() : this.#endWith(error));
    if (estimated.completionTokens > 0) {
      bill(this.#billed(estimated)).then(end, end);
      return;
    }
    this.#parts.completion.absorb(this.#ending(), estimated, 'oversize');
    end();
  }

  #interrupt(cause: UpstreamFailure | ApiError): void {
    this.#isOver = true;
    this.#parts.completion.absorb(this.#ending(), this.#hold.estimatedUsage(this.#parts.stream.pipe), 'interrupted');
    this.#endWith(cause instanceof ApiError ? cause : failureToApiError(cause));
  }

  #exhaust(): void {
    if (this.#isOver) return;
    this.#parts.stream.flight.cancel();
    if (this.#parts.isAbandonedCharged) {
      this.#chargeDelivered(this.#hold.exhaustion());
      return;
    }
    this.#isOver = true;
    this.#parts.completion.absorb(this.#ending(), this.#hold.estimatedUsage(this.#parts.stream.pipe), 'exhausted');
    this.#endWith(this.#hold.exhaustion());
  }

  #abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { stream, completion } = this.#parts;
    stream.flight.cancel();
    if ((this.#client.isDropped || this.#parts.isAbandonedCharged) && stream.pipe.raw === undefined) {
      this.#chargeDelivered(null);
      return;
    }
    if (stream.pipe.raw !== undefined) {
      const close = (): void => this.#close();
      bill(this.#billed()).then(close, close);
      return;
    }
    completion.absorb(this.#ending(), this.#hold.estimatedUsage(stream.pipe), 'abandoned');
    this.#close();
  }

  #endWith(error: ApiError): void {
    const { pipe } = this.#parts.stream;
    if (pipe.raw === undefined) {
      this.#end(pipe.failure(error));
      return;
    }
    // Half a file must not look like a whole one.
    this.#parts.presence.whenGone(null);
    this.#parts.response.destroy();
    this.#close();
  }

  #end(output: string): void {
    this.#parts.presence.whenGone(null);
    this.#parts.response.end(output, 'latin1');
    this.#close();
  }

  #close(): void {
    this.#parts.keepAlive.remove(this.#client);
    this.#resolve();
  }

  #ending(): Ending {
    return { ...this.#parts.ending, finishReason: this.#parts.stream.pipe.finishReason };
  }

  #extendWhenNeeded(): void {
    const extended = this.#hold.cover(this.#parts.stream.pipe);
    if (extended === false) this.#exhaust();
    else if (extended !== true) this.#awaitExtension(extended);
  }

  /** Nothing more is read meanwhile: what is not held yet must not be streamed either. */
  #awaitExtension(extended: Promise<boolean>): void {
    this.#isExtending = true;
    this.#parts.stream.flight.pause();
    const decide = (isHeld: boolean): void => {
      this.#isExtending = false;
      if (isHeld) this.#resumeReading();
      else this.#exhaust();
    };
    extended.then(decide, () => decide(false));
  }
}
