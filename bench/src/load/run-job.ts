// Runs one job: either each connection calls again as soon as it is answered, or calls begin at a fixed rate on any
// free connection. Calls always run to their end, because a client that leaves is another case.

import { type Answer, Connection, type RequestBytes } from './connection.ts';
import type { LoadJob, LoadResult } from './job.ts';
import { quantiles } from './quantiles.ts';
import { renew, requestBytes } from './request-bytes.ts';

const FAILURES_MAX = 20;
const DRAIN_MS = 30_000;
const TICK_MS = 1;
const opening: RequestBytes = {
  bytes: Buffer.from('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'),
  isStream: false,
  textAt: -1,
};

export function runJob(job: LoadJob): Promise<LoadResult> {
  return new Promise((resolve) => new Run(job, resolve).begin());
}

class Run {
  readonly #job: LoadJob;
  readonly #resolve: (result: LoadResult) => void;
  readonly #requests: readonly RequestBytes[];
  readonly #connections: readonly Connection[];
  readonly #requestOf = new Map<Connection, RequestBytes>();
  readonly #callsMade = new Map<Connection, number>();
  readonly #free: Connection[] = [];
  /** When each call that waits for a connection was due. */
  readonly #waiting: number[] = [];
  readonly #latenciesMs: number[] = [];
  readonly #onsetLatenciesMs: number[] = [];
  readonly #firstEventsMs: number[] = [];
  readonly #refusalsMs: number[] = [];
  #refusalsWithRetryAfter = 0;
  readonly #timers: NodeJS.Timeout[] = [];
  #startedAtMs = 0;
  #completedInTime = 0;
  #stillOpening = 0;
  #open = 0;
  #begun = 0;
  #failed = 0;
  #firstFailure: string | null = null;
  #isOver = false;
  #isReported = false;

  constructor(job: LoadJob, resolve: (result: LoadResult) => void) {
    this.#job = job;
    this.#resolve = resolve;
    this.#requests = job.requests.map((shape) => requestBytes(shape, job.port));
    this.#connections = Array.from(
      { length: job.connections },
      () => new Connection(job.port, (connection, answer) => this.#onAnswer(connection, answer)),
    );
  }

  begin(): void {
    if (this.#job.opensFirst !== true) {
      this.#start();
      return;
    }
    this.#stillOpening = this.#connections.length;
    for (const connection of this.#connections) connection.send(opening);
  }

  #start(): void {
    this.#startedAtMs = performance.now();
    this.#connections.forEach((connection, index) => {
      const request = this.#requests[index % this.#requests.length];
      if (request !== undefined) this.#requestOf.set(connection, request);
    });
    if (this.#job.callsPerSecond !== undefined) this.#startAtRate(this.#job.callsPerSecond);
    else this.#startEach();
    this.#timers.push(
      setTimeout(() => this.#stop(), this.#job.durationMs),
      setTimeout(() => this.#report(), this.#job.durationMs + DRAIN_MS),
    );
  }

  #startEach(): void {
    const { spreadMs = 0, connections } = this.#job;
    this.#connections.forEach((connection, index) => {
      if (spreadMs === 0) this.#call(connection);
      else this.#timers.push(setTimeout(() => this.#call(connection), (index * spreadMs) / connections));
    });
  }

  #startAtRate(callsPerSecond: number): void {
    this.#free.push(...this.#connections);
    const tick = (): void => {
      const nowMs = performance.now();
      const dueCalls = Math.floor(((nowMs - this.#startedAtMs) / 1_000) * callsPerSecond);
      for (; this.#begun < dueCalls && !this.#isOver; this.#begun += 1) {
        const connection = this.#free.pop();
        if (connection === undefined) this.#waiting.push(nowMs);
        else this.#call(connection, nowMs);
      }
    };
    this.#timers.push(setInterval(tick, TICK_MS));
  }

  #call(connection: Connection, dueAtMs?: number): void {
    const request = this.#requestOf.get(connection);
    if (request === undefined || this.#isReported) return;
    this.#open += 1;
    if (this.#job.isNew === true) renew(request);
    // A gateway that may refuse is judged from the moment a call was sent: one without a free connection waited for
    // others.
    connection.send(request, this.#job.takesRefusals === true ? undefined : dueAtMs);
  }

  #onAnswer(connection: Connection, answer: Answer): void {
    if (this.#stillOpening > 0) {
      this.#stillOpening -= 1;
      if (this.#stillOpening === 0) this.#start();
      return;
    }
    this.#open -= 1;
    if (answer.failure === null) {
      const isOnset = answer.sentAtMs - this.#startedAtMs < (this.#job.onsetMs ?? 0);
      (isOnset ? this.#onsetLatenciesMs : this.#latenciesMs).push(answer.endedAtMs - answer.sentAtMs);
      if (answer.firstEventAtMs > 0) this.#firstEventsMs.push(answer.firstEventAtMs - answer.sentAtMs);
      if (!this.#isOver) this.#completedInTime += 1;
    } else if (answer.status === 503 && this.#job.takesRefusals === true) {
      this.#refusalsMs.push(answer.endedAtMs - answer.sentAtMs);
      if (answer.hasRetryAfter) this.#refusalsWithRetryAfter += 1;
    } else {
      this.#failed += 1;
      this.#firstFailure ??= answer.failure;
      if (this.#failed >= FAILURES_MAX) this.#stop();
    }
    this.#goOn(connection);
  }

  #goOn(connection: Connection): void {
    if (this.#job.callsPerSecond !== undefined) {
      const dueAtMs = this.#waiting.shift();
      if (dueAtMs === undefined) this.#free.push(connection);
      else this.#call(connection, dueAtMs);
    } else {
      const made = (this.#callsMade.get(connection) ?? 0) + 1;
      this.#callsMade.set(connection, made);
      const isLast = made >= (this.#job.callsPerConnection ?? Number.POSITIVE_INFINITY);
      if (!this.#isOver && !isLast) this.#call(connection);
      else if (isLast) this.#isOver ||= this.#haveAllEnded();
    }
    if (this.#isOver && this.#open === 0) this.#report();
  }

  #haveAllEnded(): boolean {
    return this.#open === 0 && this.#callsMade.size === this.#connections.length;
  }

  #stop(): void {
    this.#isOver = true;
    if (this.#open === 0 && this.#waiting.length === 0) this.#report();
  }

  #report(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const connection of this.#connections) connection.close();
    const unfinished = this.#open + this.#waiting.length;
    this.#resolve({
      completed: this.#latenciesMs.length + this.#onsetLatenciesMs.length,
      callsPerSecond: this.#completedInTime / (this.#job.durationMs / 1_000),
      failed: this.#failed + unfinished,
      refused: {
        count: this.#refusalsMs.length,
        withRetryAfter: this.#refusalsWithRetryAfter,
        latencyMs: quantiles(this.#refusalsMs),
      },
      firstFailure: this.#firstFailure ?? (unfinished > 0 ? `${unfinished} calls were not answered` : null),
      latencyMs: quantiles(this.#latenciesMs),
      onsetLatencyMs: quantiles(this.#onsetLatenciesMs),
      firstEventMs: quantiles(this.#firstEventsMs),
    });
  }
}
