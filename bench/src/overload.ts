// `npm run overload -- --seconds 10 --factor 3`: what a gateway does when it gets several times the load that it can
// serve. First its capacity is measured, with an upstream that answers at once; then, with one that takes half a
// second, how long a call takes at half of it, and calls at the multiple, whether or not earlier ones were answered,
// while health, the console and the account are polled; then how soon everything is as before.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Generator, runCleanly, startGenerator } from './load/generator.ts';
import type { LoadResult } from './load/job.ts';
import { quantiles } from './load/quantiles.ts';
import { runProgram } from './processes.ts';
import { MADE, type RequestShape, type Target } from './targets/target.ts';
import { startTollgate } from './targets/tollgate.ts';
import { startUpstream } from './targets/upstream.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    factor: { type: 'string', default: '3' },
    kilobytes: { type: 'string', default: '1' },
    connections: { type: 'string', default: '3000' },
    /** Whether the callers connect only when the load begins, instead of having open connections. */
    strangers: { type: 'boolean', default: false },
  },
});
const durationMs = Number(values.seconds) * 1_000;
/**
 * With fewer, group commits are small and a call costs more than it could; with many more, some calls would be refused.
 */
const CAPACITY_CONNECTIONS = 64;
/** The time until an overload is recognized. */
const ONSET_MS = 1_000;
const PROBE_PAUSE_MS = 50;
const PROBE_PATIENCE_MS = 10_000;
const RECOVERY_MS_MAX = 60_000;
/** Figures at full load mean nothing before the code is warm. */
const WARM_UP_MS = 3_000;

type Probe = Readonly<{ path: string; latencyMs: number; status: number }>;

/** Polls again and again, like a load balancer, an operator and a customer. */
async function lookIn(target: Target, key: RequestShape, isOver: () => boolean): Promise<readonly Probe[]> {
  const probes: Probe[] = [];
  const paths = ['/healthz', '/readyz', '/v1/key', '/v1/credits', '/v1/models', '/console/'];
  for (let turn = 0; !isOver(); turn += 1) {
    const path = paths[turn % paths.length] ?? '/healthz';
    const beganMs = performance.now();
    const status = await fetch(`http://127.0.0.1:${target.port}${path}`, {
      headers: key.headers,
      signal: AbortSignal.timeout(PROBE_PATIENCE_MS),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status;
      },
      () => 0,
    );
    probes.push({ path, status, latencyMs: performance.now() - beganMs });
    await sleep(PROBE_PAUSE_MS);
  }
  return probes;
}

type Load = Readonly<{ generator: Generator; target: Target; requests: readonly RequestShape[] }>;

function capacity({ generator, target, requests }: Load, forMs: number): Promise<LoadResult> {
  return runCleanly(generator, { port: target.port, requests, connections: CAPACITY_CONNECTIONS, durationMs: forMs });
}

function atRate({ generator, target, requests }: Load, callsPerSecond: number): Promise<LoadResult> {
  const connections = Number(values.connections);
  const opensFirst = !values.strangers;
  return generator.run({
    port: target.port,
    requests,
    connections,
    durationMs,
    callsPerSecond,
    takesRefusals: true,
    onsetMs: ONSET_MS,
    opensFirst,
  });
}

/** From the end of the load until a series of calls, one after the other, is served without a refusal. */
async function recovery(load: Load): Promise<number> {
  const beganMs = performance.now();
  const { generator, target, requests } = load;
  while (performance.now() - beganMs < RECOVERY_MS_MAX) {
    const one = { port: target.port, requests, connections: 1, durationMs: 200, takesRefusals: true } as const;
    const endedMs = performance.now();
    const { refused, failed, completed } = await generator.run(one);
    if (refused.count === 0 && failed === 0 && completed > 0) return endedMs - beganMs;
  }
  return Number.POSITIVE_INFINITY;
}

const ms = (value: number): string => `${value.toFixed(1)} ms`;

function report(
  measured: Readonly<{
    full: LoadResult;
    half: LoadResult;
    over: LoadResult;
    probes: readonly Probe[];
    backMs: number;
  }>,
): string {
  const { full, half, over, probes, backMs } = measured;
  const bad = probes.filter(({ status }) => status !== 200);
  const { refused } = over;
  const probed = quantiles(probes.map(({ latencyMs }) => latencyMs));
  return [
    `capacity: ${full.callsPerSecond.toFixed(0)} calls a second of ${values.kilobytes} KB; at half of it p50 ${ms(half.latencyMs.p50)}, p99 ${ms(half.latencyMs.p99)}`,
    `asked for ${values.factor} times that for ${values.seconds} s: served ${over.callsPerSecond.toFixed(0)} a second (${((over.callsPerSecond / full.callsPerSecond) * 100).toFixed(0)} % of capacity)`,
    `refused ${refused.count}, ${refused.withRetryAfter} of them with Retry-After, after p50 ${ms(refused.latencyMs.p50)}, p99 ${ms(refused.latencyMs.p99)}`,
    `served, after the first second, in p50 ${ms(over.latencyMs.p50)}, p99 ${ms(over.latencyMs.p99)}: ${(over.latencyMs.p99 / half.latencyMs.p99).toFixed(1)} times the p99 at half load`,
    `in the first second: p50 ${ms(over.onsetLatencyMs.p50)}, p99 ${ms(over.onsetLatencyMs.p99)}`,
    `other failures: ${over.failed}${over.firstFailure === null ? '' : ` (${over.firstFailure.slice(0, 120)})`}`,
    `looked in ${probes.length} times meanwhile: ${bad.length} not answered with 200, p50 ${ms(probed.p50)}, p99 ${ms(probed.p99)}`,
    `as before after ${ms(backMs)}`,
  ].join('\n');
}

async function run(): Promise<void> {
  const upstream = await startUpstream();
  const generator = await startGenerator();
  const target = await startTollgate({ upstreamPort: upstream.port });
  if ('absent' in target) throw new Error(target.absent);
  const contentBytes = Number(values.kilobytes) * 1_000;
  const requests = target.requests(MADE, contentBytes);
  const [first] = requests;
  if (first === undefined) throw new Error('no requests');
  const load: Load = { generator, target, requests };
  const quick: Load = { ...load, requests: target.requests('whole', contentBytes) };
  await capacity(quick, WARM_UP_MS);
  const full = await capacity(quick, durationMs);
  const half = await atRate(load, full.callsPerSecond / 2);
  let isOver = false;
  const looking = lookIn(target, first, () => isOver);
  const over = await atRate(load, full.callsPerSecond * Number(values.factor));
  isOver = true;
  const backMs = await recovery(load);
  console.log(report({ full, half, over, probes: await looking, backMs }));
}

await runProgram(run);
