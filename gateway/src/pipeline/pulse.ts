// Keeps a client that waits for events from giving up: once a minute it gets a sign of life, from the first minute on,
// also while nobody has answered yet. A failure within that minute is still an ordinary error answer; after it, the
// answer has begun, and the failure is an event.

import type { Pulse } from '../dialects/dialect.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import { startEventStream } from '../http/sse.ts';
import type { Clock } from '../platform/clock.ts';
import type { Call } from './call.ts';

/** Specification, Events: a heartbeat every 60 s. */
const BEAT_MS = 60_000;

/** Null for calls whose clients expect none, which are nearly all. */
export function startPulse(exchange: Exchange, call: Call, clock: Clock): ClientPulse | null {
  const pulse = call.dialect.pulse?.(call.request) ?? null;
  return pulse === null ? null : new ClientPulse(exchange, call, pulse, clock);
}

export class ClientPulse {
  readonly #exchange: Exchange;
  readonly #pulse: Pulse;
  readonly stop: () => void;
  #hasBegun = false;

  constructor(exchange: Exchange, { generationId }: Call, pulse: Pulse, clock: Clock) {
    this.#exchange = exchange;
    this.#pulse = pulse;
    this.stop = clock.every(BEAT_MS, () => this.#beat(generationId));
  }

  #beat(generationId: string): void {
    const { response } = this.#exchange;
    if (response.writableEnded || response.destroyed) return;
    if (!response.headersSent) {
      this.#hasBegun = true;
      startEventStream(this.#exchange, ['X-Generation-Id', generationId]);
    }
    response.write(this.#pulse.frame);
  }

  /** Tells the client where its answer has begun with a sign of life; else whoever catches the error does. */
  fail(error: unknown): void {
    const { response } = this.#exchange;
    if (this.#hasBegun && !response.writableEnded) response.end(this.#pulse.failure(asApiError(error)));
  }
}
