// Which calls are traced. The decision is a function of the trace's id, so that all services that use the same ratio
// choose the same traces.

import type { TraceContext } from './trace-context.ts';

export type Sampler = Readonly<{
  /** From 0 up to 1. */
  ratio: number;
  /** Whether the caller's own decision goes before the ratio. */
  followsCaller: boolean;
}>;

/** The end of an id is random by recommendation; a double holds this much of it exactly. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 2 ** 52;

export function isSampled({ ratio, followsCaller }: Sampler, traceId: string, caller: TraceContext | null): boolean {
  if (followsCaller && caller !== null) return caller.isSampled;
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / RANDOM_VALUES >= 1 - ratio;
}
