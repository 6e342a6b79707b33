// One measurement under full load: how many calls, and how much CPU time the target and its database took for each.
// The CPU time covers the calls that end after the window too, and so does the number that it is divided by.

import { runCleanly } from '../load/generator.ts';
import type { LoadJob, Quantiles } from '../load/job.ts';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { cpuSeconds, cpuSecondsWithEnded } from './process-usage.ts';
import { sumOf } from './prometheus.ts';

export type Throughput = Readonly<{
  callsPerSecond: number;
  cpuMicrosPerCall: number;
  /** For paced streams only. */
  cpuMicrosPerFrame: number | null;
  databaseMicrosPerCall: number | null;
  statementsPerCall: number | null;
  /** Group commits for each call: far below one under load. */
  commitsPerCall: number | null;
  latencyMs: Quantiles;
  firstEventMs: Quantiles;
}>;

const STATEMENTS = /^tollgate_.*statements_total$/;
const COMMITS = /^tollgate_settlement_batch_size_count$/;

type Reading = Readonly<{
  cpuSeconds: number;
  databaseSeconds: number;
  statements: number | null;
  commits: number | null;
  upstreamCalls: number;
  pacedFrames: number;
}>;

async function read(bench: Bench, target: Target): Promise<Reading> {
  const { calls, pacedFrames } = await bench.upstream.counts();
  const metrics = await target.metrics?.();
  return {
    upstreamCalls: calls,
    pacedFrames,
    statements: metrics === undefined ? null : sumOf(metrics, STATEMENTS),
    commits: metrics === undefined ? null : sumOf(metrics, COMMITS),
    cpuSeconds: cpuSeconds(target.pids()),
    databaseSeconds: cpuSecondsWithEnded(target.databasePids?.() ?? []),
  };
}

export async function measureThroughput(bench: Bench, target: Target, job: Omit<LoadJob, 'port'>): Promise<Throughput> {
  const before = await read(bench, target);
  const result = await runCleanly(bench.generator, { ...job, port: target.port });
  const after = await read(bench, target);
  const upstreamCalls = after.upstreamCalls - before.upstreamCalls;
  if (upstreamCalls < result.completed) {
    throw new Error(`${result.completed} answers but only ${upstreamCalls} calls reached the upstream`);
  }
  const cpuMicros = (after.cpuSeconds - before.cpuSeconds) * 1e6;
  const pacedFrames = after.pacedFrames - before.pacedFrames;
  const databaseMicros = (after.databaseSeconds - before.databaseSeconds) * 1e6;
  return {
    callsPerSecond: result.callsPerSecond,
    cpuMicrosPerCall: cpuMicros / result.completed,
    cpuMicrosPerFrame: pacedFrames === 0 ? null : cpuMicros / pacedFrames,
    databaseMicrosPerCall: target.databasePids === undefined ? null : databaseMicros / result.completed,
    statementsPerCall: growthPer(result.completed, before.statements, after.statements),
    commitsPerCall: growthPer(result.completed, before.commits, after.commits),
    latencyMs: result.latencyMs,
    firstEventMs: result.firstEventMs,
  };
}

const growthPer = (calls: number, before: number | null, after: number | null): number | null =>
  before === null || after === null ? null : (after - before) / calls;
