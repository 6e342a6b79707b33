// Decides when the next batch of settlements is written. A single call does not wait; under load batches keep a
// distance, which grows with the number of processes that share the server. The capacity model simulates many processes
// with this same class.

export const BATCH_MAX = 500;
/** Under load, batches start at least this far apart, unless so many are ready that waiting gains nothing. */
const SPACING_MIN_MS = 3;
const SPACING_MAX_MS = 50;
/**
 * A commit costs the server as much as a dozen of the calls in it, so many processes with few calls each would use it
 * up with commits. All of them together keep about this many under way: each waits by how many they are, and by how
 * long a commit takes.
 */
const COMMITTING_MAX = 4;
/** The weight of the newest commit in the mean. */
const COMMIT_WEIGHT = 0.2;
const READY_AT_ONCE = 64;
/** A smaller batch was no load: the next settlement need not wait for others. */
const LOAD_BATCH_MIN = 3;

export class CommitPace {
  #lastStartMs = Number.NEGATIVE_INFINITY;
  #lastBatchSize = 0;
  /** How long a commit takes, in the mean. */
  #commitMs = 0;

  get lastStartMs(): number {
    return this.#lastStartMs;
  }

  begin(nowMs: number, batchSize: number): void {
    this.#lastStartMs = nowMs;
    this.#lastBatchSize = batchSize;
  }

  committed(nowMs: number): void {
    this.#commitMs += COMMIT_WEIGHT * (nowMs - this.#lastStartMs - this.#commitMs);
  }

  /**
   * How long `ready` settlements should wait for others to join their batch; zero or less for not at all. `underWay` is
   * how many calls there are that may become others.
   */
  waitMs(ready: number, underWay: number, processCount: number, nowMs: number): number {
    if (ready >= READY_AT_ONCE) return 0;
    const sharedMs = (processCount * this.#commitMs) / COMMITTING_MAX;
    const spacingMs = Math.min(Math.max(SPACING_MIN_MS, sharedMs), SPACING_MAX_MS);
    const isUnloaded = this.#lastBatchSize < LOAD_BATCH_MIN || underWay === 0;
    if (isUnloaded && spacingMs === SPACING_MIN_MS) return 0;
    return this.#lastStartMs + spacingMs - nowMs;
  }
}
