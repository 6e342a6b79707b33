// One ticker for all streams. It writes a comment to streams that have been silent, so that no proxy between us and the
// client gives up; sends the head of streams whose upstream is slow to begin; and drops clients that have stopped
// reading.

import type { Pulse } from '../dialects/dialect.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import { startEventStream } from '../http/sse.ts';
import type { Clock } from '../platform/clock.ts';
import { Roster, type RosterMember } from '../platform/roster.ts';
import { type Call, GENERATION_HEADER } from './call.ts';

export type KeptStream = RosterMember & {
  /** How many ticks have passed without a write; changed by the ticker only. */
  quietTicks: number;
  /** Set by every write; cleared by the ticker. */
  hasWritten: boolean;
  isBlocked: boolean;
  /** The head of the answer has left. Until then a failure can be told as an ordinary error. */
  readonly hasBegun: boolean;
  /** Begins the stream where it has not begun. */
  writeKeepAlive(): void;
  dropClient(): void;
};

const TICK_MS = 2_500;
/** Every 15 seconds. */
const SILENT_TICKS = 6;
/**
 * The head leaves after five to seven seconds without data. Refusals, retries and failover take less time, and until
 * then a client gets a real status instead of an error event; proxies and clients that wait for a head give up after
 * ten seconds at the earliest.
 */
const GRACE_TICKS = 3;
/** Safety: a client that has read nothing for a minute is dropped, because it keeps buffers and money occupied. */
const BLOCKED_TICKS_MAX = 24;

export class KeepAlive {
  readonly #streams = new Roster<KeptStream>();
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#stop = clock.every(TICK_MS, () => this.#tick());
  }

  add(stream: KeptStream): void {
    this.#streams.add(stream);
  }

  remove(stream: KeptStream): void {
    this.#streams.remove(stream);
  }

  close(): void {
    this.#stop();
  }

  #tick(): void {
    this.#streams.each((stream) => {
      if (stream.hasWritten) {
        stream.hasWritten = false;
        stream.quietTicks = 0;
        return;
      }
      stream.quietTicks += 1;
      const { quietTicks } = stream;
      if (stream.isBlocked) {
        if (quietTicks >= BLOCKED_TICKS_MAX) stream.dropClient();
      } else if (quietTicks % SILENT_TICKS === 0 || (!stream.hasBegun && quietTicks >= GRACE_TICKS)) {
        stream.writeKeepAlive();
      }
    });
  }
}

// Sends an event once a minute to clients that expect one, also while no candidate has answered yet. A failure within
// the first minute is an ordinary error answer; after it the answer has begun, and the failure is an event.

/** Specification, Events: a heartbeat every 60 s. */
const BEAT_MS = 60_000;

/** Null for clients that expect no heartbeat, which are nearly all. */
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
      startEventStream(this.#exchange, [GENERATION_HEADER, generationId]);
    }
    response.write(this.#pulse.frame);
  }

  /** Writes the error as an event where a heartbeat has begun the answer; otherwise the error handler answers. */
  fail(error: unknown): void {
    const { response } = this.#exchange;
    if (this.#hasBegun && !response.writableEnded) response.end(this.#pulse.failure(asApiError(error)));
  }
}
