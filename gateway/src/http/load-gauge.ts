// Whether the process has more to do than it can, by how late its own timer comes. One that is a little late is a
// collection of garbage or a large body; when it is late again and again, or once very late, work is piling up, and a
// growing share of the calls is refused before their bodies are read. Half a second after the pile's end none is.

import type { Clock } from '../platform/clock.ts';

const TICK_MS = 50;
/** How often the lateness that is allowed makes a pile, over ticks that are all late. */
const PILE_FACTOR = 4;
/** In hundredths. */
const SHARE_STEP_UP = 25;
const SHARE_STEP_DOWN = 10;
/** Some are always let in: what is admitted shows whether it is over. */
const SHARE_MAX = 95;
const WHOLE = 100;

export class LoadGauge {
  readonly #clock: Clock;
  readonly #latenessMsMax: number;
  readonly #stop: () => void;
  #lastTickMs: number;
  /** Of the ticks since the last one that came in time. */
  #lateMs = 0;
  /** Of the calls, and what is owed to it: refusals are spread evenly instead of drawn by lot. */
  #share = 0;
  #owed = 0;
  refusedCount = 0;

  /** Zero means that nothing is ever refused. */
  constructor(clock: Clock, latenessMsMax: number) {
    this.#clock = clock;
    this.#latenessMsMax = latenessMsMax;
    this.#lastTickMs = clock.monotonicMs();
    this.#stop = latenessMsMax === 0 ? () => {} : clock.every(TICK_MS, () => this.#tick());
  }

  /** Asked once for each call; true for those that should not be taken. */
  refuses(): boolean {
    if (this.#share === 0) return false;
    this.#owed += this.#share;
    if (this.#owed < WHOLE) return false;
    this.#owed -= WHOLE;
    this.refusedCount += 1;
    return true;
  }

  get refusedShare(): number {
    return this.#share / WHOLE;
  }

  close(): void {
    this.#stop();
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    const latenessMs = nowMs - this.#lastTickMs - TICK_MS;
    this.#lastTickMs = nowMs;
    this.#lateMs = latenessMs > this.#latenessMsMax ? this.#lateMs + latenessMs : 0;
    const isPile = this.#lateMs > this.#latenessMsMax * PILE_FACTOR;
    if (isPile) this.#share = Math.min(this.#share + SHARE_STEP_UP, SHARE_MAX);
    else if (this.#lateMs === 0) this.#share = Math.max(this.#share - SHARE_STEP_DOWN, 0);
  }
}
