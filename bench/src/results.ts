// Everything that one run has found, as it is written to the JSON file: single rounds, not yet their medians.

import type { AddedLatency } from './measure/added-latency.ts';
import type { AfterQuiet } from './measure/after-quiet.ts';
import type { LargeBody } from './measure/large-body.ts';
import type { MemoryAfterCalls } from './measure/memory.ts';
import type { OneConnection } from './measure/one-connection.ts';
import type { ProfileRun } from './measure/profile-run.ts';
import type { SlowStreams } from './measure/slow-streams.ts';
import type { Throughput } from './measure/throughput.ts';
import type { Settings } from './options.ts';
import type { Placement } from './processes.ts';
import type { TargetName } from './targets/target.ts';

export type ByTarget<Value> = Partial<Record<TargetName, Value>>;

export type Results = {
  readonly startedAt: string;
  readonly machine: Readonly<{ node: string; processor: string; cores: number; placement: Placement | null }>;
  readonly settings: Settings;
  readonly titles: ByTarget<string>;
  /** Targets that could not take part or failed, and why. */
  readonly notes: string[];
  readonly whole: ByTarget<Throughput[]>;
  readonly stream: ByTarget<Throughput[]>;
  readonly paced: ByTarget<Throughput[]>;
  readonly wholeLatency: ByTarget<AddedLatency[]>;
  readonly streamLatency: ByTarget<AddedLatency[]>;
  /** Bodies of 100 KB and of 1 MB: the same again with each call of a connection, as agents send them, and new ones. */
  readonly prompt100Kb: ByTarget<Throughput[]>;
  readonly prompt1Mb: ByTarget<Throughput[]>;
  readonly newPrompt100Kb: ByTarget<Throughput[]>;
  readonly newPrompt1Mb: ByTarget<Throughput[]>;
  readonly single: ByTarget<OneConnection>;
  readonly quiet: ByTarget<AfterQuiet>;
  readonly memory: ByTarget<MemoryAfterCalls>;
  readonly slow: ByTarget<SlowStreams>;
  readonly large: ByTarget<LargeBody>;
  readonly upload: ByTarget<LargeBody>;
  readonly download: ByTarget<LargeBody>;
  profile: ProfileRun | null;
};

export const emptyResults = (start: Pick<Results, 'startedAt' | 'machine' | 'settings'>): Results => ({
  ...start,
  titles: {},
  notes: [],
  whole: {},
  stream: {},
  paced: {},
  wholeLatency: {},
  streamLatency: {},
  prompt100Kb: {},
  prompt1Mb: {},
  newPrompt100Kb: {},
  newPrompt1Mb: {},
  single: {},
  quiet: {},
  memory: {},
  slow: {},
  large: {},
  upload: {},
  download: {},
  profile: null,
});

export function append<Value>(table: ByTarget<Value[]>, name: TargetName, value: Value): void {
  table[name] = [...(table[name] ?? []), value];
}
