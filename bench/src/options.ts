// The options of the command line, and what they mean in connections and seconds.

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Mode, PACED, PACED_SHORT, PEERS, SLOW, SLOW_SHORT, type TargetName } from './targets/target.ts';

export const SCENARIOS = [
  'whole',
  'stream',
  'paced',
  'latency',
  'slow',
  'large',
  'upload',
  'download',
  'profile',
  'single',
  'prompts',
  'quiet',
  'memory',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const TARGETS: readonly TargetName[] = ['direct', 'nginx', 'bare', 'parse', ...PEERS, 'tollgate'];

export type Settings = Readonly<{
  rounds: number;
  windowMs: number;
  warmUpMs: number;
  wholeConnections: number;
  streamConnections: number;
  pacedMode: Mode;
  pacedConnections: number;
  slowMode: Mode;
  slowStreams: number;
  profileMs: number;
  promptConnections: number;
  quietMs: number;
  memoryCalls: number;
  latencyTargets: readonly TargetName[];
  /** The targets of the figures beyond plain throughput: ours, and those it is compared with. */
  closeLookTargets: readonly TargetName[];
}>;

export type Options = Readonly<{
  targets: readonly TargetName[];
  scenarios: readonly Scenario[];
  settings: Settings;
  jsonFile: string | null;
  markdownFile: string | null;
  peersFolder: string | null;
  mayInstallPeers: boolean;
}>;

const FULL: Settings = {
  rounds: 3,
  windowMs: 3_000,
  warmUpMs: 10_000,
  wholeConnections: 64,
  streamConnections: 16,
  pacedMode: PACED,
  pacedConnections: 100,
  slowMode: SLOW,
  slowStreams: 1_000,
  profileMs: 4_000,
  promptConnections: 8,
  quietMs: 60_000,
  memoryCalls: 100_000,
  latencyTargets: ['nginx', 'bare', ...PEERS, 'tollgate'],
  closeLookTargets: ['bare', 'tollgate'],
};

const QUICK: Settings = {
  ...FULL,
  rounds: 1,
  windowMs: 700,
  warmUpMs: 1_000,
  pacedMode: PACED_SHORT,
  slowMode: SLOW_SHORT,
  profileMs: 1_200,
  quietMs: 3_000,
  memoryCalls: 2_000,
  latencyTargets: ['bare', 'tollgate'],
  closeLookTargets: ['tollgate'],
};

export const USAGE = `npm run bench -- [options]
  --quick             one short round of everything, under a minute
  --rounds N          rounds (3)
  --seconds N         length of each measurement (3)
  --only NAMES        of ${TARGETS.join(',')}
  --scenario NAMES    of ${SCENARIOS.join(',')}
  --json FILE         every figure
  --markdown FILE     the printed report
  --install-peers     lets npm install the peers into a cache folder, once
BENCH_PEERS=FOLDER    where Portkey is installed already
BENCH_BIFROST, BENCH_NEW_API, BENCH_LITELLM
                      the programs of those peers, where they are not on the PATH`;

export function readOptions(parameters: readonly string[], environment: NodeJS.ProcessEnv): Options | null {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      only: { type: 'string' },
      scenario: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
      'install-peers': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const base = values.quick ? QUICK : FULL;
  // npm changes to the package's folder; a file is relative to where the person is.
  const place = (file: string | undefined) => (file === undefined ? null : resolve(environment.INIT_CWD ?? '.', file));
  return {
    targets: choose(values.only, TARGETS),
    scenarios: choose(values.scenario, SCENARIOS),
    settings: {
      ...base,
      rounds: bounded(values.rounds, base.rounds, 20),
      windowMs: bounded(values.seconds, base.windowMs / 1_000, 60) * 1_000,
    },
    jsonFile: place(values.json),
    markdownFile: place(values.markdown),
    peersFolder: place(environment.BENCH_PEERS),
    mayInstallPeers: values['install-peers'],
  };
}

function choose<Name extends string>(text: string | undefined, known: readonly Name[]): readonly Name[] {
  if (text === undefined) return known;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`${unknown} is none of ${known.join(', ')}`);
  return known.filter((name) => names.includes(name));
}

function bounded(text: string | undefined, fallback: number, maximum: number): number {
  const value = text === undefined ? fallback : Number(text);
  if (!(value > 0 && value <= maximum)) throw new Error(`${text} is not a number up to ${maximum}`);
  return value;
}
