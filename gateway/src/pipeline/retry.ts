// When the same provider is worth asking again, after how long, and which of several failures a caller should hear of.

import type { UpstreamFailure } from '../upstreams/protocol.ts';

const DELAY_MS_MIN = 200;
const DELAY_MS_MAX = 500;

/** It may be over in a moment: a server error or a lost connection, without a word on when to come back. */
export function isTransient(failure: UpstreamFailure): boolean {
  if (failure.kind === 'unreachable') return true;
  return failure.kind === 'unavailable' && (failure.retryAfterSeconds === null || failure.retryAfterSeconds === 0);
}

/** Spread out, so that calls that failed together do not come back together. */
export function retryDelayMs(random: number): number {
  return DELAY_MS_MIN + random * (DELAY_MS_MAX - DELAY_MS_MIN);
}

/** Null when there was none. A limit is only worth waiting for when every provider had one; then the shortest counts. */
export function tellingFailure(failures: readonly UpstreamFailure[]): UpstreamFailure | null {
  const other = failures.findLast(({ kind }) => kind !== 'rate_limited');
  if (other !== undefined) return other;
  const limits = failures.flatMap((failure) => (failure.kind === 'rate_limited' ? [failure] : []));
  return limits.reduce<UpstreamFailure | null>(
    (shortest, limit) => (shortest === null || waitOf(limit) < waitOf(shortest) ? limit : shortest),
    null,
  );
}

function waitOf(failure: UpstreamFailure): number {
  const isLimit = failure.kind === 'rate_limited' && failure.retryAfterSeconds !== null;
  return isLimit ? failure.retryAfterSeconds : Number.POSITIVE_INFINITY;
}
