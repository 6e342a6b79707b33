// A clock whose wall time stays where a test puts it, while timers and durations run as usual: windows change exactly
// when a test says so.

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
