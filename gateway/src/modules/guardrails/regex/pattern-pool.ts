// The threads that match patterns, and who is next. Each owner has a queue and at most one question under way, so that
// an organization with slow patterns and long texts waits for itself and not everybody for it.

import { availableParallelism } from 'node:os';
import { type PatternReply, PatternThread, type Question } from './pattern-thread.ts';

export type PatternPool = Readonly<{
  /** Null when there was no answer within the budget. */
  ask(owner: string, question: Question): Promise<PatternReply | null>;
  close(): void;
}>;

type PatternPoolOptions = Readonly<{ budgetMs?: number; size?: number }>;

const BUDGET_MS = 250;
/** For one's turn. A thread that was just ended takes some of it to be replaced. */
const WAIT_MS = 2_000;
const WAITING_PER_OWNER_MAX = 32;
const SIZE_MAX = 4;

type Waiting = Readonly<{ question: Question; start(thread: PatternThread): void }>;

export function createPatternPool(options: PatternPoolOptions = {}): PatternPool {
  const pool = new Pool(options.budgetMs ?? BUDGET_MS, options.size ?? defaultSize());
  return { ask: (owner, question) => pool.ask(owner, question), close: () => pool.close() };
}

const defaultSize = (): number => Math.min(SIZE_MAX, Math.max(2, availableParallelism() - 1));

class Pool {
  readonly #budgetMs: number;
  readonly #size: number;
  readonly #threads = new Set<PatternThread>();
  /** By owner; the order of the map is the order of turns. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #served = new Set<string>();
  #isClosed = false;

  constructor(budgetMs: number, size: number) {
    this.#budgetMs = budgetMs;
    this.#size = size;
  }

  ask(owner: string, question: Question): Promise<PatternReply | null> {
    const queue = this.#queues.get(owner) ?? [];
    if (this.#isClosed || queue.length >= WAITING_PER_OWNER_MAX) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.#leave(owner, waiting);
        resolve(null);
      }, WAIT_MS);
      const waiting: Waiting = {
        question,
        start: (thread) => {
          clearTimeout(giveUp);
          resolve(this.#answer(owner, question, thread));
        },
      };
      queue.push(waiting);
      this.#queues.set(owner, queue);
      this.#turn();
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const thread of [...this.#threads]) thread.end();
  }

  async #answer(owner: string, question: Question, thread: PatternThread): Promise<PatternReply | null> {
    this.#served.add(owner);
    const reply = await thread.ask(question, this.#budgetMs);
    this.#served.delete(owner);
    this.#turn();
    return reply;
  }

  /** Gives every idle thread to the owner whose turn it is. */
  #turn(): void {
    if (this.#isClosed) return;
    for (const [owner, queue] of [...this.#queues]) {
      if (this.#served.has(owner)) continue;
      const thread = this.#idleThread();
      if (thread === null) return;
      const next = queue.shift();
      // Whoever was served goes to the end of the line.
      this.#queues.delete(owner);
      if (queue.length > 0) this.#queues.set(owner, queue);
      next?.start(thread);
    }
  }

  #idleThread(): PatternThread | null {
    for (const thread of this.#threads) if (thread.isIdle) return thread;
    if (this.#threads.size < this.#size) this.#threads.add(this.#newThread());
    return null;
  }

  #newThread(): PatternThread {
    return new PatternThread(
      () => this.#turn(),
      (ended) => {
        this.#threads.delete(ended);
        this.#turn();
      },
    );
  }

  #leave(owner: string, waiting: Waiting): void {
    const queue = this.#queues.get(owner)?.filter((other) => other !== waiting) ?? [];
    if (queue.length > 0) this.#queues.set(owner, queue);
    else this.#queues.delete(owner);
  }
}
