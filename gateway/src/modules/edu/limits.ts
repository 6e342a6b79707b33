// How often a source or a key may ask, over a sliding span: the limit holds in every span of that length, wherever it
// begins. Requests with a made-up key count too. This class counts in one process; redis-limits.ts counts for several.

import { HOUR_MS, MINUTE_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import { RecentMap } from '../../platform/recent-map.ts';

type Rule = Readonly<{ max: number; spanMs: number }>;

/**
 * Specification, Limits, for requests. The bound on guesses keeps one source from filling the table; the one on
 * mailboxes keeps strangers from flooding a mailbox with codes of many keys.
 */
export const eduRules = {
  'request-source': { max: 10, spanMs: 15 * MINUTE_MS },
  'request-key': { max: 100, spanMs: HOUR_MS },
  'guess-source': { max: 300, spanMs: 15 * MINUTE_MS },
  mailbox: { max: 10, spanMs: HOUR_MS },
} as const satisfies Record<string, Rule>;

export type EduLimit = keyof typeof eduRules;

export type EduLimits = Readonly<{
  /**
   * Counts one event of a subject; answers 0, or how many seconds to wait. An event that has to wait is not counted.
   */
  take(limit: EduLimit, subject: string): number | Promise<number>;
}>;

/** Strangers choose the subjects, so their number is bounded. */
const SUBJECTS_MAX = 20_000;

export function createProcessLimits(clock: Clock): EduLimits {
  const windows = new Map<string, SlidingWindow>();
  for (const [name, rule] of Object.entries(eduRules)) windows.set(name, new SlidingWindow(rule));
  return { take: (limit, subject) => windows.get(limit)?.take(subject, clock.nowMs()) ?? 0 };
}

/** Times by subject; subjects that did not come lately are dropped when there are too many. */
export class SlidingWindow {
  readonly #rule: Rule;
  readonly #timesOf = new RecentMap<readonly number[]>({ sizeMax: SUBJECTS_MAX });

  constructor(rule: Rule) {
    this.#rule = rule;
  }

  take(subject: string, nowMs: number, max = this.#rule.max): number {
    const times = this.#timesIn(subject, nowMs);
    const [first] = times;
    if (first !== undefined && times.length >= max) return secondsUntil(first + this.#rule.spanMs, nowMs);
    this.#timesOf.set(subject, [...times, nowMs]);
    return 0;
  }

  /** Counts an event that was granted elsewhere. */
  add(subject: string, nowMs: number): void {
    this.#timesOf.set(subject, [...this.#timesIn(subject, nowMs), nowMs]);
  }

  #timesIn(subject: string, nowMs: number): readonly number[] {
    // A time in the future is from before the clock was set back.
    const isCounted = (atMs: number): boolean => atMs > nowMs - this.#rule.spanMs && atMs <= nowMs;
    return (this.#timesOf.get(subject) ?? []).filter(isCounted);
  }
}

export const secondsUntil = (thenMs: number, nowMs: number): number => Math.max(1, Math.ceil((thenMs - nowMs) / 1000));
