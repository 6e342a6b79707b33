// What one process may grant by itself of a limit that several processes count together in Redis, while Redis is away.

import type { Bus } from './bus.ts';
import type { Redis } from './redis.ts';

/** The share of what is left of a limit, as far as this process knows. */
export type ShareOf = (room: number) => number;

const GENEROUS_MS = 60_000;

/**
 * Generous at first, because a client often has all its connections to one process: of n processes each may grant one
 * part in n-1. Each knows what Redis had granted when it last answered, so that no more than twice the limit is granted
 * in all. When an outage lasts, each process grants an even share, and the limit is kept.
 */
export function ownShare(room: number, outage: Readonly<{ processCount: number; awayMs: number }>): number {
  const { processCount, awayMs } = outage;
  const parts = awayMs < GENEROUS_MS ? Math.max(1, processCount - 1) : processCount;
  return Math.ceil(Math.max(0, room) / parts);
}

export const ownShareOf =
  (redis: Pick<Redis, 'awayMs'>, bus: Pick<Bus, 'processCount'>): ShareOf =>
  (room) =>
    ownShare(room, { processCount: bus.processCount(), awayMs: redis.awayMs() });
