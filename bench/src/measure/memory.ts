// The memory of a process after very many calls, where a leak would show.

import { runCleanly } from '../load/generator.ts';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';
import { residentBytes } from './process-usage.ts';

export type MemoryAfterCalls = Readonly<{ calls: number; bytesBefore: number; bytesAfter: number }>;

const DEADLINE_MS = 600_000;

export async function measureMemory(bench: Bench, target: Target): Promise<MemoryAfterCalls> {
  const { memoryCalls, wholeConnections } = bench.settings;
  const bytesBefore = residentBytes(target.pids());
  const { completed } = await runCleanly(bench.generator, {
    port: target.port,
    requests: target.requests('whole'),
    connections: wholeConnections,
    callsPerConnection: Math.ceil(memoryCalls / wholeConnections),
    durationMs: DEADLINE_MS,
  });
  return { calls: completed, bytesBefore, bytesAfter: residentBytes(target.pids()) };
}
