// How the last minute of calls on a route went, second by second. A slot is cleared when its second comes round again,
// so nothing has to run while no calls come.

const SLOTS = 60;
const SLOT_MS = 1_000;

export type Totals = Readonly<{ calls: number; failures: number }>;

export class OutcomeWindow {
  readonly #seconds = new Float64Array(SLOTS).fill(-1);
  readonly #calls = new Uint32Array(SLOTS);
  readonly #failures = new Uint32Array(SLOTS);

  add(isFailure: boolean, nowMs: number): void {
    const second = Math.floor(nowMs / SLOT_MS);
    const slot = second % SLOTS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
    }
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    if (isFailure) this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
  }

  /** Of the last so many seconds, the running one included; at most a minute. */
  totals(spanSeconds: number, nowMs: number): Totals {
    const last = Math.floor(nowMs / SLOT_MS);
    let calls = 0;
    let failures = 0;
    for (let second = Math.max(0, last - Math.min(spanSeconds, SLOTS) + 1); second <= last; second += 1) {
      const slot = second % SLOTS;
      if (this.#seconds[slot] !== second) continue;
      calls += this.#calls[slot] ?? 0;
      failures += this.#failures[slot] ?? 0;
    }
    return { calls, failures };
  }
}
