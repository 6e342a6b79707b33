// How many calls may be traced only because their callers ask for it. Anybody can ask: beyond a share of all calls this
// would be a way to fill the operator's traces.

import type { Clock } from '../clock.ts';

const WINDOW_MS = 60_000;
const FORCED_MIN = 10;
/** One in so many calls. */
const CALLS_PER_FORCED = 10;

export class ForcedShare {
  readonly #clock: Clock;
  #windowStartMs: number;
  #calls = 0;
  #forced = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windowStartMs = clock.monotonicMs();
  }

  count(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#windowStartMs >= WINDOW_MS) {
      this.#windowStartMs = nowMs;
      this.#calls = 0;
      this.#forced = 0;
    }
    this.#calls += 1;
  }

  take(): boolean {
    if (this.#forced >= FORCED_MIN + this.#calls / CALLS_PER_FORCED) return false;
    this.#forced += 1;
    return true;
  }
}
