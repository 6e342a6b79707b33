// What one user, or one address, has used: requests of the current minute and units of the current day. A window that
// is over does not count, so it need not be cleared.

import type { FreeWindow } from '../../canonical/model.ts';
import { windowEndMs, windowStartMs } from '../../canonical/spend-window.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import type { FreeLimit } from './free-quota.ts';

/** The windows that a moment lies in, by their beginnings. */
export type Windows = Readonly<{ minuteMs: number; dayMs: number }>;

export const windowsAt = (nowMs: number): Windows => ({
  minuteMs: windowStartMs('minute', nowMs),
  dayMs: windowStartMs('day', nowMs),
});

/** Whole seconds until the window turns, at least one. */
export function secondsLeft(window: FreeWindow, nowMs: number): number {
  return Math.ceil((windowEndMs(window === 'daily' ? 'day' : 'minute', nowMs) - nowMs) / 1_000);
}

/** A single process may grant all that is left of a limit. */
export const wholeShare: ShareOf = (room) => room;

/** The count of one window: what other processes have told, and what was granted here since. */
class WindowCount {
  #windowMs: number;
  #told: number;
  #own = 0;

  constructor(windowMs: number, told: number) {
    this.#windowMs = windowMs;
    this.#told = told;
  }

  turn(windowMs: number): void {
    if (windowMs === this.#windowMs) return;
    this.#windowMs = windowMs;
    this.#told = 0;
    this.#own = 0;
  }

  hasRoom(amount: number, limit: number, shareOf: ShareOf): boolean {
    return this.#own + amount <= shareOf(limit - this.#told);
  }

  add(amount: number): void {
    this.#own += amount;
  }

  giveBack(amount: number, windowMs: number): void {
    if (windowMs === this.#windowMs) this.#own = Math.max(-this.#told, this.#own - amount);
  }

  hear(told: number): void {
    this.#told = told;
    this.#own = 0;
  }

  /** The count is at least this. */
  learn(told: number): void {
    this.#told = Math.max(this.#told, told);
  }
}

export class FreeCounter {
  readonly #requests: WindowCount;
  readonly #units: WindowCount;

  constructor(at: Windows) {
    this.#requests = new WindowCount(at.minuteMs, 0);
    this.#units = new WindowCount(at.dayMs, 0);
  }

  /** Null when there is room for one more request of this many units. */
  lacking(limit: FreeLimit, units: number, at: Windows, shareOf: ShareOf): FreeWindow | null {
    this.#turn(at);
    if (!this.#units.hasRoom(units, limit.unitsPerDay, shareOf)) return 'daily';
    return this.#requests.hasRoom(1, limit.requestsPerMinute, shareOf) ? null : 'rpm';
  }

  add(units: number, at: Windows): void {
    this.#turn(at);
    this.#units.add(units);
    this.#requests.add(1);
  }

  giveBack(units: number, taken: Windows): void {
    this.#units.giveBack(units, taken.dayMs);
    this.#requests.giveBack(1, taken.minuteMs);
  }

  /** What all processes have used in these windows, this one included. */
  hear(told: Readonly<{ units: number; requests: number }>, at: Windows): void {
    this.#turn(at);
    this.#units.hear(told.units);
    this.#requests.hear(told.requests);
  }

  /** Takes over the day's use as the database has it. */
  learn(units: number, at: Windows): void {
    this.#turn(at);
    this.#units.learn(units);
  }

  #turn(at: Windows): void {
    this.#units.turn(at.dayMs);
    this.#requests.turn(at.minuteMs);
  }
}
