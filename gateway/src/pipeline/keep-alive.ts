// One ticker for all open streams: it writes a comment to those that have been silent, so that no proxy between us and
// the client gives up, and drops clients that have stopped reading.

import type { Clock } from '../platform/clock.ts';

export type KeptStream = {
  /** Set by every write; cleared by the ticker. */
  hasWritten: boolean;
  isBlocked: boolean;
  writeKeepAlive(): void;
  dropClient(): void;
};

const TICK_MS = 5_000;
const SILENT_TICKS = 3;
/** Safety: a client that reads nothing for a minute holds buffers and money for nothing. */
const BLOCKED_TICKS_MAX = 12;

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
      } else if ((quietTicks + 1) % SILENT_TICKS === 0) stream.writeKeepAlive();
    }
  }
}
