// A clock that stands still until a test moves it.

import type { Clock } from '../../src/platform/clock.ts';

export class MovableClock implements Clock {
  #nowMs: number;

  constructor(startIso: string) {
    this.#nowMs = Date.parse(startIso);
  }

  move(durationMs: number): void {
    this.#nowMs += durationMs;
  }

  readonly nowMs = (): number => this.#nowMs;
  readonly monotonicMs = (): number => this.#nowMs;
  readonly every = (): (() => void) => () => {};
  readonly sleep = (): Promise<void> => Promise.resolve();
}
