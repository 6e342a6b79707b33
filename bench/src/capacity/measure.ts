// The figures for the simulation, from one short run of one gateway process with PostgreSQL and Redis. The database's
// cost of a commit and of a call in it are told apart by two loads, one with large commits and one with small.

import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, sql } from '../../../gateway/src/platform/db/database.ts';
import { openDatabase } from '../../../gateway/src/platform/db/postgres.ts';
import { silentLogger } from '../../../gateway/src/platform/logger.ts';
import { runCleanly } from '../load/generator.ts';
import type { LoadJob } from '../load/job.ts';
import { median } from '../load/quantiles.ts';
import type { Bench } from '../measure/bench.ts';
import { cpuSeconds, cpuSecondsWithEnded, parentOf, processTree } from '../measure/process-usage.ts';
import { sumOf } from '../measure/prometheus.ts';
import { type Mode, PACED, type Target } from '../targets/target.ts';
import { startTollgate } from '../targets/tollgate.ts';
import type { WorkerServices } from '../workers-services.ts';
import { askRedis } from './ask-redis.ts';
import type { Figures } from './figures.ts';

export type Measuring = Readonly<{ bench: Bench; services: WorkerServices; seconds: number; circumstances: string }>;

const MANY = 64;
const FEW = 4;
const STREAMS = 100;
const COMMITS = 60;
/** The server adds up what it has counted about once a second. */
const STATISTICS_MS = 1_500;

const backendStatement = sql('capacity_backend', 'select pg_backend_pid() as pid');
const countsStatement = sql(
  'capacity_counts',
  `select (tup_inserted + tup_updated)::float8 as rows, pg_database_size(datname)::float8 as bytes,
          pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as "logBytes"
   from pg_stat_database where datname = current_database()`,
);
const tableStatement = sql('capacity_table', 'create table capacity_commits (n integer)');
const nothingStatement = sql('capacity_nothing', 'select 1 as n');
const insertStatement = sql('capacity_insert', 'insert into capacity_commits values (1)');

type Counts = Readonly<{ rows: number; bytes: number; logBytes: number }>;

class Run {
  readonly #bench: Bench;
  readonly #target: Target;
  readonly #database: Database;
  readonly #postmaster: number;
  readonly #redisUrl: string;

  constructor(
    bench: Bench,
    target: Target,
    stores: Readonly<{ database: Database; postmaster: number; redisUrl: string }>,
  ) {
    this.#bench = bench;
    this.#target = target;
    this.#database = stores.database;
    this.#postmaster = stores.postmaster;
    this.#redisUrl = stores.redisUrl;
  }

  /** What some work uses, in seconds of CPU and in counts. */
  async during(work: () => Promise<number>): Promise<Spent> {
    const before = await this.#read();
    const calls = await work();
    const after = await this.#read();
    return { calls, ...subtract(after, before) };
  }

