// What one process may grant by itself of a limit that several count together, while Redis, where they count, is away.

import type { Bus } from './bus.ts';
import type { Redis } from './redis.ts';

/** Of what is left of a limit, as far as this process knows. */
export type ShareOf = (room: number) => number;

const GENEROUS_MS = 60_000;

/**
 * At first generous, because a client often has all its connections with one process: of n processes each may grant a
 * part of n-1. Whoever counted last in Redis knows what was granted there, so that with it no more than twice the limit
 * is granted. An outage that lasts leaves each process its even share, and the limit is kept.
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
