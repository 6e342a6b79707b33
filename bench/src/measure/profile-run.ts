// A run of Tollgate under V8's profiler, separate from all others, because the profiler itself costs time.

import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { runCleanly } from '../load/generator.ts';
import { temporaryFolder } from '../processes.ts';
import { type Absent, BURST, type Mode } from '../targets/target.ts';
import { startTollgate } from '../targets/tollgate.ts';
import type { Bench } from './bench.ts';
import { type CpuProfile, nowMicros, type ProfileSummary, type Span, summarizeProfile } from './cpu-profile.ts';

export type ProfileRun = Readonly<{ whole: ProfileSummary; stream: ProfileSummary }>;

export async function profileTollgate(bench: Bench): Promise<ProfileRun | Absent> {
  const folder = await temporaryFolder('profile');
  const target = await startTollgate({
    upstreamPort: bench.upstream.port,
    nodeParameters: ['--cpu-prof', `--cpu-prof-dir=${folder}`],
  });
  if ('absent' in target) return target;
  const { settings } = bench;
  const load = async (mode: Mode, connections: number): Promise<Span> => {
    const run = (durationMs: number) =>
      runCleanly(bench.generator, { port: target.port, requests: target.requests(mode), connections, durationMs });
    await run(settings.warmUpMs);
    const startMicros = nowMicros();
    await run(settings.profileMs);
    return { startMicros, endMicros: nowMicros() };
  };
  const whole = await load('whole', settings.wholeConnections);
  const stream = await load(BURST, settings.streamConnections);
  // The profile is written when the process ends normally.
  await target.stop();
  const profile = await readLargest(folder);
  return { whole: summarizeProfile(profile, whole), stream: summarizeProfile(profile, stream) };
}

/** Threads and child processes write one each; that of the process under load is by far the largest. */
async function readLargest(folder: string): Promise<CpuProfile> {
  const files = (await readdir(folder)).map((name) => join(folder, name));
  const sized = await Promise.all(files.map(async (file) => ({ file, bytes: (await stat(file)).size })));
  const [largest] = sized.sort((left, right) => right.bytes - left.bytes);
  if (largest === undefined) throw new Error('the gateway wrote no profile; did it end in order?');
  return JSON.parse(await readFile(largest.file, 'utf8')) as CpuProfile;
}
