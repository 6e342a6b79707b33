// Gives each paced stream its next frame at the same interval. Streams are spread over the interval in groups, with one
// timer for all: a timer for each would cost more than the frame, and all at once would be a burst.

/** Sends the next frame; false when there is none left. */
type Step = () => boolean;

const GROUPS = 10;

export class Pacer {
  readonly #groups: Set<Step>[] = Array.from({ length: GROUPS }, () => new Set());
  readonly #groupIntervalMs: number;
  #nextGroup = 0;
  #dueMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #size = 0;

  constructor(intervalMs: number) {
    this.#groupIntervalMs = intervalMs / GROUPS;
  }

  /** The first frame is sent at once; the second after one interval at most. */
  add(step: Step): void {
    if (!step()) return;
    // The group whose turn has just been: its next turn is a full interval away.
    this.#groups[(this.#nextGroup + GROUPS - 1) % GROUPS]?.add(step);
    this.#size += 1;
    if (this.#timer !== null) return;
    this.#dueMs = performance.now() + this.#groupIntervalMs;
    this.#timer = setInterval(() => this.#tick(), Math.max(1, this.#groupIntervalMs));
  }

  #tick(): void {
    const nowMs = performance.now();
    while (this.#dueMs <= nowMs) {
      const group = this.#groups[this.#nextGroup];
      for (const step of group ?? []) {
        if (step()) continue;
        group?.delete(step);
        this.#size -= 1;
      }
      this.#nextGroup = (this.#nextGroup + 1) % GROUPS;
      this.#dueMs += this.#groupIntervalMs;
    }
    if (this.#size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
