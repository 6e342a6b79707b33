// Owners whose tasks took long within the last minutes, because their receivers or upstreams hang. All of them together
// get a share of the places, since one person may be many owners.

import type { Clock } from './clock.ts';

const SLOW_MS = 5_000;
const SLOW_FOR_MS = 600_000;
const OWNERS_MAX = 1_000;

export class SlowOwners {
  readonly #clock: Clock;
  /** Until when; the first to be forgotten first. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A task has ended; `sinceMs` is of the monotonic clock. */
  ended(ownerId: string, sinceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - sinceMs < SLOW_MS) return;
    this.#untilMs.delete(ownerId);
    this.#untilMs.set(ownerId, nowMs + SLOW_FOR_MS);
  }

  ids(): readonly string[] {
    const nowMs = this.#clock.monotonicMs();
    for (const [ownerId, untilMs] of this.#untilMs) {
      if (untilMs > nowMs && this.#untilMs.size <= OWNERS_MAX) break;
      this.#untilMs.delete(ownerId);
    }
    return [...this.#untilMs.keys()];
  }
}
