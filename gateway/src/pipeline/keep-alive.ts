// One ticker for all streams: it writes a comment to those that have been silent, so that no proxy between us and the
// client gives up, begins those whose upstream is slow to, and drops clients that have stopped reading.

import type { Clock } from '../platform/clock.ts';

export type KeptStream = {
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
  readonly #streams = new Map<KeptStream, number>();
  readonly #stop: () => void;

  constructor(clock: Clock) {
    this.#stop = clock.every(TICK_MS, () => this.#tick());
  }

  add(stream: KeptStream): void {
    this.#streams.set(stream, 0);
  }

  remove(stream: KeptStream): void {
    this.#streams.delete(stream);
  }

  close(): void {
    this.#stop();
  }

  #tick(): void {
    for (const [stream, quietTicks] of this.#streams) {
      if (stream.hasWritten) {
        stream.hasWritten = false;
        this.#streams.set(stream, 0);
        continue;
      }
      this.#streams.set(stream, quietTicks + 1);
      if (stream.isBlocked) {
        if (quietTicks + 1 >= BLOCKED_TICKS_MAX) stream.dropClient();
      } else if ((quietTicks + 1) % SILENT_TICKS === 0 || (!stream.hasBegun && quietTicks + 1 >= GRACE_TICKS)) {
        stream.writeKeepAlive();
      }
    }
  }
}
