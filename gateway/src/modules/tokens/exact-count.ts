// Exact counts, from a thread that is started when the first one is needed. They are optional: whenever the thread is
// busy, slow or gone the answer is null, and the caller uses the estimate.

import { Worker } from 'node:worker_threads';
import type { TokenizerName } from '../../canonical/model.ts';

/** Counting more characters would take longer than the difference is worth. */
export const EXACT_LENGTH_MAX = 131_072;
const UNANSWERED_MAX = 8;
const DEADLINE_MS = 2_000;
/** Both vocabularies take less than a quarter of it. */
const HEAP_MAX_MB = 512;

/** The folder has the same place relative to the sources and to what is built from them. */
const SCRIPT = new URL('../../../workers/count-tokens.mjs', import.meta.url);

type Counts = readonly number[] | null;

class CountingThread {
  readonly #worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB } });
  /** Questions that the thread has not answered yet, even where nobody waits any more: this shows how busy it is. */
  readonly #unanswered = new Map<number, (counts: Counts) => void>();
  #lastId = 0;
  isAlive = true;

  constructor() {
    this.#worker.on('message', (answer: Readonly<{ id: number; counts: readonly number[] }>) => {
      this.#unanswered.get(answer.id)?.(answer.counts);
      this.#unanswered.delete(answer.id);
    });
    // Whatever ended the thread, the next count starts another.
    this.#worker.on('error', () => this.#abandon());
    this.#worker.on('exit', () => this.#abandon());
    // Set last, because adding a listener would keep the process alive again.
    this.#worker.unref();
  }

  count(tokenizer: TokenizerName, groups: readonly (readonly string[])[]): Promise<Counts> {
    if (this.#unanswered.size >= UNANSWERED_MAX) return Promise.resolve(null);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), DEADLINE_MS);
      timer.unref();
      this.#unanswered.set(id, (counts) => {
        clearTimeout(timer);
        resolve(counts);
      });
      this.#worker.postMessage({ id, tokenizer, groups });
    });
  }

  #abandon(): void {
    this.isAlive = false;
    for (const answer of this.#unanswered.values()) answer(null);
    this.#unanswered.clear();
  }
}

let thread: CountingThread | null = null;

/** One count for each group of texts. */
export function countExactly(tokenizer: TokenizerName, groups: readonly (readonly string[])[]): Promise<Counts> {
  if (thread === null || !thread.isAlive) thread = new CountingThread();
  return thread.count(tokenizer, groups);
}
