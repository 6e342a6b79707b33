// Exact counts, from a thread that is started when the first one is needed. Exactness is a courtesy: whenever the thread
// is busy, slow or gone the answer is null, and the caller goes by the estimate instead.

import { Worker } from 'node:worker_threads';
import type { TokenizerName } from '../../canonical/model.ts';

/** Beyond this many characters counting would take longer than the difference is worth. */
export const EXACT_LENGTH_MAX = 131_072;
const PENDING_MAX = 8;
const DEADLINE_MS = 1_000;

/** The folder has the same place relative to the sources and to what is built from them. */
const SCRIPT = new URL('../../../workers/count-tokens.mjs', import.meta.url);

type Counts = readonly number[] | null;

class CountingThread {
  readonly #worker = new Worker(SCRIPT);
  readonly #pending = new Map<number, (counts: Counts) => void>();
  #lastId = 0;
  isAlive = true;

  constructor() {
    this.#worker.unref();
    this.#worker.on('message', (answer: Readonly<{ id: number; counts: readonly number[] }>) => {
      this.#settle(answer.id, answer.counts);
    });
    // Whatever ended the thread, the next count starts another.
    this.#worker.on('error', () => this.#abandon());
    this.#worker.on('exit', () => this.#abandon());
  }

  count(tokenizer: TokenizerName, groups: readonly (readonly string[])[]): Promise<Counts> {
    if (this.#pending.size >= PENDING_MAX) return Promise.resolve(null);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(id, null), DEADLINE_MS);
      this.#pending.set(id, (counts) => {
        clearTimeout(timer);
        resolve(counts);
      });
      this.#worker.postMessage({ id, tokenizer, groups });
    });
  }

  #settle(id: number, counts: Counts): void {
    this.#pending.get(id)?.(counts);
    this.#pending.delete(id);
  }

  #abandon(): void {
    this.isAlive = false;
    for (const id of [...this.#pending.keys()]) this.#settle(id, null);
  }
}

let thread: CountingThread | null = null;

/** One count for each group of texts. */
export function countExactly(tokenizer: TokenizerName, groups: readonly (readonly string[])[]): Promise<Counts> {
  if (thread === null || !thread.isAlive) thread = new CountingThread();
  return thread.count(tokenizer, groups);
}
