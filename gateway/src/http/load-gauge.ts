// Whether the process has more to do than it can, by how long the rounds of its event loop are for the process's own work:
// where others have the processors there is nothing to gain from refusing. A call takes several rounds, so its caller waits
// for several times as long. One long round is a collection of garbage or a large body, and a few are a burst that will be
// dealt with; rounds that stay long are a pile. From then on each round takes as many new calls as it has time for, and the
// others are refused before their bodies are read. Work that is done in turns never makes a round long, so a long line of
// those who wait for theirs is a pile as well.

import { performance } from 'node:perf_hooks';
import type { Clock } from '../platform/clock.ts';
import { ownersWaiting } from '../platform/turns.ts';

const TICK_MS = 50;
/** Rounds that are too long for less than this of the process's own work are a burst. */
const BURST_MS = 1_000;
/** Of what is too long: how long rounds should be while there is a pile, so that what is taken is served quickly. */
const AIM = 0.3;
/** Everything is taken again when for so long nobody had to be refused. */
const CALM_MS = 500;
/** From one tick to the next, how fast what a round takes follows what it has time for. */
const SHRINK_MOST = 0.5;
const GROW_MOST = 1.25;
/** Some are always taken: what is taken shows whether it is over. */
const PER_ROUND_MIN = 1;
/** Accounts that wait for a turn of under a millisecond each, and one in how many calls is taken while they are more. */
const OWNERS_WAITING_MAX = 150;
const TAKEN_OF = 20;
/** How much of the share that is told is what the last tick saw. */
const NEWS = 0.2;

/** What a process has done since its start. */
export type Work = Readonly<{ processorMs: number; rounds: number }>;

export class LoadGauge {
  readonly #clock: Clock;
  readonly #roundMsMax: number;
  readonly #work: () => Work;
  readonly #waiting: () => number;
  readonly #stop: () => void;
  #lastTickMs: number;
  #lastWork: Work;
  /** How much was worked in long rounds since a tick saw short ones. */
  #longMs = 0;
  /** How many new calls a round takes; null where there is no pile. */
  #perRound: number | null = null;
  #refusedAtMs = 0;
  #isRoundOpen = false;
  #takenInRound = 0;
  #takenInTick = 0;
  #refusedInTick = 0;
  #refusedInLine = 0;
  refusedCount = 0;
  /** Of the calls, of late. */
  refusedShare = 0;

  /** Zero means that nothing is ever refused. */
  constructor(clock: Clock, roundMsMax: number, work = readWork, waiting = ownersWaiting) {
    this.#clock = clock;
    this.#roundMsMax = roundMsMax;
    this.#work = work;
    this.#waiting = waiting;
    this.#lastTickMs = clock.monotonicMs();
    this.#lastWork = work();
    this.#stop = roundMsMax === 0 ? () => {} : clock.every(TICK_MS, () => this.#tick());
  }

  /** Asked once for each call; true for those that should not be taken. */
  refuses(): boolean {
    if (this.#takes()) {
      this.#takenInTick += 1;
      return false;
    }
    this.#refusedInTick += 1;
    this.refusedCount += 1;
    return true;
  }

  get isOverloaded(): boolean {
    return this.#perRound !== null || this.refusedShare > 0;
  }

  close(): void {
    this.#stop();
  }

  #takes(): boolean {
    if (this.#roundMsMax === 0) return true;
    if (this.#waiting() > OWNERS_WAITING_MAX) {
      this.#refusedInLine = (this.#refusedInLine + 1) % TAKEN_OF;
      return this.#refusedInLine === 0;
    }
    if (this.#perRound === null) return true;
    if (!this.#isRoundOpen) this.#openRound();
    this.#takenInRound += 1;
    return this.#takenInRound <= this.#perRound;
  }

  /** It ends when what arrived with this call has been looked at. */
  #openRound(): void {
    this.#isRoundOpen = true;
    this.#takenInRound = 0;
    setImmediate(() => {
      this.#isRoundOpen = false;
    });
  }

  #tick(): void {
    const nowMs = this.#clock.monotonicMs();
    const work = this.#work();
    const rounds = Math.max(work.rounds - this.#lastWork.rounds, 1);
    const ownMs = Math.min(nowMs - this.#lastTickMs, work.processorMs - this.#lastWork.processorMs);
    const roundMs = ownMs / rounds;
    this.#longMs = roundMs <= this.#roundMsMax ? 0 : this.#longMs + ownMs;
    if (this.#refusedInTick > 0) this.#refusedAtMs = nowMs;
    this.#perRound = this.#nextPerRound(nowMs, (this.#roundMsMax * AIM) / roundMs, this.#takenInTick / rounds);
    const share = this.#refusedInTick / Math.max(this.#refusedInTick + this.#takenInTick, 1);
    this.refusedShare += NEWS * (share - this.refusedShare);
    if (nowMs - this.#refusedAtMs >= CALM_MS) this.refusedShare = 0;
    this.#takenInTick = 0;
    this.#refusedInTick = 0;
    this.#lastTickMs = nowMs;
    this.#lastWork = work;
  }

  #nextPerRound(nowMs: number, shortness: number, takenPerRound: number): number | null {
    if (this.#perRound === null) {
      if (this.#longMs < BURST_MS) return null;
      this.#refusedAtMs = nowMs;
      return Math.max(takenPerRound * shortness, PER_ROUND_MIN);
    }
    if (nowMs - this.#refusedAtMs >= CALM_MS) return null;
    const factor = Math.min(Math.max(shortness, SHRINK_MOST), GROW_MOST);
    return Math.max(this.#perRound * factor, PER_ROUND_MIN);
  }
}

/** The processor's time is that of all threads. */
function readWork(): Work {
  const { user, system } = process.cpuUsage();
  return { processorMs: (user + system) / 1000, rounds: performance.nodeTiming.uvMetricsInfo.loopCount };
}
