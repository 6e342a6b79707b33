// Whether the process has more to do than it can, by how late its own timer comes for the process's own work: one that
// is late because others use the processors has nothing to gain from refusing. Work that is done in turns never makes a
// timer late, so those who wait for theirs count as well. Late once is a collection of garbage or a large body; late
// again and again, work is piling up, and a growing share of the calls is refused before their bodies are read. Half a
// second after the pile's end none is.

import type { Clock } from '../platform/clock.ts';
import { ownersWaiting } from '../platform/turns.ts';

const TICK_MS = 50;
/** How often the lateness that is allowed makes a pile, over ticks that are all late. */
const PILE_FACTOR = 4;
const PILE_TICKS = 2;
/** In hundredths. */
const SHARE_STEP_UP = 25;
const SHARE_STEP_DOWN = 10;
/** Some are always let in: what is admitted shows whether it is over. */
const SHARE_MAX = 95;
const WHOLE = 100;

export class LoadGauge {
  readonly #clock: Clock;
  readonly #latenessMsMax: number;
  readonly #workedMs: () => number;
  readonly #turnsMs: () => number;
  readonly #stop: () => void;
  #lastTickMs: number;
  #lastWorkedMs: number;
  /** Of the ticks since the last one that came in time. */
  #lateMs = 0;
  #lateTicks = 0;
  /** Of the calls, and what is owed to it: refusals are spread evenly instead of drawn by lot. */
  #share = 0;
  #owed = 0;
  refusedCount = 0;

  /** Zero means that nothing is ever refused. */
  constructor(clock: Clock, latenessMsMax: number, workedMs = processorMs, turnsMs = ownersWaiting) {
    this.#clock = clock;
    this.#latenessMsMax = latenessMsMax;
    this.#workedMs = workedMs;
    this.#turnsMs = turnsMs;
    this.#lastTickMs = clock.monotonicMs();
    this.#lastWorkedMs = workedMs();
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
    const workedMs = this.#workedMs();
    const timerMs = Math.min(nowMs - this.#lastTickMs, workedMs - this.#lastWorkedMs) - TICK_MS;
    const latenessMs = Math.max(timerMs, this.#turnsMs());
    this.#lastTickMs = nowMs;
    this.#lastWorkedMs = workedMs;
    const isLate = latenessMs > this.#latenessMsMax;
    this.#lateMs = isLate ? this.#lateMs + latenessMs : 0;
    this.#lateTicks = isLate ? this.#lateTicks + 1 : 0;
    const isPile = this.#lateTicks >= PILE_TICKS && this.#lateMs > this.#latenessMsMax * PILE_FACTOR;
    if (isPile) this.#share = Math.min(this.#share + SHARE_STEP_UP, SHARE_MAX);
    else if (this.#lateMs === 0) this.#share = Math.max(this.#share - SHARE_STEP_DOWN, 0);
  }
}

/** Of all threads, in milliseconds since the start. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
