// The goals that Tollgate has set itself, each as a ratio or a bound on this run's measurements. A figure that was not
// measured is left out and not called a failure.

import { beyondCommit } from './measure/one-connection.ts';
import type { Throughput } from './measure/throughput.ts';
import { middle, quotient } from './medians.ts';
import type { ByTarget, Results } from './results.ts';
import { PEERS } from './targets/target.ts';

export type Goal = Readonly<{ figure: string; measured: string; goal: string; isMet: boolean }>;

type Bound = Readonly<{
  figure: string;
  value: number | null;
  atLeast?: number;
  atMost?: number;
  unit?: string;
}>;

const SLOW_STREAM_KB_MAX = 40;

export function checkGoals(results: Results): readonly Goal[] {
  return [...ratioBounds(results), ...singleBounds(results), ...absoluteBounds(results)].flatMap(toGoal);
}

function toGoal({ figure, value, atLeast, atMost, unit = '' }: Bound): readonly Goal[] {
  if (value === null || !Number.isFinite(value)) return [];
  const isMet = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
  const goal = atLeast !== undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return [{ figure, measured: `${value.toFixed(2)}${unit}`, goal: `${goal}${unit}`, isMet }];
}

const perCall = (round: Throughput): number => round.cpuMicrosPerCall;
const perFrame = (round: Throughput): number | null => round.cpuMicrosPerFrame;

function ratioBounds(results: Results): readonly Bound[] {
  const { whole, stream, paced } = results;
  const wholeCpu = middle(whole, 'tollgate', perCall);
  const streamCpu = middle(stream, 'tollgate', perCall);
  const timesBare = (rounds: ByTarget<Throughput[]>): number | null =>
    quotient(middle(rounds, 'tollgate', perCall), middle(rounds, 'bare', perCall));
  return [
    {
      figure: 'whole calls per CPU-second / bare Node proxy',
      value: quotient(middle(whole, 'bare', perCall), wholeCpu),
      atLeast: 0.5,
    },
    ...PEERS.map((peer) => ({
      figure: `whole calls per CPU-second / ${results.titles[peer] ?? peer}`,
      value: quotient(middle(whole, peer, perCall), wholeCpu),
      atLeast: 5,
    })),
    {
      figure: 'database CPU of a whole call',
      value: middle(whole, 'tollgate', (round) => round.databaseMicrosPerCall),
      atMost: 40,
      unit: ' µs',
    },
    { figure: 'burst stream CPU / pipe', value: quotient(streamCpu, middle(stream, 'bare', perCall)), atMost: 1.6 },
    {
      figure: 'parse-every-frame CPU / burst stream CPU',
      value: quotient(middle(stream, 'parse', perCall), streamCpu),
      atLeast: 3,
    },
    {
      figure: 'paced stream CPU / pipe',
      value: quotient(middle(paced, 'tollgate', perFrame), middle(paced, 'bare', perFrame)),
      atMost: 1.25,
    },
    { figure: 'prompts of 100 KB, CPU / bare Node proxy', value: timesBare(results.prompt100Kb), atMost: 2 },
    { figure: 'prompts of 1 MB, CPU / bare Node proxy', value: timesBare(results.prompt1Mb), atMost: 2 },
    { figure: 'new prompts of 100 KB, CPU / bare Node proxy', value: timesBare(results.newPrompt100Kb), atMost: 2 },
    { figure: 'new prompts of 1 MB, CPU / bare Node proxy', value: timesBare(results.newPrompt1Mb), atMost: 2 },
    {
      figure: 'first second after a quiet minute / steady',
      value: quotient(
        results.quiet.tollgate?.firstMicrosPerCall ?? null,
        results.quiet.tollgate?.steadyMicrosPerCall ?? null,
      ),
      atMost: 1.5,
    },
    {
      figure: 'statements per call',
      value: middle(whole, 'tollgate', (round) => round.statementsPerCall),
      atMost: 0.2,
    },
  ];
}

const MEGABYTE = 1_048_576;

function singleBounds({ single, memory, slow }: Results): readonly Bound[] {
  const { tollgate } = single;
  const figure = 'added at one connection beyond one durable commit';
  return [
    ...(tollgate === undefined
      ? []
      : [
          { figure: `${figure}, p50`, value: beyondCommit(tollgate, 'p50'), atMost: 0.5, unit: ' ms' },
          { figure: `${figure}, p99`, value: beyondCommit(tollgate, 'p99'), atMost: 2, unit: ' ms' },
        ]),
    {
      figure: `memory after ${memory.tollgate?.calls} calls`,
      value: memory.tollgate === undefined ? null : memory.tollgate.bytesAfter / MEGABYTE,
      atMost: 180,
      unit: ' MB',
    },
    {
      figure: `memory with ${slow.tollgate?.streams} open streams`,
      value: slow.tollgate === undefined ? null : slow.tollgate.residentBytes / MEGABYTE,
      atMost: 300,
      unit: ' MB',
    },
  ];
}

function absoluteBounds({ wholeLatency, paced, slow, large, upload, download }: Results): readonly Bound[] {
  const tollgateSlow = slow.tollgate;
  const tollgateLarge = large.tollgate;
  const tollgateUpload = upload.tollgate;
  const tollgateDownload = download.tollgate;
  const firstEvent = (name: 'direct' | 'tollgate'): number | null => middle(paced, name, (it) => it.firstEventMs.p50);
  const direct = firstEvent('direct');
  const through = firstEvent('tollgate');
  return [
    {
      // The commit wait is part of what a client sees and cannot be separated here.
      figure: 'added latency p50 at half load, commit included',
      value: middle(wholeLatency, 'tollgate', (round) => round.addedMs.p50),
      atMost: 1,
      unit: ' ms',
    },
    {
      figure: 'added latency p99 at half load, commit included',
      value: middle(wholeLatency, 'tollgate', (round) => round.addedMs.p99),
      atMost: 5,
      unit: ' ms',
    },
    {
      figure: 'first event added, paced streams, p50',
      value: direct === null || through === null ? null : through - direct,
      atMost: 0.5,
      unit: ' ms',
    },
    {
      figure: 'memory of an open slow stream',
      value: tollgateSlow === undefined ? null : tollgateSlow.bytesPerStream / 1_024,
      atMost: SLOW_STREAM_KB_MAX,
      unit: ' KB',
    },
    {
      figure: 'event-loop delay beside slow streams, max',
      value: tollgateSlow?.loopDelayMaxMs ?? null,
      atMost: 20,
      unit: ' ms',
    },
    {
      figure: "small calls' p99 beside 10 MB bodies / alone",
      value:
        tollgateLarge === undefined
          ? null
          : quotient(tollgateLarge.smallCallBesideMs.p99, tollgateLarge.smallCallAloneMs.p99),
      atMost: 2,
    },
    {
      figure: "small calls' p99 beside uploads of 10 MB / alone",
      value:
        tollgateUpload === undefined
          ? null
          : quotient(tollgateUpload.smallCallBesideMs.p99, tollgateUpload.smallCallAloneMs.p99),
      atMost: 2,
    },
    {
      figure: "small calls' p99 beside downloads of 200 MB / alone",
      value:
        tollgateDownload === undefined
          ? null
          : quotient(tollgateDownload.smallCallBesideMs.p99, tollgateDownload.smallCallAloneMs.p99),
      atMost: 2,
    },
  ];
}
