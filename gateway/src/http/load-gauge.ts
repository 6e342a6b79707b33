// Whether the process has more to do than it can, by how late its own timer comes for the process's own work: one that
// is late because others use the processors has nothing to gain from refusing. A call takes several rounds of the event
// loop, so rounds of 60 ms already make a wait that its caller feels. Late once is a collection of garbage or a large
// body; late tick after tick, work is piling up, and a growing share of the calls is refused before their bodies are
// read, until the rounds are short again. Work that is done in turns never makes a timer late, so a long line of those
// who wait for theirs is a pile as well.

import type { Clock } from '../platform/clock.ts';
import { ownersWaiting } from '../platform/turns.ts';

const TICK_MS = 50;
/** So many late ticks in a row are a pile: at least a third of a second. */
const PILE_TICKS = 5;
/** Accounts that wait for a turn of under a millisecond each. */
const OWNERS_WAITING_MAX = 150;
/** In hundredths, with every tick: up while they are late, down while they are not. */
const SHARE_STEP_UP = 10;
const SHARE_STEP_DOWN = 5;
/** A few calls are always let in, because only they show when the overload is over. */
const SHARE_MAX = 95;
const WHOLE = 100;

export class LoadGauge {
  readonly #clock: Clock;
  readonly #latenessMsMax: number;
  readonly #workedMs: () => number;
  readonly #waiting: () => number;
  readonly #stop: () => void;
  #lastTickMs: number;
  #lastWorkedMs: number;
  /** Since the last one that came in time. */
  #lateTicks = 0;
  /** Of the calls, and what is owed to it: refusals are spread evenly instead of drawn by lot. */
  #share = 0;
  #owed = 0;
  refusedCount = 0;

  /** Zero means that nothing is ever refused. */
  constructor(clock: Clock, latenessMsMax: number, workedMs = processorMs, waiting = ownersWaiting) {
    this.#clock = clock;
    this.#latenessMsMax = latenessMsMax;
    this.#workedMs = workedMs;
    this.#waiting = waiting;
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
    const latenessMs = Math.min(nowMs - this.#lastTickMs, workedMs - this.#lastWorkedMs) - TICK_MS;
    this.#lastTickMs = nowMs;
    this.#lastWorkedMs = workedMs;
    const isLate = latenessMs > this.#latenessMsMax || this.#waiting() > OWNERS_WAITING_MAX;
    this.#lateTicks = isLate ? this.#lateTicks + 1 : 0;
    if (!isLate) this.#share = Math.max(this.#share - SHARE_STEP_DOWN, 0);
    // What was a pile a moment ago is one still: it needs no further row of late ticks.
    else if (this.#share > 0 || this.#lateTicks >= PILE_TICKS) {
      this.#share = Math.min(this.#share + SHARE_STEP_UP, SHARE_MAX);
    }
  }
}

/** Of all threads, in milliseconds since the start. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
