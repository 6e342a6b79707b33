// The printed report, in Markdown so that it can be stored as it is. Ratios are made of medians over the rounds;
// absolute figures only show what they were made of.

import { checkGoals } from './goals.ts';
import type { Quantiles } from './load/job.ts';
import type { Share } from './measure/cpu-profile.ts';
import { beyondCommit } from './measure/one-connection.ts';
import type { Throughput } from './measure/throughput.ts';
import { middle, quotient } from './medians.ts';
import { TARGETS } from './options.ts';
import type { ByTarget, Results } from './results.ts';
import { PEERS, type TargetName } from './targets/target.ts';

export function markdownReport(results: Results): string {
  const sections = [
    heading(results),
    goals(results),
    wholeCalls(results),
    streams(results),
    prompts(results),
    latencies(results),
    single(results),
    afterQuiet(results),
    memory(results),
    slowStreams(results),
    besides('Bodies of 10 MB beside small calls', results.large, results.titles),
    besides('Uploads of 10 MB beside small calls', results.upload, results.titles),
    besides('Downloads of 200 MB beside small calls', results.download, results.titles),
    profile(results),
    notes(results),
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

type Cell = string | number | null;

function table(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const line = (cells: readonly Cell[]): string => `| ${cells.map((cell) => cell ?? '-').join(' | ')} |`;
  const rule = header.map((_, index) => (index === 0 ? '---' : '--:'));
  return [line(header), line(rule), ...rows.map(line)].join('\n');
}

const fixed = (value: number | null | undefined, digits = 0): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '-' : value.toFixed(digits);

const namesIn = (rounds: ByTarget<unknown>): readonly TargetName[] =>
  TARGETS.filter((name) => rounds[name] !== undefined);

const cpuOf = (round: Throughput): number => round.cpuMicrosPerCall;

function heading({ startedAt, machine, settings }: Results): string {
  const cores =
    machine.placement === null
      ? 'not pinned'
      : `proxy on core ${machine.placement.proxy}, everything else on ${machine.placement.rest}`;
  return [
    `# Benchmark of ${startedAt.slice(0, 16).replace('T', ' ')} UTC`,
    '',
    `Node ${machine.node}, ${machine.processor}, ${machine.cores} cores (${cores}). ${settings.rounds} interleaved`,
    `rounds of ${settings.windowMs / 1_000} s, medians. CPU is the time of the proxy's own processes.`,
  ].join('\n');
}

function goals(results: Results): string {
  const rows = checkGoals(results).map(({ figure, measured, goal, isMet }) => [
    figure,
    measured,
    goal,
    isMet ? 'yes' : 'NO',
  ]);
  return rows.length === 0 ? '' : `## Goals\n\n${table(['figure', 'measured', 'goal', 'met'], rows)}`;
}

function wholeCalls({ whole, titles }: Results): string {
  const names = namesIn(whole);
  if (names.length === 0) return '';
  const cpu = (name: TargetName): number | null => middle(whole, name, cpuOf);
  const rows = names.map((name) => [
    titles[name] ?? name,
    fixed(middle(whole, name, (round) => round.callsPerSecond)),
    fixed(cpu(name), 1),
    fixed(quotient(1e6, cpu(name))),
    // More calls for the same CPU time is better, so the other's cost is divided by ours.
    ...(['bare', 'nginx', ...PEERS] as const).map((other) => fixed(quotient(cpu(other), cpu(name)), 2)),
    fixed(
      middle(whole, name, (round) => round.databaseMicrosPerCall),
      1,
    ),
    fixed(
      middle(whole, name, (round) => round.statementsPerCall),
      3,
    ),
    fixed(
      middle(whole, name, (round) => round.commitsPerCall),
      3,
    ),
  ]);
  const header = [
    'through',
    'calls/s',
    'CPU µs/call',
    'calls per CPU-second',
    'x bare',
    'x nginx',
    ...PEERS.map((peer) => `x ${peer}`),
  ];
  return `## Whole answers\n\n${table([...header, 'database µs/call', 'statements/call', 'commits/call'], rows)}`;
}

function streams(results: Results): string {
  const burst = streamTable(results, 'stream', 'CPU µs/stream', cpuOf);
  const paced = streamTable(results, 'paced', 'CPU µs/frame', (round) => round.cpuMicrosPerFrame);
  return [
    burst === '' ? '' : `## Streams, as fast as they come\n\n${burst}`,
    paced === ''
      ? ''
      : `## Streams, paced (${results.settings.pacedMode}, ${results.settings.pacedConnections} open)\n\n${paced}`,
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function streamTable(
  { titles, ...results }: Results,
  scenario: 'stream' | 'paced',
  unit: string,
  pick: (round: Throughput) => number | null,
): string {
  const rounds = results[scenario];
  const cpu = (name: TargetName): number | null => middle(rounds, name, pick);
  const rows = namesIn(rounds).map((name) => [
    titles[name] ?? name,
    fixed(middle(rounds, name, (round) => round.callsPerSecond)),
    fixed(cpu(name), 1),
    ...(['bare', 'parse', 'nginx', ...PEERS] as const).map((other) => fixed(quotient(cpu(name), cpu(other)), 2)),
    fixed(
      middle(rounds, name, (round) => round.firstEventMs.p50),
      2,
    ),
    fixed(
      middle(rounds, name, (round) => round.firstEventMs.p99),
      2,
    ),
    fixed(
      middle(rounds, name, (round) => round.databaseMicrosPerCall),
      1,
    ),
  ]);
  const costs = ['cost / pipe', 'cost / parse', 'cost / nginx', ...PEERS.map((peer) => `cost / ${peer}`)];
  const header = ['through', 'streams/s', unit, ...costs, 'first event p50 ms', 'p99 ms', 'database µs/stream'];
  return rows.length === 0 ? '' : table(header, rows);
}

function prompts(results: Results): string {
  const part = (title: string, rounds: Results['prompt1Mb']): readonly Cell[][] =>
    namesIn(rounds).map((name) => [
      `${title}: ${results.titles[name] ?? name}`,
      fixed(middle(rounds, name, cpuOf)),
      fixed(quotient(middle(rounds, name, cpuOf), middle(rounds, 'bare', cpuOf)), 2),
    ]);
  const rows = [
    ...part('100 KB', results.prompt100Kb),
    ...part('1 MB', results.prompt1Mb),
    ...part('new ones of 100 KB', results.newPrompt100Kb),
    ...part('new ones of 1 MB', results.newPrompt1Mb),
  ];
  return rows.length === 0 ? '' : `## Long prompts\n\n${table(['through', 'CPU µs/call', 'cost / bare'], rows)}`;
}

function single({ single: found, titles }: Results): string {
  const both = (value: Quantiles | null | undefined): string => `${fixed(value?.p50, 2)} / ${fixed(value?.p99, 2)}`;
  const rows = namesIn(found).map((name) => {
    const one = found[name];
    const beyond =
      one === undefined ? '-' : `${fixed(beyondCommit(one, 'p50'), 2)} / ${fixed(beyondCommit(one, 'p99'), 2)}`;
    return [titles[name] ?? name, both(one?.directMs), both(one?.throughMs), both(one?.commitMs), beyond];
  });
  const header = ['through', 'upstream p50 / p99 ms', 'call', 'one durable commit', 'beyond both'];
  return rows.length === 0 ? '' : `## One connection\n\n${table(header, rows)}`;
}

function afterQuiet({ quiet, titles, settings }: Results): string {
  const rows = namesIn(quiet).map((name) => [
    titles[name] ?? name,
    fixed(quiet[name]?.steadyMicrosPerCall, 1),
    fixed(quiet[name]?.firstMicrosPerCall, 1),
    fixed(quotient(quiet[name]?.firstMicrosPerCall ?? null, quiet[name]?.steadyMicrosPerCall ?? null), 2),
  ]);
  const header = ['through', 'steady CPU µs/call', 'first second', 'ratio'];
  const title = `## The first second after ${settings.quietMs / 1_000} s without a call`;
  return rows.length === 0 ? '' : `${title}\n\n${table(header, rows)}`;
}

function memory({ memory: found, titles }: Results): string {
  const rows = namesIn(found).map((name) => [
    titles[name] ?? name,
    fixed(found[name]?.calls),
    fixed((found[name]?.bytesBefore ?? Number.NaN) / 1_048_576),
    fixed((found[name]?.bytesAfter ?? Number.NaN) / 1_048_576),
  ]);
  return rows.length === 0 ? '' : `## Memory\n\n${table(['through', 'calls', 'MB before', 'MB after'], rows)}`;
}

function latencies({ wholeLatency, streamLatency, titles }: Results): string {
  const names = namesIn({ ...wholeLatency, ...streamLatency });
  if (names.length === 0) return '';
  const rows = names.map((name) => [
    titles[name] ?? name,
    fixed(middle(wholeLatency, name, (round) => round.callsPerSecond)),
    fixed(
      middle(wholeLatency, name, (round) => round.addedMs.p50),
      2,
    ),
    fixed(
      middle(wholeLatency, name, (round) => round.addedMs.p99),
      2,
    ),
    fixed(middle(streamLatency, name, (round) => round.callsPerSecond)),
    fixed(
      middle(streamLatency, name, (round) => round.firstEventAddedMs.p50),
      2,
    ),
    fixed(
      middle(streamLatency, name, (round) => round.firstEventAddedMs.p99),
      2,
    ),
    fixed(
      middle(streamLatency, name, (round) => round.addedMs.p50),
      2,
    ),
  ]);
  const whole = ['whole, calls/s', 'added p50 ms', 'added p99 ms'];
  const stream = ['streams/s', 'first event added p50 ms', 'p99 ms', 'end added p50 ms'];
  return `## Latency added at half load\n\n${table(['through', ...whole, ...stream], rows)}`;
}

function slowStreams({ slow, titles, settings }: Results): string {
  const rows = namesIn(slow).map((name) => [
    titles[name] ?? name,
    fixed((slow[name]?.bytesPerStream ?? Number.NaN) / 1_024, 1),
    fixed((slow[name]?.residentBytes ?? Number.NaN) / 1_048_576),
    fixed(slow[name]?.loopDelayMaxMs, 1),
    `${fixed(slow[name]?.smallCallAloneMs.p50, 2)} / ${fixed(slow[name]?.smallCallAloneMs.p99, 2)}`,
    `${fixed(slow[name]?.smallCallBesideMs.p50, 2)} / ${fixed(slow[name]?.smallCallBesideMs.p99, 2)}`,
  ]);
  const header = [
    'through',
    'KB each',
    'MB in all',
    'loop delay max ms',
    'small calls alone p50 / p99 ms',
    'beside p50 / p99 ms',
  ];
  return rows.length === 0 ? '' : `## ${settings.slowStreams} open slow streams\n\n${table(header, rows)}`;
}

function besides(title: string, large: Results['large'], titles: Results['titles']): string {
  const rows = namesIn(large).map((name) => [
    titles[name] ?? name,
    fixed(large[name]?.largeCalls),
    fixed(large[name]?.largeCallMs.p50, 1),
    fixed(large[name]?.smallCallAloneMs.p99, 2),
    fixed(large[name]?.smallCallBesideMs.p99, 2),
    fixed(large[name]?.loopDelayMaxMs, 1),
  ]);
  const small = ['small calls alone p99 ms', 'beside p99 ms', 'loop delay max ms'];
  const header = ['through', 'large calls', 'large call p50 ms', ...small];
  return rows.length === 0 ? '' : `## ${title}\n\n${table(header, rows)}`;
}

function profile({ profile: found }: Results): string {
  if (found === null) return '';
  const shares = (list: readonly Share[]): Cell[][] =>
    list.map(({ name, share }) => [name, `${fixed(share * 100, 1)}%`]);
  const part = (title: string, summary: typeof found.whole): string =>
    [
      `### ${title}`,
      table(['part', 'self time'], shares(summary.groups)),
      table(['function', 'self time'], shares(summary.functions)),
      `The loop was idle for ${fixed(summary.idleShare * 100, 1)}% of the time.`,
    ].join('\n\n');
  return `## Where the time goes\n\n${part('Whole answers', found.whole)}\n\n${part('Streams', found.stream)}`;
}

const notes = ({ notes: list }: Results): string =>
  list.length === 0 ? '' : `## Notes\n\n${list.map((note) => `- ${note.replaceAll('\n', ' ')}`).join('\n')}`;
