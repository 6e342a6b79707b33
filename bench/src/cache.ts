// `npm run bench:cache`: what a call from the cache of answers costs, beside one that goes to the upstream, in
// microseconds of the gateway's CPU. Rounds of both alternate, so that other load on the machine affects both alike;
// the callers' figures of hits and savings are printed with it.

import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Generator, runCleanly, startGenerator } from './load/generator.ts';
import { median } from './load/quantiles.ts';
import { cpuSeconds } from './measure/process-usage.ts';
import { runProgram } from './processes.ts';
import { BURST, type Mode, type RequestShape, type Target } from './targets/target.ts';
import { startTollgate } from './targets/tollgate.ts';
import { startUpstream } from './targets/upstream.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '3' } },
});
const CONNECTIONS = 16;
const CACHE = { 'x-tollgate-cache': 'ttl=3600' };
/** Savings are written a few times a minute. */
const SAVINGS_PATIENCE_MS = 90_000;

type Load = Readonly<{ generator: Generator; target: Target }>;

async function microsecondsPerCall({ generator, target }: Load, requests: readonly RequestShape[]): Promise<number> {
  const job = { port: target.port, requests, connections: CONNECTIONS, durationMs: Number(values.seconds) * 1_000 };
  const before = cpuSeconds(target.pids());
  const { completed } = await runCleanly(generator, job);
  return ((cpuSeconds(target.pids()) - before) * 1_000_000) / completed;
}

async function measure(load: Load, mode: Mode): Promise<void> {
  const plain = load.target.requests(mode);
  const cached = plain.map((request) => ({ ...request, headers: { ...request.headers, ...CACHE } }));
  const upstream: number[] = [];
  const hits: number[] = [];
  // The first round warms up, and fills the cache.
  for (let round = 0; round <= Number(values.rounds); round += 1) {
    const ofUpstream = await microsecondsPerCall(load, plain);
    const ofHit = await microsecondsPerCall(load, cached);
    if (round === 0) continue;
    upstream.push(ofUpstream);
    hits.push(ofHit);
  }
  const [plainMicros, hitMicros] = [median(upstream), median(hits)];
  const share = ((hitMicros / plainMicros) * 100).toFixed(0);
  console.log(
    `${mode.padEnd(14)} ${plainMicros.toFixed(0)} us at the upstream, ${hitMicros.toFixed(0)} us a hit (${share} %)`,
  );
}

/** As a caller reads it, once it has been written. */
async function savedBy({ port }: Target, { headers }: RequestShape): Promise<string> {
  const untilMs = performance.now() + SAVINGS_PATIENCE_MS;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/cache`, { headers });
    const text = await answer.text();
    if (/"hits":[1-9]/.test(text) || performance.now() > untilMs) return text.slice(0, 200);
    await sleep(1_000);
  }
}

async function run(): Promise<void> {
  const upstream = await startUpstream();
  const generator = await startGenerator();
  const target = await startTollgate({ upstreamPort: upstream.port });
  if ('absent' in target) throw new Error(target.absent);
  for (const mode of ['whole', BURST] as const) await measure({ generator, target }, mode);
  const metrics = (await target.metrics?.()) ?? '';
  for (const line of metrics.split('\n').filter((it) => it.startsWith('tollgate_answer_cache_'))) console.log(line);
  const [first] = target.requests('whole');
  if (first !== undefined) console.log(`one of the callers: ${await savedBy(target, first)}`);
}

await runProgram(run);
