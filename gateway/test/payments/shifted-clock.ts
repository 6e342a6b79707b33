// A clock that runs as the real one does, some time ahead of it.

import { type Clock, systemClock } from '../../src/platform/clock.ts';

export class ShiftedClock implements Clock {
  #shiftMs = 0;

  move(durationMs: number): void {
    this.#shiftMs += durationMs;
  }

  readonly nowMs = (): number => systemClock.nowMs() + this.#shiftMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly every = systemClock.every;
  readonly sleep = systemClock.sleep;
}
