// What a target adds to the time of a call at half of its maximum load, against the upstream called directly at the
// same rate. Both run one after the other, so that they meet the same machine.

import { runCleanly } from '../load/generator.ts';
import type { LoadResult, Quantiles } from '../load/job.ts';
import type { Mode, Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';

export type AddedLatency = Readonly<{
  callsPerSecond: number;
  /** To the end of the answer. */
  addedMs: Quantiles;
  /** To the first event; zero for whole answers. */
  firstEventAddedMs: Quantiles;
}>;

const CONNECTIONS = 128;

export async function measureAddedLatency(
  bench: Bench,
  target: Target,
  load: Readonly<{ mode: Mode; callsPerSecond: number }>,
): Promise<AddedLatency> {
  const run = (measured: Target): Promise<LoadResult> =>
    runCleanly(bench.generator, {
      port: measured.port,
      requests: measured.requests(load.mode),
      connections: CONNECTIONS,
      durationMs: bench.settings.windowMs,
      callsPerSecond: load.callsPerSecond,
    });
  const direct = await run(bench.upstream.target);
  const through = await run(target);
  return {
    callsPerSecond: load.callsPerSecond,
    addedMs: difference(through.latencyMs, direct.latencyMs),
    firstEventAddedMs: difference(through.firstEventMs, direct.firstEventMs),
  };
}

const difference = (left: Quantiles, right: Quantiles): Quantiles => ({
  p50: left.p50 - right.p50,
  p99: left.p99 - right.p99,
  max: left.max - right.max,
});
