// One ticker for all streams: it writes a comment to those that have been silent, so that no proxy between us and the
// client gives up, begins those whose upstream is slow to, and drops clients that have stopped reading.

import type { Clock } from '../platform/clock.ts';
import { type Member, Roster } from '../platform/roster.ts';

export type KeptStream = Member & {
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
