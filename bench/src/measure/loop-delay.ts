// How long the target's event loop has stood still at most since it was last asked: reading the figures begins a new
// period.

import type { Target } from '../targets/target.ts';
import { sumOf } from './prometheus.ts';

/** Null where the target does not report it. */
export async function readLoopDelayMs(target: Target): Promise<number | null> {
  const metrics = await target.metrics?.();
  const seconds = metrics === undefined ? null : sumOf(metrics, /^nodejs_eventloop_lag_max_seconds$/);
  return seconds === null ? null : seconds * 1_000;
}
