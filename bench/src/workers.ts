// What a second worker is worth: the same load on one and on several workers in turn, with the database and Redis that
// they share. Throughput needs cores of its own for each worker; the CPU time of a call tells on any machine what sharing
// costs.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runCleanly, startGenerator } from './load/generator.ts';
import { median } from './load/quantiles.ts';
import type { Bench } from './measure/bench.ts';
import { measureThroughput, type Throughput } from './measure/throughput.ts';
import { readOptions } from './options.ts';
import { stopEverything } from './processes.ts';
import type { Target } from './targets/target.ts';
import { startTollgate } from './targets/tollgate.ts';
import { startUpstream } from './targets/upstream.ts';
import { startServices, type WorkerServices } from './workers-services.ts';

const SPEED_UP_MIN = 1.7;
const STATEMENTS_MAX = 0.2;
/** Generator, upstream, database and Redis want some, too. */
const CORES_FOR_REST = 2;

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    'no-redis': { type: 'boolean', default: false },
  },
});

type Group = Readonly<{ workers: number; target: Target; rounds: Throughput[] }>;

async function startGroup(workers: number, bench: Bench, services: WorkerServices): Promise<Group> {
  console.error(`starting Tollgate with ${workers} ${workers === 1 ? 'worker' : 'workers'}`);
  const databaseUrl = await services.startDatabase();
  const group = { workers, databaseUrl, redisUrl: services.redisUrl };
  const target = await startTollgate({ upstreamPort: bench.upstream.port, group });
  if ('absent' in target) throw new Error(target.absent);
  return { workers, target, rounds: [] };
}

async function measure(groups: readonly Group[], bench: Bench): Promise<void> {
  const durationMs = Number(values.seconds) * 1_000;
  // As many for each worker: a process that has half the calls at a time also has half the company in every commit.
  const jobOf = ({ target, workers }: Group) => ({
    requests: target.requests('whole'),
    connections: workers * Number(values.connections),
    durationMs,
  });
  for (const group of groups) await runCleanly(bench.generator, { ...jobOf(group), port: group.target.port });
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const group of groups) {
      console.error(`round ${round}: ${group.workers}`);
      group.rounds.push(await measureThroughput(bench, group.target, jobOf(group)));
    }
  }
}

function middle({ rounds }: Group, pick: (round: Throughput) => number | null): number {
  const figures = rounds.map(pick).filter((figure) => figure !== null);
  return figures.length === 0 ? Number.NaN : median(figures);
}

function report(groups: readonly Group[], services: WorkerServices): string {
  const [one, several] = groups as [Group, Group];
  const rows = groups.map((group) =>
    [
      group.workers,
      Math.round(middle(group, (round) => round.callsPerSecond)),
      Math.round(middle(group, (round) => round.cpuMicrosPerCall)),
      middle(group, (round) => round.statementsPerCall).toFixed(3),
      middle(group, (round) => round.commitsPerCall).toFixed(3),
      middle(group, (round) => round.latencyMs.p50).toFixed(1),
      middle(group, (round) => round.latencyMs.p99).toFixed(1),
    ].join(' | '),
  );
  const speedUp = middle(several, (round) => round.callsPerSecond) / middle(one, (round) => round.callsPerSecond);
  const cpu = middle(several, (round) => round.cpuMicrosPerCall) / middle(one, (round) => round.cpuMicrosPerCall);
  const statements = Math.max(...groups.map((group) => middle(group, (round) => round.statementsPerCall)));
  const hasCores = cpus().length >= several.workers + CORES_FOR_REST;
  const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
  return [
    `# ${several.workers} workers against one`,
    '',
    `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores, ${services.description()}, ${values.connections} connections for each worker, medians of ${values.rounds} rounds of ${values.seconds} s.`,
    '',
    '| workers | calls/s | gateway CPU µs/call | statements/call | commits/call | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map((row) => `| ${row} |`),
    '',
    `- calls/s: ${speedUp.toFixed(2)} times one worker (goal ${SPEED_UP_MIN}): ${hasCores ? verdict(speedUp >= SPEED_UP_MIN) : `says nothing with ${cpus().length} cores`}`,
    `- CPU time of a call: ${cpu.toFixed(2)} times; with a core for each worker that is ${(several.workers / cpu).toFixed(2)} times the calls`,
    `- statements per call: ${statements.toFixed(3)} (goal below ${STATEMENTS_MAX}): ${verdict(statements < STATEMENTS_MAX)}`,
    '',
  ].join('\n');
}

async function run(): Promise<void> {
  if (process.env.DATABASE_URL !== undefined) throw new Error('unset DATABASE_URL: each group has a server of its own');
  const services = await startServices(!values['no-redis']);
  try {
    const settings = readOptions([], {})?.settings;
    if (settings === undefined) throw new Error('no settings');
    const bench: Bench = { upstream: await startUpstream(), generator: await startGenerator(), settings };
    const groups = [await startGroup(1, bench, services), await startGroup(Number(values.workers), bench, services)];
    await measure(groups, bench);
    console.log(report(groups, services));
  } finally {
    await stopEverything();
    await services.stop();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => stopEverything().finally(() => process.exit(130)));
}

await run();
process.exit();