  load(mode: Mode, job: Omit<LoadJob, 'port' | 'requests'>): Promise<Spent> {
    const requests = this.#target.requests(mode);
    return this.during(
      async () => (await runCleanly(this.#bench.generator, { ...job, requests, port: this.#target.port })).completed,
    );
  }

  async counts(): Promise<Counts> {
    await sleep(STATISTICS_MS);
    const [counts] = await this.#database.query<Counts>(countsStatement);
    if (counts === undefined) throw new Error('the database counts nothing');
    return counts;
  }

  async #read(): Promise<Omit<Spent, 'calls'>> {
    const metrics = (await this.#target.metrics?.()) ?? '';
    const { pid, commands } = await askRedis(this.#redisUrl);
    return {
      gatewaySeconds: cpuSeconds(this.#target.pids()),
      databaseSeconds: cpuSecondsWithEnded(processTree(this.#postmaster)),
      redisSeconds: cpuSeconds([pid]),
      commands,
      statements: sumOf(metrics, /^tollgate_database_statements_total$/) ?? 0,
      commits: sumOf(metrics, /^tollgate_settlement_batch_size_count$/) ?? 0,
      elapsedSeconds: performance.now() / 1000,
    };
  }
}

type Spent = Readonly<{
  calls: number;
  gatewaySeconds: number;
  databaseSeconds: number;
  redisSeconds: number;
  commands: number;
  statements: number;
  commits: number;
  elapsedSeconds: number;
}>;

const subtract = (after: Omit<Spent, 'calls'>, before: Omit<Spent, 'calls'>): Omit<Spent, 'calls'> => ({
  gatewaySeconds: after.gatewaySeconds - before.gatewaySeconds,
  databaseSeconds: after.databaseSeconds - before.databaseSeconds,
  redisSeconds: after.redisSeconds - before.redisSeconds,
  commands: after.commands - before.commands,
  statements: after.statements - before.statements,
  commits: after.commits - before.commits,
  elapsedSeconds: after.elapsedSeconds - before.elapsedSeconds,
});

/** How long a commit waits beyond a statement that writes nothing. */
async function commitWaitMs(database: Database): Promise<number> {
  await database.query(tableStatement);
  const time = async (statement: typeof insertStatement): Promise<number> => {
    const times: number[] = [];
    for (let index = 0; index < COMMITS; index += 1) {
      const startedMs = performance.now();
      await database.query(statement);
      times.push(performance.now() - startedMs);
    }
    return median(times);
  };
  return Math.max(0, (await time(insertStatement)) - (await time(nothingStatement)));
}

/** Two loads, two unknowns: the cost of a commit and of a call in it. */
function databaseCosts(many: Spent, few: Spent): Readonly<{ microsPerCommit: number; microsPerCall: number }> {
  const of = ({ databaseSeconds, commits, calls }: Spent) => ({
    micros: (databaseSeconds * 1e6) / calls,
    commits: commits / calls,
  });
  const [large, small] = [of(many), of(few)];
  const slope = (small.micros - large.micros) / (small.commits - large.commits);
  // Noise must not make either of them zero.
  const microsPerCommit = Math.min(Math.max(slope, 0), (0.8 * large.micros) / large.commits);
  return { microsPerCommit, microsPerCall: large.micros - microsPerCommit * large.commits };
}

export async function measureFigures({ bench, services, seconds, circumstances }: Measuring): Promise<Figures> {
  const databaseUrl = await services.startDatabase();
  const { redisUrl } = services;
  if (redisUrl === null) throw new Error('capacity is measured with Redis');
  const target = await startTollgate({
    upstreamPort: bench.upstream.port,
    group: { workers: 1, databaseUrl, redisUrl },
  });
  if ('absent' in target) throw new Error(target.absent);
  const database = openDatabase(databaseUrl, silentLogger);
  try {
    const [backend] = await database.query<{ pid: number }>(backendStatement);
    const postmaster = parentOf(backend?.pid ?? 0);
    const run = new Run(bench, target, { database, postmaster, redisUrl });
    return await figuresOf(run, database, { seconds, circumstances, description: services.description() });
  } finally {
    await database.close();
  }
}

type About = Readonly<{ seconds: number; circumstances: string; description: string }>;

async function figuresOf(run: Run, database: Database, about: About): Promise<Figures> {
  const durationMs = about.seconds * 1_000;
  console.error('  warming up');
  await run.load('whole', { connections: MANY, durationMs });
  await run.load(PACED, { connections: FEW, durationMs: 1, callsPerConnection: 1 });
  console.error('  idle');
  const idle = await run.during(() => sleep(durationMs).then(() => 0));
  console.error('  whole calls');
  const countsBefore = await run.counts();
  const many = await run.load('whole', { connections: MANY, durationMs });
  const countsAfter = await run.counts();
  const few = await run.load('whole', { connections: FEW, durationMs });
  console.error('  streams');
  const streamed = await run.load(PACED, {
    connections: STREAMS,
    durationMs: 4_000,
    callsPerConnection: 1,
    spreadMs: 2_000,
  });
  const idleShare = idle.gatewaySeconds / idle.elapsedSeconds;
  const microsOf = ({ gatewaySeconds, elapsedSeconds, calls }: Spent): number =>
    ((gatewaySeconds - idleShare * elapsedSeconds) * 1e6) / calls;
  const perCall = (pick: (counts: Counts) => number): number => (pick(countsAfter) - pick(countsBefore)) / many.calls;
  const [databaseName = '', redisName = ''] = about.description.split(', ');
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    machine: {
      node: process.version,
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      database: databaseName,
      redis: redisName,
    },
    circumstances: about.circumstances,
    gateway: {
      wholeMicros: microsOf(many),
      streamMicros: microsOf(streamed),
      idleMillisPerSecond: idleShare * 1_000,
      idleStatementsPerSecond: idle.statements / idle.elapsedSeconds,
    },
    database: {
      ...databaseCosts(many, few),
      commitWaitMs: await commitWaitMs(database),
      rowsPerCall: perCall(({ rows }) => rows),
      bytesPerCall: perCall(({ bytes }) => bytes),
      logBytesPerCall: perCall(({ logBytes }) => logBytes),
    },
    redis: {
      microsPerCall: (many.redisSeconds * 1e6) / many.calls,
      commandsPerCall: many.commands / many.calls,
    },
    seen: {
      callsPerSecond: many.calls / many.elapsedSeconds,
      statementsPerCall: many.statements / many.calls,
      callsPerCommit: many.calls / many.commits,
    },
  };
}
