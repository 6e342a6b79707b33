// Which calls are traced. The decision follows from the trace's id, so that all services with the same ratio choose the
// same traces. A caller may ask for less, and for more within a share.

import type { TraceContext } from './trace-context.ts';

export type Sampler = Readonly<{
  /** From 0 up to 1. */
  ratio: number;
  /** Whether the caller's own decision counts before the ratio. */
  followsCaller: boolean;
}>;

/** The end of an id is random by recommendation; a double holds this much of it exactly. */
const RANDOM_DIGITS = 13;
const RANDOM_VALUES = 2 ** 52;

/** `mayForce` is asked where the caller wants a trace that the ratio would not choose. */
export function isSampled(
  { ratio, followsCaller }: Sampler,
  traceId: string,
  caller: TraceContext | null,
  mayForce: () => boolean,
): boolean {
  const isChosen = Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / RANDOM_VALUES >= 1 - ratio;
  if (!followsCaller || caller === null) return isChosen;
  return caller.isSampled && (isChosen || mayForce());
}
