// The rounds of the main comparison. Within a round every target takes its turn at every scenario, so that a slow
// moment of the machine affects all of them.

import { runCleanly } from '../load/generator.ts';
import type { Scenario } from '../options.ts';
import { append, type Results } from '../results.ts';
import { BURST, type Mode, type Target } from '../targets/target.ts';
import { measureAddedLatency } from './added-latency.ts';
import type { Bench } from './bench.ts';
import { measureThroughput, type Throughput } from './throughput.ts';

export type Rounds = Readonly<{
  bench: Bench;
  targets: readonly Target[];
  scenarios: readonly Scenario[];
  results: Results;
  progress(text: string): void;
}>;

/** A table of the results, and the scenario that asks for it. */
type Table = 'whole' | 'stream' | 'paced' | PromptTable;
type PromptTable = 'prompt100Kb' | 'prompt1Mb' | 'newPrompt100Kb' | 'newPrompt1Mb';

type Load = Readonly<{
  mode: Mode;
  contentBytes?: number;
  connections: number;
  durationMs: number;
  callsPerConnection?: number;
  isNew?: boolean;
  spreadMs?: number;
}>;

export async function warmUp({ bench, targets, progress, results }: Rounds): Promise<void> {
  const { warmUpMs, wholeConnections, streamConnections } = bench.settings;
  for (const target of targets) {
    progress(`warming up ${target.title}`);
    for (const [mode, connections] of [
      ['whole', wholeConnections],
      [BURST, streamConnections],
    ] as const) {
      const job = { port: target.port, requests: target.requests(mode), connections, durationMs: warmUpMs };
      await attempt(results, `${target.title}, warming up with ${mode}`, () => runCleanly(bench.generator, job));
    }
  }
}

export async function runRounds(rounds: Rounds): Promise<void> {
  const { settings } = rounds.bench;
  for (let round = 1; round <= settings.rounds; round += 1) {
    rounds.progress(`round ${round} of ${settings.rounds}`);
    const load = { durationMs: settings.windowMs };
    const whole = await throughput(rounds, 'whole', {
      ...load,
      mode: 'whole',
      connections: settings.wholeConnections,
    });
    const stream = await throughput(rounds, 'stream', {
      ...load,
      mode: BURST,
      connections: settings.streamConnections,
    });
    const pacedMs = lengthMs(settings.pacedMode);
    await throughput(rounds, 'paced', {
      mode: settings.pacedMode,
      connections: settings.pacedConnections,
      durationMs: 2 * pacedMs,
      callsPerConnection: 1,
      spreadMs: pacedMs,
    });
    const prompt = { ...load, mode: 'whole', connections: settings.promptConnections } as const;
    await throughput(rounds, 'prompt100Kb', { ...prompt, contentBytes: 100_000 });
    await throughput(rounds, 'prompt1Mb', { ...prompt, contentBytes: 1_000_000 });
    await throughput(rounds, 'newPrompt100Kb', { ...prompt, contentBytes: 100_000, isNew: true });
    await throughput(rounds, 'newPrompt1Mb', { ...prompt, contentBytes: 1_000_000, isNew: true });
    if (!rounds.scenarios.includes('latency')) continue;
    await latency(rounds, 'whole', whole);
    await latency(rounds, 'stream', stream);
  }
}

/** How long a paced stream takes. */
function lengthMs(mode: Mode): number {
  const [frames = 0, intervalMs = 0] = mode.replace('stream-', '').split('x').map(Number);
  return frames * intervalMs;
}

async function throughput(rounds: Rounds, table: Table, load: Load): Promise<ReadonlyMap<Target, Throughput>> {
  const measured = new Map<Target, Throughput>();
  const scenario = table === 'whole' || table === 'stream' || table === 'paced' ? table : 'prompts';
  if (!rounds.scenarios.includes(scenario)) return measured;
  const { mode, contentBytes, ...job } = load;
  for (const target of rounds.targets) {
    rounds.progress(`  ${table}: ${target.title}`);
    await attempt(rounds.results, `${target.title}, ${table}`, async () => {
      const requests = target.requests(mode, contentBytes);
      const figures = await measureThroughput(rounds.bench, target, { ...job, requests });
      measured.set(target, figures);
      append(rounds.results[table], target.name, figures);
    });
  }
  return measured;
}

async function latency(
  rounds: Rounds,
  scenario: 'whole' | 'stream',
  measured: ReadonlyMap<Target, Throughput>,
): Promise<void> {
  const table = scenario === 'whole' ? rounds.results.wholeLatency : rounds.results.streamLatency;
  const mode = scenario === 'whole' ? 'whole' : BURST;
  for (const [target, { callsPerSecond }] of measured) {
    if (!rounds.bench.settings.latencyTargets.includes(target.name)) continue;
    rounds.progress(`  latency at half load, ${scenario}: ${target.title}`);
    await attempt(rounds.results, `${target.title}, latency, ${scenario}`, async () => {
      const load = { mode, callsPerSecond: Math.max(1, callsPerSecond / 2) } as const;
      append(table, target.name, await measureAddedLatency(rounds.bench, target, load));
    });
  }
}

/** One target that fails must not cost the figures of the others. */
export async function attempt(results: Results, what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    results.notes.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
