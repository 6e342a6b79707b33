// Many open streams with few frames, like those of slow models: what each costs in memory, and how small calls fare
// beside them. The target must be freshly started, because memory left from earlier load hides the growth.

import { setTimeout as sleep } from 'node:timers/promises';
import { runCleanly } from '../load/generator.ts';
import type { LoadResult, Quantiles } from '../load/job.ts';
import { median } from '../load/quantiles.ts';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { readLoopDelayMs } from './loop-delay.ts';
import { residentBytes } from './process-usage.ts';

export type SlowStreams = Readonly<{
  streams: number;
  bytesPerStream: number;
  /** Of the whole process while all streams were open. */
  residentBytes: number;
  /** The longest stall of the event loop while the streams were open, where the target reports it. */
  loopDelayMaxMs: number | null;
  smallCallAloneMs: Quantiles;
  smallCallBesideMs: Quantiles;
}>;

const SMALL_CALLS_PER_SECOND = 100;
const SMALL_CALLS_MS = 1_500;
/** The first streams pay for what is allocated once; memory is measured between them and all of them. */
const FIRST_SHARE = 0.2;
const OPEN_TIMEOUT_MS = 15_000;
const STREAM_TIMEOUT_MS = 60_000;
const MEMORY_READINGS = 5;

export async function measureSlowStreams(bench: Bench, target: Target): Promise<SlowStreams> {
  const { slowStreams: streams, slowMode } = bench.settings;
  const alone = await smallCalls(bench, target);
  const open = (connections: number): Promise<unknown> => {
    const ended = runCleanly(bench.generator, {
      port: target.port,
      requests: target.requests(slowMode),
      connections,
      durationMs: STREAM_TIMEOUT_MS,
      callsPerConnection: 1,
      spreadMs: connections,
    });
    // A failure below must not leave this promise unhandled.
    ended.catch(() => undefined);
    return ended;
  };
  const firstStreams = Math.floor(streams * FIRST_SHARE);
  const firstOpen = open(firstStreams);
  await untilOpen(bench, firstStreams);
  const bytesFirst = await settledBytes(target);
  const restOpen = open(streams - firstStreams);
  await untilOpen(bench, streams);
  await readLoopDelayMs(target);
  const beside = await smallCalls(bench, target);
  const bytesAll = await settledBytes(target);
  const loopDelayMaxMs = await readLoopDelayMs(target);
  const { openStreams } = await bench.upstream.counts();
  if (openStreams < streams) throw new Error('streams ended before they were measured');
  await Promise.all([firstOpen, restOpen]);
  return {
    streams,
    residentBytes: bytesAll,
    bytesPerStream: (bytesAll - bytesFirst) / (streams - firstStreams),
    loopDelayMaxMs,
    smallCallAloneMs: alone.latencyMs,
    smallCallBesideMs: beside.latencyMs,
  };
}

const smallCalls = (bench: Bench, target: Target): Promise<LoadResult> =>
  runCleanly(bench.generator, {
    port: target.port,
    requests: target.requests('whole'),
    connections: 16,
    durationMs: SMALL_CALLS_MS,
    callsPerSecond: SMALL_CALLS_PER_SECOND,
  });

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
