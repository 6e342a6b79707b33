// Requests per minute in fixed UTC windows, and the penalty for clients that ignore refusals. This one counts in one
// process; redis-rate-limit.ts counts for several.

import type { Clock } from '../../platform/clock.ts';
import { PenaltyBook } from './penalty-book.ts';

export type RateDecision = Readonly<{
  outcome: 'allowed' | 'exceeded' | 'penalized';
  limit: number;
  /** What is left in the current window. */
  remaining: number;
  resetAtSeconds: number;
  /** How long until a try can succeed; 0 when allowed. */
  retryAfterSeconds: number;
}>;

export type RateLimiter = Readonly<{
  /** Counts one request of a subject (a user, an address) against its limit. */
  take(subject: string, limit: number): RateDecision | Promise<RateDecision>;
}>;

type RateLimiterOptions = Readonly<{
  clock: Clock;
  /** Whether repeated refusals lead to a block. */
  hasPenalty: boolean;
  /** Bounds memory where strangers choose the subjects. */
  subjectsMax?: number;
}>;

export const WINDOW_MS = 60_000;
export const SUBJECTS_MAX = 250_000;

export function createRateLimiter({ clock, hasPenalty, subjectsMax }: RateLimiterOptions): RateLimiter {
  const sizeMax = subjectsMax ?? SUBJECTS_MAX;
  const penalties = new PenaltyBook();
  let windowIndex = -1;
  let counts = new Map<string, number>();

  return {
    take(subject, limit) {
      const nowMs = clock.nowMs();
      const index = Math.floor(nowMs / WINDOW_MS);
      if (index !== windowIndex) {
        windowIndex = index;
        counts = new Map();
        penalties.forgetOld(nowMs);
      }
      const resetAtMs = (index + 1) * WINDOW_MS;
      const resetAtSeconds = resetAtMs / 1000;
      const blockedUntilMs = hasPenalty ? penalties.blockedUntilMs(subject) : 0;
      if (nowMs < blockedUntilMs) {
        const retryAfterSeconds = secondsUntil(blockedUntilMs, nowMs);
        return { outcome: 'penalized', limit, remaining: 0, resetAtSeconds, retryAfterSeconds };
      }
      const count = counts.get(subject) ?? 0;
      if (count >= limit) {
        if (hasPenalty) penalties.addViolation(subject, nowMs);
        const retryAfterSeconds = secondsUntil(resetAtMs, nowMs);
        return { outcome: 'exceeded', limit, remaining: 0, resetAtSeconds, retryAfterSeconds };
      }
      if (count === 0 && counts.size >= sizeMax) dropFirst(counts);
      counts.set(subject, count + 1);
      return { outcome: 'allowed', limit, remaining: limit - count - 1, resetAtSeconds, retryAfterSeconds: 0 };
    },
  };
}

export const secondsUntil = (thenMs: number, nowMs: number): number => Math.ceil((thenMs - nowMs) / 1000);

export function dropFirst(entries: Map<string, unknown>): void {
  for (const subject of entries.keys()) {
    entries.delete(subject);
    return;
  }
}
