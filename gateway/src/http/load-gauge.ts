// The load gauge tells whether the process is overloaded, by how long its event loop's rounds take of the process's own
// processor time; when other programs use the processors, refusing calls would not help. One long round is a garbage
// collection or a large body, and a few are a burst that passes; rounds that stay long are an overload. During an
// overload each round takes as many new calls as it has time for, and the others are refused before their bodies are
// read. Work that is done in turns (platform/turns.ts) never makes a round long, so a long queue for turns counts as an
// overload too.

import { performance } from 'node:perf_hooks';
import type { Clock } from '../platform/clock.ts';
import { ownersWaiting } from '../platform/turns.ts';

const TICK_MS = 50;
/** Long rounds are a burst, and no overload yet, until they add up to this much of the process's own work. */
const BURST_MS = 1_000;
/**
 * Or until the bodies of the calls that were taken meanwhile add up to this: their heads are read long before their
 * bodies, so within one second a process takes more of them than it can work off in several. A body counts up to
 * `BODY_BYTES_COUNTED`, so that a few very large ones are no overload.
 */
const BURST_BYTES = 32 * 1024 * 1024;
const BODY_BYTES_COUNTED = 1024 * 1024;
/**
 * While overloaded, rounds should be this share of the longest allowed round, so that accepted calls are served
 * quickly.
 */
const AIM = 0.3;
/** The overload is over when no call had to be refused for this long. */
const CALM_MS = 500;
/** The most by which the number of calls per round may shrink or grow from one tick to the next. */
const SHRINK_MOST = 0.5;
const GROW_MOST = 1.25;
/** One call per round is always accepted: only accepted calls show whether the overload is over. */
const PER_ROUND_MIN = 1;
/**
 * With more accounts than this waiting for a turn (each under a millisecond), only one call in `TAKEN_OF` is accepted.
 */
const OWNERS_WAITING_MAX = 150;
const TAKEN_OF = 20;
/** The weight of the last tick in `refusedShare`. */
const NEWS = 0.2;

/** The processor time and the event loop's rounds of a process since its start. */
export type Work = Readonly<{ processorMs: number; rounds: number }>;

export class LoadGauge {
  readonly #clock: Clock;
  readonly #roundMsMax: number;
  readonly #work: () => Work;
  readonly #waiting: () => number;
  readonly #stop: () => void;
  #lastTickMs: number;
  #lastWork: Work;
  /** The process's own work in long rounds since the last tick that saw short ones. */
  #longMs = 0;
  /** The bodies of the calls taken since then. */
  #longBytes = 0;
  /** How many new calls a round accepts; null when there is no overload. */
  #perRound: number | null = null;
  #refusedAtMs = 0;
  #isRoundOpen = false;
  #takenInRound = 0;
  #takenInTick = 0;
  #refusedInTick = 0;
  #refusedInLine = 0;
  refusedCount = 0;
  /** The share of recent calls that were refused. */
  refusedShare = 0;

  /** With a `roundMsMax` of zero no call is ever refused. */
  constructor(clock: Clock, roundMsMax: number, work = readWork, waiting = ownersWaiting) {
    this.#clock = clock;
    this.#roundMsMax = roundMsMax;
    this.#work = work;
    this.#waiting = waiting;
    this.#lastTickMs = clock.monotonicMs();
    this.#lastWork = work();
    this.#stop = roundMsMax === 0 ? () => {} : clock.every(TICK_MS, () => this.#tick());
  }

  /** The server asks this once for each call, with the length that its body is said to have; true to refuse the call. */
  refuses(bodyBytes: number): boolean {
    if (this.#takes()) {
      this.#takenInTick += 1;
      this.#longBytes += Math.min(bodyBytes, BODY_BYTES_COUNTED);
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

  /** The round ends once all calls that arrived together with this one have been decided. */
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
    const isLong = roundMs > this.#roundMsMax;
    this.#longMs = isLong ? this.#longMs + ownMs : 0;
    if (!isLong) this.#longBytes = 0;
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
      if (this.#longMs < BURST_MS && (this.#longMs === 0 || this.#longBytes < BURST_BYTES)) return null;
      this.#refusedAtMs = nowMs;
      return Math.max(takenPerRound * shortness, PER_ROUND_MIN);
    }
    if (nowMs - this.#refusedAtMs >= CALM_MS) return null;
    const factor = Math.min(Math.max(shortness, SHRINK_MOST), GROW_MOST);
    return Math.max(this.#perRound * factor, PER_ROUND_MIN);
  }
}

/** The processor time is that of all threads together. */
function readWork(): Work {
  const { user, system } = process.cpuUsage();
  return { processorMs: (user + system) / 1000, rounds: performance.nodeTiming.uvMetricsInfo.loopCount };
}
