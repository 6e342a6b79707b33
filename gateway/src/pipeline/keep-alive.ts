// One ticker for all streams: it writes a comment to those that have been silent, so that no proxy between us and the
// client gives up, begins those whose upstream is slow to, and drops clients that have stopped reading.

import type { Pulse } from '../dialects/dialect.ts';
import { asApiError } from '../http/error-response.ts';
import type { Exchange } from '../http/exchange.ts';
import { startEventStream } from '../http/sse.ts';
import type { Clock } from '../platform/clock.ts';
import { Roster, type RosterMember } from '../platform/roster.ts';
import type { Call } from './call.ts';

export type KeptStream = RosterMember & {
  /** For how many ticks nothing was written; the ticker's own. */
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
 * After five to seven seconds without a word the head leaves. Refusals, retries and failover take less, and a client can
 * act on a status but hardly on an error event; proxies and clients that wait for a head give up after ten at the least.
 */
const GRACE_TICKS = 3;
/** Safety: a client that reads nothing for a minute holds buffers and money for nothing. */
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

// Keeps a client that waits for events from giving up: once a minute it gets a sign of life, from the first minute on,
// also while nobody has answered yet. A failure within that minute is still an ordinary error answer; after it, the
// answer has begun, and the failure is an event.

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
