// Events in the order of their times, and servers at which they queue: the base of the simulation.

type Event = Readonly<{ atMs: number; order: number; run: () => void }>;

export class Timeline {
  readonly #heap: Event[] = [];
  #order = 0;
  nowMs = 0;

  at(atMs: number, run: () => void): void {
    this.#order += 1;
    this.#heap.push({ atMs, order: this.#order, run });
    this.#rise(this.#heap.length - 1);
  }

  runAll(): void {
    for (let event = this.#take(); event !== undefined; event = this.#take()) {
      this.nowMs = event.atMs;
      event.run();
    }
  }

  #take(): Event | undefined {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined || this.#heap.length === 0) return first;
    this.#heap[0] = last;
    this.#sink();
    return first;
  }

  #rise(start: number): void {
    for (let index = start; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(index, parent)) return;
      this.#swap(index, parent);
      index = parent;
    }
  }

  #sink(): void {
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const smaller = this.#isBefore(left + 1, left) ? left + 1 : left;
      if (!this.#isBefore(smaller, index)) return;
      this.#swap(index, smaller);
      index = smaller;
    }
  }

  #isBefore(left: number, right: number): boolean {
    const [a, b] = [this.#heap[left], this.#heap[right]];
    if (a === undefined || b === undefined) return false;
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
  }

  #swap(left: number, right: number): void {
    const [a, b] = [this.#heap[left], this.#heap[right]];
    if (a === undefined || b === undefined) return;
    this.#heap[left] = b;
    this.#heap[right] = a;
  }
}

/** This many cores with one queue. */
export class Server {
  readonly #timeline: Timeline;
  readonly #freeAtMs: number[];
  busyMs = 0;

  constructor(timeline: Timeline, cores: number) {
    this.#timeline = timeline;
    this.#freeAtMs = Array.from({ length: cores }, () => 0);
  }

  serve(durationMs: number, done: () => void): void {
    const core = this.#freeAtMs.indexOf(Math.min(...this.#freeAtMs));
    const endMs = Math.max(this.#timeline.nowMs, this.#freeAtMs[core] ?? 0) + durationMs;
    this.#freeAtMs[core] = endMs;
    this.busyMs += durationMs;
    this.#timeline.at(endMs, done);
  }
}

/** The same numbers from 0 up to 1 on every run. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
