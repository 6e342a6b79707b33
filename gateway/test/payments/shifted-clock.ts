// A clock that runs as the real one does, some time ahead of it.

import { type Clock, systemClock } from '../../src/platform/clock.ts';

export class ShiftedClock implements Clock {
  #shiftMs = 0;
  #stoppedAtMs: number | null = null;

  move(durationMs: number): void {
    this.#shiftMs += durationMs;
  }

  /** From now on only a test moves the clock, so that a slow machine makes no difference. */
  stop(): void {
    this.#stoppedAtMs = systemClock.nowMs();
  }

  readonly nowMs = (): number => (this.#stoppedAtMs ?? systemClock.nowMs()) + this.#shiftMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly every = systemClock.every;
  readonly sleep = systemClock.sleep;
}
