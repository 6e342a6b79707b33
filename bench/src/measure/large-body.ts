// Small calls at a gentle rate, alone and beside a client that sends one body of almost 10 MB after the other, JSON or a
// file: whoever takes a large body in one go makes everybody else wait.

import { runCleanly } from '../load/generator.ts';
import type { Quantiles } from '../load/job.ts';
import type { RequestShape, Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';

export type LargeBody = Readonly<{
  largeCalls: number;
  largeCallMs: Quantiles;
  smallCallAloneMs: Quantiles;
  smallCallBesideMs: Quantiles;
}>;

const LARGE_BYTES = 10_000_000;
const SMALL_CALLS_PER_SECOND = 200;
/** Several bodies must pass for the slowest hundredth to mean anything. */
const DURATION_MS = 2_000;

export function measureLargeBody(bench: Bench, target: Target): Promise<LargeBody> {
  return measureBeside(bench, target, target.requests('whole', LARGE_BYTES));
}

/** A picture to be made another of. */
export function measureUpload(bench: Bench, target: Target): Promise<LargeBody> {
  if (target.uploads === undefined) throw new Error('it takes no files');
  return measureBeside(bench, target, target.uploads(LARGE_BYTES));
}

async function measureBeside(bench: Bench, target: Target, largeRequests: readonly RequestShape[]): Promise<LargeBody> {
  const smallCalls = () =>
    runCleanly(bench.generator, {
      port: target.port,
      requests: target.requests('whole'),
      connections: 32,
      durationMs: DURATION_MS,
      callsPerSecond: SMALL_CALLS_PER_SECOND,
    });
  const alone = await smallCalls();
  const [large, beside] = await Promise.all([
    runCleanly(bench.generator, {
      port: target.port,
      requests: largeRequests.slice(0, 1),
      connections: 1,
      durationMs: DURATION_MS,
    }),
    smallCalls(),
  ]);
  return {
    largeCalls: large.completed,
    largeCallMs: large.latencyMs,
    smallCallAloneMs: alone.latencyMs,
    smallCallBesideMs: beside.latencyMs,
  };
}
