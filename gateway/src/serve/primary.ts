// The first of several processes on one machine. It serves no calls itself: it hands connections to its workers,
// replaces those that die, collects their metrics, and stops them in order.

import cluster, { type Worker } from 'node:cluster';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../platform/clock.ts';
import { mergeMetrics, type WorkerMetrics } from './merge-metrics.ts';
import { nodeFlags } from './v8-flags.ts';

/** Seen from src/ and from dist/, where it is in one file. */
const program = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../main.ts' : '../tollgate.js', import.meta.url),
);
const RENDER_DEADLINE_MS = 1_000;
/** A worker that ends sooner than this was faulty from the start, so the next one is started a little later. */
const WELL_MS = 10_000;
const RESTART_FIRST_MS = 100;
const RESTART_LAST_MS = 5_000;

/** The worker itself has printed why. */
export class WorkerEndedError extends Error {}

type Primary = Readonly<{
  /** Resolves once all workers serve, with what the first of them reported. */
  start(count: number): Promise<Serving>;
  /** What this process makes through its workers is there, so they are ready; later ones are from the start. */
  introduced(): void;
  /** Resolves when all workers have ended. */
  stop(): Promise<void>;
}>;

type PrimaryOptions = Readonly<{
  /** Added to the workers' environment. */
  environment: Readonly<Record<string, string>>;
  /** The variable of that name, which workers have too. */
  nodeOptions: string;
  report(line: string): void;
}>;

type Collection = { readonly texts: WorkerMetrics[]; missing: number; finish(): void };

class WorkerGroup implements Primary {
  readonly #options: PrimaryOptions;
  readonly #workers = new Map<number, Worker>();
  readonly #collections = new Map<number, Collection>();
  #lastCollection = 0;
  #isIntroduced = false;
  #isStopping = false;
  #onEmpty: () => void = () => {};

  constructor(options: PrimaryOptions) {
    this.#options = options;
    const execArgv = [...nodeFlags(process.execArgv, options.nodeOptions)];
    cluster.setupPrimary({ exec: program, args: [], execArgv });
  }

  /**
   * The first worker starts alone: it migrates the database and applies the config file, so the others find that done.
   */
  async start(count: number): Promise<Serving> {
    const [first, ...rest] = Array.from({ length: count }, (_, index) => index + 1);
    const serving = await this.#begin(first ?? 1);
    if (this.#isStopping) throw new WorkerEndedError('it was told to stop while it started');
    const others = await Promise.all(rest.map((place) => this.#begin(place)));
    const newAdminToken = [serving, ...others].find((one) => one.newAdminToken !== null)?.newAdminToken ?? null;
    return { ...serving, newAdminToken };
  }

  introduced(): void {
    this.#isIntroduced = true;
    for (const worker of this.#workers.values()) tell(worker, { kind: 'introduced' });
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    for (const worker of this.#workers.values()) tell(worker, { kind: 'stop' });
    if (this.#workers.size > 0) await empty;
  }

  /** Rejects when the worker ends before it serves; from then on it is replaced when it ends. */
  #begin(place: number, restartMs = RESTART_FIRST_MS): Promise<Serving> {
    const worker = cluster.fork(this.#options.environment);
    const startedMs = systemClock.monotonicMs();
    this.#workers.set(place, worker);
    return new Promise((resolve, reject) => {
      let isServing = false;
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'serving') {
          isServing = true;
          resolve(message.serving);
          // A worker that is starting hears nothing, so it is told once more.
          if (this.#isStopping) tell(worker, { kind: 'stop' });
          if (this.#isIntroduced) tell(worker, { kind: 'introduced' });
        } else this.#hear(place, worker, message);
      });
      worker.once('exit', (code, signal) => {
        this.#workers.delete(place);
        if (this.#workers.size === 0) this.#onEmpty();
        const words = `worker ${place} ended with ${signal ?? code}`;
        if (!isServing) reject(new WorkerEndedError(words));
        else if (!this.#isStopping) {
          const wasWell = systemClock.monotonicMs() - startedMs > WELL_MS;
          void this.#replace(place, words, wasWell ? RESTART_FIRST_MS : restartMs);
        }
      });
    });
  }

  async #replace(place: number, words: string, delayMs: number): Promise<void> {
    this.#options.report(`${words}; another one takes its place`);
    await systemClock.sleep(delayMs);
    if (this.#isStopping) return;
    const nextMs = Math.min(2 * delayMs, RESTART_LAST_MS);
    try {
      await this.#begin(place, nextMs);
    } catch (error) {
      if (!this.#isStopping) await this.#replace(place, error instanceof Error ? error.message : '', nextMs);
    }
  }

  #hear(place: number, worker: Worker, message: Exclude<FromWorker, { kind: 'serving' }>): void {
    if (message.kind === 'collect') this.#collect(worker, message.id);
    else {
      const collection = this.#collections.get(message.id);
      if (collection === undefined) return;
      collection.texts.push({ worker: place, text: message.text });
      collection.missing -= 1;
      if (collection.missing <= 0) collection.finish();
    }
  }

  #collect(asking: Worker, askedId: number): void {
    this.#lastCollection += 1;
    const id = this.#lastCollection;
    const finish = (): void => {
      clearTimeout(timer);
      const { texts } = collection;
      if (!this.#collections.delete(id)) return;
      texts.sort((left, right) => left.worker - right.worker);
      tell(asking, { kind: 'collected', id: askedId, text: mergeMetrics(texts) });
    };
    const timer = setTimeout(finish, RENDER_DEADLINE_MS);
    const collection: Collection = { texts: [], missing: this.#workers.size, finish };
    this.#collections.set(id, collection);
    for (const worker of this.#workers.values()) tell(worker, { kind: 'render', id });
  }
}

/** A worker that has just ended cannot receive a message, and need not. */
function tell(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

export const openPrimary = (options: PrimaryOptions): Primary => new WorkerGroup(options);

// The messages between the first process and its workers.

/** What a worker knows once it serves, and only the first process prints. */
export type Serving = Readonly<{
  url: string;
  siteUrl: string;
  adminToken: string;
  newAdminToken: string | null;
  configDifference: readonly string[];
}>;

export type FromWorker =
  | Readonly<{ kind: 'serving'; serving: Serving }>
  /** The worker was asked for the metrics of all. */
  | Readonly<{ kind: 'collect'; id: number }>
  | Readonly<{ kind: 'rendered'; id: number; text: string }>;

export type ToWorker =
  | Readonly<{ kind: 'stop' }>
  | Readonly<{ kind: 'introduced' }>
  | Readonly<{ kind: 'render'; id: number }>
  | Readonly<{ kind: 'collected'; id: number; text: string }>;
