// Whether the client is still there. One listener per call; whoever has something to stop (a flight, a stream) puts it
// here, and replaces or clears it as the call moves on.

import type { ServerResponse } from 'node:http';

export class Presence {
  #isGone = false;
  #onGone: (() => void) | null = null;

  constructor(response: ServerResponse) {
    response.once('close', () => {
      // `close` also follows a normal end; then nothing is left to stop.
      if (response.writableFinished) return;
      this.#isGone = true;
      this.#onGone?.();
    });
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  /** Calls `stop` when the client leaves, at once if it has left already. */
  whenGone(stop: (() => void) | null): void {
    this.#onGone = stop;
    if (this.#isGone) stop?.();
  }
}
