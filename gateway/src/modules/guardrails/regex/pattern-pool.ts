// The threads that match patterns, and the order of those who wait. Each owner has a queue and at most one question
// under way, so that an organization with slow patterns and long texts delays only itself.

import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

export type PatternPool = Readonly<{
  /** Null when there was no answer within the budget. */
  ask(owner: string, question: Question): Promise<PatternReply | null>;
  close(): void;
}>;

type PatternPoolOptions = Readonly<{ budgetMs?: number; waitMs?: number; size?: number }>;

/** For matching, which a call waits for. */
const BUDGET_MS = 250;
/** The longest wait for a turn. Replacing a thread that was ended takes part of it. */
const WAIT_MS = 2_000;
/** Both for checking a pattern that somebody hands in: no call waits for it, and its answer counts as long as the rule. */
const CHECK_BUDGET_MS = 5_000;
const CHECK_WAIT_MS = 30_000;
const WAITING_PER_OWNER_MAX = 32;
const SIZE_MAX = 4;

type Waiting = Readonly<{ question: Question; start(thread: PatternThread): void }>;

export function createPatternPool(options: PatternPoolOptions = {}): PatternPool {
  const { budgetMs = BUDGET_MS, waitMs = WAIT_MS, size = defaultSize() } = options;
  const pool = new Pool(budgetMs, waitMs, size);
  return { ask: (owner, question) => pool.ask(owner, question), close: () => pool.close() };
}

const defaultSize = (): number => Math.min(SIZE_MAX, Math.max(2, availableParallelism() - 1));

const STEP_MS = 25;

/**
 * Waits in short steps, so that it lasts longer where this process itself gets no time: its threads then get none
 * either, or have answered and nobody has read it. What it returns calls it off.
 */
function afterSteps(durationMs: number, run: () => void): () => void {
  let leftMs = durationMs;
  const timer = setInterval(() => {
    leftMs -= STEP_MS;
    if (leftMs > 0) return;
    clearInterval(timer);
    run();
  }, STEP_MS);
  return () => clearInterval(timer);
}

class Pool {
  readonly #budgetMs: number;
  readonly #waitMs: number;
  readonly #size: number;
  readonly #threads = new Set<PatternThread>();
  /** By owner; the order of the map is the order of turns. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #served = new Set<string>();
  #isClosed = false;

  constructor(budgetMs: number, waitMs: number, size: number) {
    this.#budgetMs = budgetMs;
    this.#waitMs = waitMs;
    this.#size = size;
  }

  ask(owner: string, question: Question): Promise<PatternReply | null> {
    const queue = this.#queues.get(owner) ?? [];
    if (this.#isClosed || queue.length >= WAITING_PER_OWNER_MAX) return Promise.resolve(null);
    return new Promise((resolve) => {
      const waitMs = question.kind === 'check' ? CHECK_WAIT_MS : this.#waitMs;
      const stay = afterSteps(waitMs, () => {
        this.#leave(owner, waiting);
        resolve(null);
      });
      const waiting: Waiting = {
        question,
        start: (thread) => {
          stay();
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
    const reply = await thread.ask(question, question.kind === 'check' ? CHECK_BUDGET_MS : this.#budgetMs);
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
      // An owner who was served goes to the end of the queue.
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

// One thread that matches patterns, one question at a time. A question that takes too long ends the thread, because
// nothing else can stop it.

const SCRIPT = new URL('../../../../workers/match-patterns.mjs', import.meta.url);
const HEAP_MAX_MB = 256;

type Question =
  | Readonly<{
      kind: 'match';
      sources: readonly string[];
      texts: readonly string[];
      /** For each pattern, whether the places of matches are needed, and not only whether there is one. */
      needsPlaces: readonly boolean[];
    }>
  | Readonly<{ kind: 'check'; source: string }>;

type PatternReply = Readonly<{
  /** Pattern, text, start and end in turn. */
  found?: readonly number[];
  problem?: string | null;
  programSize?: number;
  matchesNothing?: boolean;
}>;

type Message = PatternReply & Readonly<{ isReady?: boolean; failure?: string }>;

class PatternThread {
  readonly #worker = new Worker(SCRIPT, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MAX_MB } });
  readonly #onIdle: () => void;
  readonly #onEnd: (thread: PatternThread) => void;
  #answer: ((reply: PatternReply | null) => void) | null = null;
  #isReady = false;
  #hasEnded = false;

  constructor(onIdle: () => void, onEnd: (thread: PatternThread) => void) {
    this.#onIdle = onIdle;
    this.#onEnd = onEnd;
    this.#worker.on('message', (message: Message) => this.#receive(message));
    this.#worker.on('error', () => this.end());
    this.#worker.on('exit', () => this.end());
    // Set last, because adding a listener would keep the process alive again.
    this.#worker.unref();
  }

  get isIdle(): boolean {
    return this.#isReady && !this.#hasEnded && this.#answer === null;
  }

  /** Null when it took too long, or when the thread failed. */
  ask(question: Question, budgetMs: number): Promise<PatternReply | null> {
    return new Promise((resolve) => {
      const spare = afterSteps(budgetMs, () => this.end());
      this.#answer = (reply) => {
        spare();
        this.#answer = null;
        resolve(reply);
      };
      this.#worker.postMessage(question);
    });
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    void this.#worker.terminate();
    this.#answer?.(null);
    this.#onEnd(this);
  }

  #receive(message: Message): void {
    if (message.isReady === true) this.#isReady = true;
    else this.#answer?.(message.failure === undefined ? message : null);
    this.#onIdle();
  }
}
