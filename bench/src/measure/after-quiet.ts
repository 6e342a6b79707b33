// The first second after a quiet minute against the seconds before it: what a process loses while it is idle, the first
// calls pay for.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { measureThroughput } from './throughput.ts';

export type AfterQuiet = Readonly<{ steadyMicrosPerCall: number; firstMicrosPerCall: number }>;

const FIRST_MS = 1_000;

export async function measureAfterQuiet(bench: Bench, target: Target): Promise<AfterQuiet> {
  const { settings } = bench;
  const run = async (durationMs: number): Promise<number> => {
    const job = { requests: target.requests('whole'), connections: settings.wholeConnections, durationMs };
    return (await measureThroughput(bench, target, job)).cpuMicrosPerCall;
  };
  await run(settings.warmUpMs);
  const steadyMicrosPerCall = await run(settings.windowMs);
  await sleep(settings.quietMs);
  return { steadyMicrosPerCall, firstMicrosPerCall: await run(FIRST_MS) };
}
