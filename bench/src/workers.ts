// What a second worker is worth: the same load on one worker, on several that share everything, and on as many that
// share nothing, in turn. Throughput needs a core for each worker; the CPU time of a call shows on any machine what
// sharing costs, because workers that share nothing also compete for the machine.

import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { runCleanly, startGenerator } from './load/generator.ts';
import { median } from './load/quantiles.ts';
import type { Bench } from './measure/bench.ts';
import { measureThroughput, type Throughput } from './measure/throughput.ts';
import { readOptions } from './options.ts';
import { runProgram, stopEverything } from './processes.ts';
import type { Target } from './targets/target.ts';
import { startTollgate } from './targets/tollgate.ts';
import { startUpstream } from './targets/upstream.ts';
import { startServices, type WorkerServices } from './workers-services.ts';

const SPEED_UP_MIN = 1.7;
const STATEMENTS_MAX = 0.2;
/** Generator, upstream, database and Redis need cores, too. */
const CORES_FOR_REST = 2;

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    // For each worker. On a machine that others use too, every group then does the same work.
    rate: { type: 'string' },
    'no-redis': { type: 'boolean', default: false },
  },
});

/** Gateways that are under load together, each with as many workers. */
type Group = Readonly<{ title: string; workers: number; targets: readonly Target[]; rounds: Round[] }>;

type Round = Readonly<{
  callsPerSecond: number;
  cpuMicrosPerCall: number;
  statementsPerCall: number;
  commitsPerCall: number;
  p50Ms: number;
  p99Ms: number;
}>;

async function startGateway(workers: number, bench: Bench, services: WorkerServices): Promise<Target> {
  const databaseUrl = await services.startDatabase();
  const group = { workers, databaseUrl, redisUrl: services.redisUrl };
  const target = await startTollgate({ upstreamPort: bench.upstream.port, group });
  if ('absent' in target) throw new Error(target.absent);
  return target;
}

async function startGroups(bench: Bench, services: WorkerServices): Promise<readonly [Group, Group, Group]> {
  const several = Number(values.workers);
  console.error(`starting Tollgate with one worker, with ${several}, and ${several} times with one`);
  const apart: Target[] = [];
  while (apart.length < several) apart.push(await startGateway(1, bench, services));
  return [
    { title: 'one', workers: 1, targets: [await startGateway(1, bench, services)], rounds: [] },
    {
      title: `${several} together`,
      workers: several,
      targets: [await startGateway(several, bench, services)],
      rounds: [],
    },
    { title: `${several} apart`, workers: 1, targets: apart, rounds: [] },
  ];
}

async function measure(groups: readonly Group[], bench: Bench): Promise<void> {
  const durationMs = Number(values.seconds) * 1_000;
  // The same number for each worker: a process with half the calls at a time also has half as many in every commit.
  const jobOf = (target: Target, workers: number) => ({
    requests: target.requests('whole'),
    connections: workers * Number(values.connections),
    durationMs,
    ...(values.rate === undefined ? {} : { callsPerSecond: workers * Number(values.rate) }),
  });
  for (const { targets, workers } of groups) {
    for (const target of targets) await runCleanly(bench.generator, { ...jobOf(target, workers), port: target.port });
  }
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const { title, targets, workers, rounds } of groups) {
      console.error(`round ${round}: ${title}`);
      const measured = targets.map((target) => measureThroughput(bench, target, jobOf(target, workers)));
      rounds.push(together(await Promise.all(measured)));
    }
  }
}

/** Gateways under load at the same time: calls are added up, the rest is the mean over their calls. */
function together(all: readonly Throughput[]): Round {
  const callsPerSecond = all.reduce((sum, one) => sum + one.callsPerSecond, 0);
  const mean = (pick: (one: Throughput) => number | null): number =>
    all.reduce((sum, one) => sum + (pick(one) ?? Number.NaN) * one.callsPerSecond, 0) / callsPerSecond;
  return {
    callsPerSecond,
    cpuMicrosPerCall: mean((one) => one.cpuMicrosPerCall),
    statementsPerCall: mean((one) => one.statementsPerCall),
    commitsPerCall: mean((one) => one.commitsPerCall),
    p50Ms: mean((one) => one.latencyMs.p50),
    p99Ms: Math.max(...all.map((one) => one.latencyMs.p99)),
  };
}

const middle = ({ rounds }: Group, pick: (round: Round) => number): number => median(rounds.map(pick));

function row(group: Group): string {
  const cells = [
    group.title,
    Math.round(middle(group, (round) => round.callsPerSecond)),
    Math.round(middle(group, (round) => round.cpuMicrosPerCall)),
    middle(group, (round) => round.statementsPerCall).toFixed(3),
    middle(group, (round) => round.commitsPerCall).toFixed(3),
    middle(group, (round) => round.p50Ms).toFixed(1),
    middle(group, (round) => round.p99Ms).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |`;
}

function report(groups: readonly [Group, Group, Group], services: WorkerServices): string {
  const [one, shared, apart] = groups;
  const { workers } = shared;
  const speedUp = middle(shared, (round) => round.callsPerSecond) / middle(one, (round) => round.callsPerSecond);
  const cpu = (group: Group): number => middle(group, (round) => round.cpuMicrosPerCall);
  const statements = Math.max(...groups.map((group) => middle(group, (round) => round.statementsPerCall)));
  const hasCores = cpus().length >= workers + CORES_FOR_REST;
  const sharing = cpu(shared) / cpu(apart);
  const verdict = (isReached: boolean): string => (isReached ? 'reached' : 'MISSED');
  const isFastEnough = hasCores ? speedUp >= SPEED_UP_MIN : workers / sharing >= SPEED_UP_MIN;
  // At a fixed rate fewer calls share a commit than at full load.
  const isAtLoad = values.rate === undefined;
  if (!isFastEnough || (isAtLoad && statements >= STATEMENTS_MAX)) process.exitCode = 1;
  return [
    `# ${workers} workers against one`,
    '',
    `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} cores, ${services.description()}, ${values.connections} connections${values.rate === undefined ? '' : ` and ${values.rate} calls a second`} for each worker, medians of ${values.rounds} rounds of ${values.seconds} s.`,
    '',
    '| workers | calls/s | gateway CPU µs/call | statements/call | commits/call | p50 ms | p99 ms |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...groups.map(row),
    '',
    `- calls/s: ${speedUp.toFixed(2)} times one worker (goal ${SPEED_UP_MIN}): ${hasCores ? verdict(isFastEnough) : `says nothing with ${cpus().length} cores, which everything here shares`}`,
    `- CPU time of a call: ${(cpu(shared) / cpu(one)).toFixed(2)} times that of one worker alone, of which the company on the machine is ${(cpu(apart) / cpu(one)).toFixed(2)} and sharing ${sharing.toFixed(2)}`,
    `- with a core for each worker, sharing leaves ${(workers / sharing).toFixed(2)} times the calls${hasCores ? '' : ` (goal ${SPEED_UP_MIN}): ${verdict(isFastEnough)}`}`,
    `- statements per call: ${statements.toFixed(3)} (goal below ${STATEMENTS_MAX}): ${isAtLoad ? verdict(statements < STATEMENTS_MAX) : 'says nothing at a given rate'}`,
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
    const groups = await startGroups(bench, services);
    await measure(groups, bench);
    console.log(report(groups, services));
  } finally {
    await stopEverything();
    await services.stop();
  }
}

await runProgram(run);
