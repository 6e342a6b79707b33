// What one user, or one address, has used: requests of the current minute and units of the current day. A window that
// is over does not count, so it need not be cleared.

import { DAY_MS, MINUTE_MS } from '../../canonical/calendar.ts';
import type { FreeWindow } from '../../canonical/model.ts';
import type { ShareOf } from '../../platform/redis/own-share.ts';
import type { FreeLimit } from './free-quota.ts';

/** The windows that a moment lies in, counted from the epoch. */
export type Windows = Readonly<{ minute: number; day: number }>;

export const windowsAt = (nowMs: number): Windows => ({
  minute: Math.floor(nowMs / MINUTE_MS),
  day: Math.floor(nowMs / DAY_MS),
});

export const dayStartMs = (day: number): number => day * DAY_MS;

/** Whole seconds until the window turns, at least one. */
export function secondsLeft(window: FreeWindow, nowMs: number): number {
  const sizeMs = window === 'daily' ? DAY_MS : MINUTE_MS;
  return Math.ceil((sizeMs - (nowMs % sizeMs)) / 1_000);
}

/** A single process may grant all that is left of a limit. */
export const wholeShare: ShareOf = (room) => room;

/** The count of one window: what other processes have told, and what was granted here since. */
class WindowCount {
  #window: number;
  #told: number;
  #own = 0;

  constructor(window: number, told: number) {
    this.#window = window;
    this.#told = told;
  }

  turn(window: number): void {
    if (window === this.#window) return;
    this.#window = window;
    this.#told = 0;
    this.#own = 0;
  }

  hasRoom(amount: number, limit: number, shareOf: ShareOf): boolean {
    return this.#own + amount <= shareOf(limit - this.#told);
  }

  add(amount: number): void {
    this.#own += amount;
  }

  giveBack(amount: number, window: number): void {
    if (window === this.#window) this.#own = Math.max(-this.#told, this.#own - amount);
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
    this.#requests = new WindowCount(at.minute, 0);
    this.#units = new WindowCount(at.day, 0);
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
    this.#units.giveBack(units, taken.day);
    this.#requests.giveBack(1, taken.minute);
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
    this.#units.turn(at.day);
    this.#requests.turn(at.minute);
  }
}
