// One thread that matches patterns, one question at a time. A question that takes too long ends the thread, because
// nothing else can stop it in the middle of one.

import { Worker } from 'node:worker_threads';

/** The folder has the same place relative to the sources and to what is built from them. */
const SCRIPT = new URL('../../../../workers/match-patterns.mjs', import.meta.url);
const HEAP_MAX_MB = 256;

export type Question =
  | Readonly<{
      kind: 'match';
      sources: readonly string[];
      texts: readonly string[];
      /** For each pattern: where it matches, and not only whether. */
      needsPlaces: readonly boolean[];
    }>
  | Readonly<{ kind: 'check'; source: string }>;

export type PatternReply = Readonly<{
  /** Pattern, text, start and end in turn. */
  found?: readonly number[];
  problem?: string | null;
  programSize?: number;
  matchesNothing?: boolean;
}>;

type Message = PatternReply & Readonly<{ isReady?: boolean; failure?: string }>;

export class PatternThread {
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
    // Last, because listening for messages would keep the process alive again.
    this.#worker.unref();
  }

  get isIdle(): boolean {
    return this.#isReady && !this.#hasEnded && this.#answer === null;
  }

  /** Null when it took longer than it may, or the thread broke over it. */
  ask(question: Question, budgetMs: number): Promise<PatternReply | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end(), budgetMs);
      this.#answer = (reply) => {
        clearTimeout(timer);
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
