// Carries an open stream to the client and brings the call to its end. Content passes as it comes; the finish is sent
// only after the settlement has committed, so a client that saw it has paid and one that left before has not.

import type { ServerResponse } from 'node:http';
import { zeroUsage } from '../canonical/usage.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { usdNumber } from '../platform/money.ts';
import { failureOfStreamFault, failureToApiError } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { OpenStream, StreamSink } from './attempt-stream.ts';
import type { Call } from './call.ts';
import type { Completion, Ending } from './completion.ts';
import type { KeepAlive, KeptStream } from './keep-alive.ts';
import { meter } from './meter.ts';
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
}>;

/** Resolves when the response has ended, however it ended. The response head must have been written already. */
export function relayStream(parts: RelayParts): Promise<void> {
  return new Promise((resolve) => new StreamRelay(parts, resolve).start());
}

class StreamRelay implements StreamSink, KeptStream {
  readonly #parts: RelayParts;
  readonly #resolve: () => void;
  readonly #hold: OutputHold;
  #isOver = false;
  #isExtending = false;
  hasWritten = true;
  isBlocked = false;

  constructor(parts: RelayParts, resolve: () => void) {
    this.#parts = parts;
    this.#resolve = resolve;
    this.#hold = new OutputHold(parts);
  }

  start(): void {
    const { stream, presence, keepAlive } = this.#parts;
    keepAlive.add(this);
    presence.whenGone(() => this.#abandon());
    if (this.#isOver) return;
    this.onOutput(stream.firstOutput);
    if (!this.#isOver) stream.attach(this);
  }

  onOutput(output: string): void {
    if (this.#isOver) return;
    this.#write(output);
    const { pipe, flight } = this.#parts.stream;
    if (pipe.fault !== null) {
      flight.cancel();
      this.#interrupt(failureOfStreamFault(pipe.fault));
    } else if (pipe.isDone) this.#conclude();
    else this.#extendWhenNeeded();
  }

  onEnd(): void {
    if (this.#isOver) return;
    const { pipe } = this.#parts.stream;
    if (pipe.hasUsage && pipe.hasFinished) this.#conclude();
    else this.#interrupt({ kind: 'malformed', detail: 'the stream ended before its usage record' });
  }

  onFail(failure: UpstreamFailure): void {
    if (this.#isOver) return;
    const { pipe } = this.#parts.stream;
    // The upstream's work is done and counted: a connection lost after that is no failure of the answer.
    if (pipe.hasUsage && pipe.hasFinished) this.#conclude();
    else this.#interrupt(failure);
  }

  writeKeepAlive(): void {
    this.#write(this.#parts.stream.pipe.keepAliveFrame);
  }

  dropClient(): void {
    this.#parts.response.destroy();
  }

  #write(output: string): void {
    if (output === '') return;
    this.hasWritten = true;
    const { response, stream } = this.#parts;
    if (response.write(output, 'latin1') || this.isBlocked) return;
    this.isBlocked = true;
    stream.flight.pause();
    response.once('drain', () => {
      this.isBlocked = false;
      this.#resumeReading();
    });
  }

  #resumeReading(): void {
    if (!this.isBlocked && !this.#isExtending && !this.#isOver) this.#parts.stream.flight.resume();
  }

  #conclude(): void {
    this.#isOver = true;
    const { call, stream, completion, presence } = this.#parts;
    const ending = this.#ending();
    const metered = meter(stream.pipe.usage, {
      request: call.request,
      candidate: ending.candidate,
      reservedNanoUsd: completion.reservation.amountNanoUsd(),
    });
    // From here on the charge stands whether or not the client stays.
    presence.whenGone(null);
    if (metered === null) {
      completion.release(ending);
      this.#end(stream.pipe.finale(zeroUsage, 0));
      return;
    }
    completion.settle(metered, ending).then(
      (chargedNanoUsd) => this.#end(stream.pipe.finale(metered.usage, usdNumber(chargedNanoUsd))),
      () => this.#endWith(new ApiError('http_500', 'The call could not be billed.')),
    );
  }

  #interrupt(failure: UpstreamFailure): void {
    this.#isOver = true;
    this.#parts.completion.absorb(this.#ending(), this.#hold.estimatedUsage(this.#parts.stream.pipe), 'interrupted');
    this.#endWith(failureToApiError(failure));
  }

  #exhaust(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.stream.flight.cancel();
    this.#parts.completion.absorb(this.#ending(), this.#hold.estimatedUsage(this.#parts.stream.pipe), 'exhausted');
    this.#endWith(this.#exhaustion());
  }

  /** A cap that is used up has a remedy of its own; without one it was the balance. */
  #exhaustion(): ApiError {
    const refusal = this.#parts.completion.reservation.refusal();
    if (refusal !== null && refusal.code !== 'insufficient_credits') return refusal;
    const message = 'Your credits ran out while the answer was streaming. Top up and try again.';
    return new ApiError('insufficient_credits', message);
  }

  #abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#parts.stream.flight.cancel();
    this.#parts.completion.absorb(this.#ending(), this.#hold.estimatedUsage(this.#parts.stream.pipe), 'abandoned');
    this.#close();
  }

  #endWith(error: ApiError): void {
    this.#end(this.#parts.stream.pipe.failure(error));
  }

  #end(output: string): void {
    this.#parts.presence.whenGone(null);
    this.#parts.response.end(output, 'latin1');
    this.#close();
  }

  #close(): void {
    this.#parts.keepAlive.remove(this);
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
