// The benchmark: everything that is compared runs side by side in one run, and only ratios are worth quoting. See the
// README for the options. Everything that is started here is stopped again, also on Ctrl-C and on failure.

import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { startGenerator } from './load/generator.ts';
import { measureAfterQuiet } from './measure/after-quiet.ts';
import type { Bench } from './measure/bench.ts';
import { measureDownload, measureLargeBody, measureUpload } from './measure/large-body.ts';
import { measureMemory } from './measure/memory.ts';
import { measureOneConnection } from './measure/one-connection.ts';
import { profileTollgate } from './measure/profile-run.ts';
import { attempt, runRounds, warmUp } from './measure/rounds.ts';
import { measureSlowStreams } from './measure/slow-streams.ts';
import { warmUpGently } from './measure/warm-up.ts';
import { type Options, readOptions, type Scenario, USAGE } from './options.ts';
import { placement, runProgram } from './processes.ts';
import { markdownReport } from './report.ts';
import { type ByTarget, emptyResults, type Results } from './results.ts';
import { startBareProxy } from './targets/bare-proxy.ts';
import { startBifrost } from './targets/bifrost.ts';
import { startLiteLlm } from './targets/litellm.ts';
import { startNewApi } from './targets/new-api.ts';
import { startNginx } from './targets/nginx.ts';
import { startPortkey } from './targets/portkey.ts';
import type { Absent, Target, TargetName } from './targets/target.ts';
import { startTollgate } from './targets/tollgate.ts';
import { startUpstream } from './targets/upstream.ts';

const COMPARED: readonly Scenario[] = ['whole', 'stream', 'paced', 'prompts', 'latency'];
const CLOSE_LOOKS = ['slow', 'large', 'upload', 'download', 'single', 'quiet'] as const;

type CloseLook = (typeof CLOSE_LOOKS)[number];
type Look = (bench: Bench, target: Target) => Promise<(results: Results) => void>;

/** The measurement of each, and where it is noted. */
const LOOKS: Readonly<Record<CloseLook, Look>> = {
  slow: async (bench, target) => note('slow', target, await measureSlowStreams(bench, target)),
  large: async (bench, target) => note('large', target, await measureLargeBody(bench, target)),
  upload: async (bench, target) => note('upload', target, await measureUpload(bench, target)),
  download: async (bench, target) => note('download', target, await measureDownload(bench, target)),
  single: async (bench, target) => note('single', target, await measureOneConnection(bench, target)),
  quiet: async (bench, target) => note('quiet', target, await measureAfterQuiet(bench, target)),
};

function note<Name extends CloseLook>(name: Name, target: Target, found: NonNullable<Results[Name][TargetName]>) {
  return (results: Results): void => {
    (results[name] as ByTarget<typeof found>)[target.name] = found;
  };
}

const canTake = (look: CloseLook, target: Target): boolean =>
  (look !== 'upload' || target.uploads !== undefined) && (look !== 'download' || target.download !== undefined);

const progress = (text: string): void => console.error(text);

async function run(options: Options): Promise<Results> {
  const results = emptyResults({
    startedAt: new Date().toISOString(),
    machine: {
      node: process.version,
      processor: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      placement,
    },
    settings: options.settings,
  });
  const upstream = await startUpstream();
  const bench: Bench = { upstream, generator: await startGenerator(), settings: options.settings };
  const start = starters(bench, options);
  if (options.scenarios.some((scenario) => COMPARED.includes(scenario)))
    await compare({ bench, options, results, start });
  await closeLook({ bench, options, results, start });
  return results;
}

async function compare({ bench, options, results, start }: Work): Promise<void> {
  const targets: Target[] = [];
  for (const name of options.targets) {
    const target = await startTarget(name, start, results);
    if (target !== null) targets.push(target);
  }
  const rounds = { bench, targets, scenarios: options.scenarios, results, progress };
  await warmUp(rounds);
  await runRounds(rounds);
  // The upstream is still needed.
  for (const target of targets) if (target.name !== 'direct') await target.stop();
}

type Starters = Readonly<Record<TargetName, () => Promise<Target | Absent>>>;

const starters = (bench: Bench, options: Options): Starters => ({
  direct: async () => bench.upstream.target,
  nginx: () => startNginx(bench.upstream.port),
  bare: () => startBareProxy('pipe', bench.upstream.port),
  parse: () => startBareProxy('parse', bench.upstream.port),
  portkey: () =>
    startPortkey(bench.upstream.port, { folder: options.peersFolder, mayInstall: options.mayInstallPeers }),
  bifrost: () => startBifrost(bench.upstream.port),
  'new-api': () => startNewApi(bench.upstream.port),
  litellm: () => startLiteLlm(bench.upstream.port),
  tollgate: () => startTollgate({ upstreamPort: bench.upstream.port }),
});

async function startTarget(name: TargetName, start: Starters, results: Results): Promise<Target | null> {
  progress(`starting ${name}`);
  let started: Target | null = null;
  await attempt(results, name, async () => {
    const target = await start[name]();
    if ('absent' in target) throw new Error(`not measured: ${target.absent}`);
    results.titles[name] = target.title;
    started = target;
  });
  return started;
}

type Work = Readonly<{ bench: Bench; options: Options; results: Results; start: Starters }>;

/** On fresh processes, because memory and profiles of used ones would show the earlier load. */
async function closeLook({ bench, options, results, start }: Work): Promise<void> {
  const { scenarios } = options;
  for (const name of options.settings.closeLookTargets.filter((one) => options.targets.includes(one))) {
    if (![...CLOSE_LOOKS, 'memory' as const].some((scenario) => scenarios.includes(scenario))) break;
    const target = await startTarget(name, start, results);
    if (target === null) continue;
    await attempt(results, `${target.title}, warm-up`, () => warmUpGently(bench, target));
    for (const look of CLOSE_LOOKS.filter((one) => scenarios.includes(one) && canTake(one, target))) {
      progress(`  ${look}: ${target.title}`);
      await attempt(results, `${target.title}, ${look}`, async () => (await LOOKS[look](bench, target))(results));
    }
    await target.stop();
    if (scenarios.includes('memory')) await lookAtMemory(name, { bench, options, results, start });
  }
  if (!scenarios.includes('profile') || !options.targets.includes('tollgate')) return;
  progress('  profile: Tollgate');
  await attempt(results, 'profile', async () => {
    const profile = await profileTollgate(bench);
    if ('absent' in profile) throw new Error(`not measured: ${profile.absent}`);
    results.profile = profile;
  });
}

/** On a process that has done nothing else. */
async function lookAtMemory(name: TargetName, { bench, results, start }: Work): Promise<void> {
  const target = await startTarget(name, start, results);
  if (target === null) return;
  progress(`  memory: ${target.title}`);
  await attempt(results, `${target.title}, memory`, async () => {
    results.memory[name] = await measureMemory(bench, target);
  });
  await target.stop();
}

function readOptionsOrExplain(): Options | null {
  try {
    const options = readOptions(process.argv.slice(2), process.env);
    if (options === null) console.log(USAGE);
    return options;
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return null;
  }
}

async function main(): Promise<void> {
  const options = readOptionsOrExplain();
  if (options === null) return;
  const results = await run(options);
  const report = markdownReport(results);
  console.log(report);
  if (options.markdownFile !== null) await writeFile(options.markdownFile, report);
  if (options.jsonFile !== null) await writeFile(options.jsonFile, `${JSON.stringify(results, null, 2)}\n`);
}

await runProgram(main);
