// Simulates calls through many gateway processes, one Redis and one PostgreSQL, in virtual time. What cannot be
// computed by multiplying is how many calls share a commit: that depends on how many processes the calls are spread
// over.

import { BATCH_MAX, CommitPace } from '../../../gateway/src/modules/ledger/commit-pace.ts';
import { Server, seededRandom, Timeline } from './events.ts';
import type { Figures } from './figures.ts';

export type Load = Readonly<{
  processes: number;
  databaseCores: number;
  callsPerSecond: number;
  /** Whether answers are streamed. */
  isStream: boolean;
}>;

export type Outcome = Readonly<{
  /** Shares of each resource, from 0 up to 1. */
  gateway: number;
  database: number;
  redis: number;
  callsPerCommit: number;
  statementsPerCall: number;
  /** What is added to a call: everything but the upstream. */
  p99Ms: number;
}>;

const CALLS = 6_000;
/** The part of a call's work that is done before its answer is complete. */
const BEFORE_ANSWER = 0.7;
type Place = Readonly<{ timeline: Timeline; database: Server; figures: Figures; processes: number }>;

/** Group commit as each process does it. */
class Writer {
  readonly #place: Place;
  #waiting: (() => void)[] = [];
  #isWriting = false;
  #isScheduled = false;
  readonly #pace = new CommitPace();
  commits = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  add(done: () => void): void {
    this.#waiting.push(done);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    const { timeline } = this.#place;
    const { nowMs } = timeline;
    const waitMs = this.#pace.waitMs(this.#waiting.length, Number.POSITIVE_INFINITY, this.#place.processes, nowMs);
    if (this.#isScheduled && waitMs > 0) return;
    this.#isScheduled = true;
    timeline.at(nowMs + Math.max(0, waitMs), () => this.#write());
  }

  #write(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    const { timeline, database, figures } = this.#place;
    const { microsPerCommit, microsPerCall, commitWaitMs } = figures.database;
    const batch = this.#waiting.splice(0, BATCH_MAX);
    this.#isScheduled = false;
    this.#isWriting = true;
    this.#pace.begin(timeline.nowMs, batch.length);
    this.commits += 1;
    database.serve((microsPerCommit + batch.length * microsPerCall) / 1000, () =>
      timeline.at(timeline.nowMs + commitWaitMs, () => {
        this.#isWriting = false;
        this.#pace.committed(timeline.nowMs);
        for (const done of batch) done();
        this.#schedule();
      }),
    );
  }
}

export function simulate(figures: Figures, load: Load): Outcome {
  const timeline = new Timeline();
  const random = seededRandom(1);
  const database = new Server(timeline, load.databaseCores);
  const redis = new Server(timeline, 1);
  const processes = Array.from({ length: load.processes }, () => ({
    core: new Server(timeline, 1),
    writer: new Writer({ timeline, database, figures, processes: load.processes }),
  }));
  const callMs = (load.isStream ? figures.gateway.streamMicros : figures.gateway.wholeMicros) / 1000;
  const addedMs: number[] = [];

  const call = (startMs: number): void => {
    const process = processes[Math.floor(random() * processes.length)];
    if (process === undefined) return;
    const { core, writer } = process;
    const settle = (): void =>
      writer.add(() => core.serve(callMs * (1 - BEFORE_ANSWER), () => addedMs.push(timeline.nowMs - startMs)));
    redis.serve(figures.redis.microsPerCall / 1000, () => core.serve(callMs * BEFORE_ANSWER, settle));
  };
  let arrivalMs = 0;
  for (let index = 0; index < CALLS; index += 1) {
    const startMs = arrivalMs;
    timeline.at(startMs, () => call(startMs));
    arrivalMs += (-Math.log(1 - random()) * 1000) / load.callsPerSecond;
  }
  timeline.runAll();

  // Shares are of the time in which calls arrived; a longer run shows as more than one.
  const busy = (servers: readonly Server[]): number => servers.reduce((sum, { busyMs }) => sum + busyMs, 0);
  const commits = processes.reduce((sum, { writer }) => sum + writer.commits, 0);
  const idleStatements = load.processes * figures.gateway.idleStatementsPerSecond;
  const idleDatabase = (idleStatements * figures.database.microsPerCommit) / 1e6 / load.databaseCores;
  addedMs.sort((left, right) => left - right);
  return {
    gateway:
      busy(processes.map(({ core }) => core)) / arrivalMs / load.processes + figures.gateway.idleMillisPerSecond / 1000,
    database: busy([database]) / arrivalMs / load.databaseCores + idleDatabase,
    redis: redis.busyMs / arrivalMs,
    callsPerCommit: CALLS / commits,
    statementsPerCall: commits / CALLS + idleStatements / load.callsPerSecond,
    p99Ms: addedMs[Math.floor(addedMs.length * 0.99)] ?? Number.NaN,
  };
}
