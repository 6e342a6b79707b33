// Small calls at a gentle rate, alone and beside a client that sends one body of almost 10 MB after the other, JSON or
// a file, or that fetches a large file: a gateway that handles either in one go makes everybody else wait. Whoever sends
// the large ones is a process of its own, but the upstream and its core are not, so the delay of the target's own event
// loop is read as well.

import { get } from 'node:http';
import { type Generator, runCleanly, startGenerator } from '../load/generator.ts';
import type { Quantiles } from '../load/job.ts';
import { quantiles } from '../load/quantiles.ts';
import type { RequestShape, Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { readLoopDelayMs } from './loop-delay.ts';

export type LargeBody = Readonly<{
  largeCalls: number;
  largeCallMs: Quantiles;
  smallCallAloneMs: Quantiles;
  smallCallBesideMs: Quantiles;
  /** The longest stall of the event loop meanwhile, where the target reports it. */
  loopDelayMaxMs: number | null;
}>;

/** One for all targets, started when the first is measured. */
let besides: Promise<Generator> | null = null;

function generatorBeside(): Promise<Generator> {
  besides ??= startGenerator();
  return besides;
}

const LARGE_BYTES = 10_000_000;
const SMALL_CALLS_PER_SECOND = 200;
/** Several bodies must pass for the slowest hundredth to mean anything. */
const DURATION_MS = 2_000;
/** 50 MB a second. */
const LINE_BYTES_PER_MS = 50_000;
const AHEAD_MS_MAX = 5;

export function measureLargeBody(bench: Bench, target: Target): Promise<LargeBody> {
  return measureBeside(bench, target, target.requests('whole', LARGE_BYTES));
}

/** Uploads a picture that another is made from. */
export function measureUpload(bench: Bench, target: Target): Promise<LargeBody> {
  if (target.uploads === undefined) throw new Error('it takes no files');
  return measureBeside(bench, target, target.uploads(LARGE_BYTES));
}

/** Downloads a video again and again, for as long as the small calls take. */
export async function measureDownload(bench: Bench, target: Target): Promise<LargeBody> {
  if (target.download === undefined) throw new Error('it has no files');
  const { path, headers } = await target.download();
  const alone = await smallCalls(bench, target);
  const durationsMs: number[] = [];
  let isOver = false;
  const fetchAll = async (): Promise<void> => {
    while (!isOver) {
      const startedMs = performance.now();
      await fetchFile({ port: target.port, path, headers });
      durationsMs.push(performance.now() - startedMs);
    }
  };
  await readLoopDelayMs(target);
  const fetching = fetchAll();
  const beside = await smallCalls(bench, target);
  const loopDelayMaxMs = await readLoopDelayMs(target);
  isOver = true;
  await fetching;
  return {
    largeCalls: durationsMs.length,
    largeCallMs: quantiles(durationsMs),
    smallCallAloneMs: alone.latencyMs,
    smallCallBesideMs: beside.latencyMs,
    loopDelayMaxMs,
  };
}

type FileRequest = Readonly<{ port: number; path: string; headers: Readonly<Record<string, string>> }>;

/** At the speed of a good line: at full speed, the two ends of it would be what everybody else waits for. */
function fetchFile({ port, path, headers }: FileRequest): Promise<void> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now();
    const request = get({ host: '127.0.0.1', port, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        const aheadMs = bytes / LINE_BYTES_PER_MS - (performance.now() - startedMs);
        if (aheadMs < AHEAD_MS_MAX) return;
        response.pause();
        setTimeout(() => response.resume(), aheadMs);
      });
      response.on('error', reject);
      response.on('end', () => {
        const isWhole = response.statusCode === 200 && bytes === Number(response.headers['content-length']);
        if (isWhole) resolve();
        else reject(new Error(`a download gave ${response.statusCode} and ${bytes} bytes`));
      });
    });
    request.on('error', reject);
  });
}

const smallCalls = (bench: Bench, target: Target) =>
  runCleanly(bench.generator, {
    port: target.port,
    requests: target.requests('whole'),
    connections: 32,
    durationMs: DURATION_MS,
    callsPerSecond: SMALL_CALLS_PER_SECOND,
  });

async function measureBeside(bench: Bench, target: Target, largeRequests: readonly RequestShape[]): Promise<LargeBody> {
  const generator = await generatorBeside();
  const alone = await smallCalls(bench, target);
  await readLoopDelayMs(target);
  const [large, beside] = await Promise.all([
    runCleanly(generator, {
      port: target.port,
      requests: largeRequests.slice(0, 1),
      connections: 1,
      durationMs: DURATION_MS,
    }),
    smallCalls(bench, target),
  ]);
  return {
    largeCalls: large.completed,
    largeCallMs: large.latencyMs,
    smallCallAloneMs: alone.latencyMs,
    smallCallBesideMs: beside.latencyMs,
    loopDelayMaxMs: await readLoopDelayMs(target),
  };
}
