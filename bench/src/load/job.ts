// A job for the load generator and its report: the messages between it and the benchmark.

import type { RequestShape } from '../targets/target.ts';

export type LoadJob = Readonly<{
  port: number;
  /** Taken in turn, one for each connection. */
  requests: readonly RequestShape[];
  connections: number;
  /** No call begins after this; calls under way may end. */
  durationMs: number;
  /** Absent: each connection sends its next call when the last one is answered. */
  callsPerSecond?: number;
  /** Each connection makes this many calls and no more. */
  callsPerConnection?: number;
  /** Each call's prompt is one that was never sent before. */
  isNew?: boolean;
  /** The first calls begin spread over this time. */
  spreadMs?: number;
  /** Every connection is open, and has been answered once, before the time begins. */
  opensFirst?: boolean;
  /** Latencies of calls that were sent this soon after the beginning are reported separately. */
  onsetMs?: number;
  /** A 503 with Retry-After counts as an answer, and is counted separately. */
  takesRefusals?: boolean;
}>;

export type Quantiles = Readonly<{ p50: number; p99: number; max: number }>;

export type LoadResult = Readonly<{
  completed: number;
  /** Within the duration, without calls that ended after it. */
  callsPerSecond: number;
  failed: number;
  /** With status 503, where the job takes those. */
  refused: Readonly<{ count: number; withRetryAfter: number; latencyMs: Quantiles }>;
  firstFailure: string | null;
  latencyMs: Quantiles;
  /** For calls at the beginning, where the job reports them separately. */
  onsetLatencyMs: Quantiles;
  /** Until the first event of a stream; zero for whole answers. */
  firstEventMs: Quantiles;
}>;

export type JobMessage = Readonly<{ id: number; job: LoadJob }>;
export type ResultMessage = Readonly<{ id: number; result: LoadResult }>;
