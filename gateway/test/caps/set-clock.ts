// A clock whose wall time stands where a test puts it, while timers and durations run as always: windows turn exactly
// when a test says so, and everything else goes on.

import { type Clock, systemClock } from '../../src/platform/clock.ts';

export class SetClock implements Clock {
  #nowMs: number;

  constructor(startIso: string) {
    this.#nowMs = Date.parse(startIso);
  }

  set(iso: string): void {
    this.#nowMs = Date.parse(iso);
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly every = systemClock.every;
  readonly sleep = systemClock.sleep;
}
