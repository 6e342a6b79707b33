// Many streams that are open at once and say little, as those of slow models do: what each costs in memory, and how
// small calls fare beside them. The target must be freshly started, or memory left from earlier load hides the growth.

import { setTimeout as sleep } from 'node:timers/promises';
import { runCleanly } from '../load/generator.ts';
import type { Quantiles } from '../load/job.ts';
import { median } from '../load/quantiles.ts';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { residentBytes } from './process-usage.ts';
import { sumOf } from './prometheus.ts';

export type SlowStreams = Readonly<{
  streams: number;
  bytesPerStream: number;
  /** The longest that the event loop stood still while the streams were open, where the target tells. */
  loopDelayMaxMs: number | null;
  smallCallAloneMs: Quantiles;
  smallCallBesideMs: Quantiles;
}>;

const SMALL_CALLS_PER_SECOND = 100;
const SMALL_CALLS_MS = 1_500;
const OPENING_MS = 1_000;
const OPEN_TIMEOUT_MS = 15_000;
const MEMORY_READINGS = 5;

export async function measureSlowStreams(bench: Bench, target: Target): Promise<SlowStreams> {
  const { slowStreams, slowMode } = bench.settings;
  const smallCalls = () =>
    runCleanly(bench.generator, {
      port: target.port,
      requests: target.requests('whole'),
      connections: 16,
      durationMs: SMALL_CALLS_MS,
      callsPerSecond: SMALL_CALLS_PER_SECOND,
    });
  const alone = await smallCalls();
  const bytesBefore = await settledBytes(target);
  const streams = runCleanly(bench.generator, {
    port: target.port,
    requests: target.requests(slowMode),
    connections: slowStreams,
    durationMs: 60_000,
    callsPerConnection: 1,
    spreadMs: OPENING_MS,
  });
  // Whoever fails below must not leave this one unheard.
  streams.catch(() => undefined);
  await untilOpen(bench, slowStreams);
  // Reading the figures starts a new period of the delay.
  await target.metrics?.();
  const beside = await smallCalls();
  const bytesOpen = await settledBytes(target);
  const metrics = await target.metrics?.();
  const loopDelaySeconds = metrics === undefined ? null : sumOf(metrics, /^nodejs_eventloop_lag_max_seconds$/);
  await streams;
  return {
    streams: slowStreams,
    bytesPerStream: (bytesOpen - bytesBefore) / slowStreams,
    loopDelayMaxMs: loopDelaySeconds === null ? null : loopDelaySeconds * 1_000,
    smallCallAloneMs: alone.latencyMs,
    smallCallBesideMs: beside.latencyMs,
  };
}

async function untilOpen(bench: Bench, streams: number): Promise<void> {
  const deadlineMs = performance.now() + OPEN_TIMEOUT_MS;
  for (;;) {
    const { openStreams } = await bench.upstream.counts();
    if (openStreams >= streams) return;
    if (performance.now() > deadlineMs) throw new Error(`only ${openStreams} of ${streams} streams opened`);
    await sleep(50);
  }
}

async function settledBytes(target: Target): Promise<number> {
  const readings: number[] = [];
  for (let index = 0; index < MEMORY_READINGS; index += 1) {
    readings.push(residentBytes(target.pids()));
    await sleep(100);
  }
  return median(readings);
}
