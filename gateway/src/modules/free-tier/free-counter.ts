// What one user, or one address, has used: requests of the current minute and units of the current day. A window that is
// over counts for nothing, so nobody has to clear it.

import type { FreeWindow } from '../../canonical/free-share.ts';
import type { FreeLimit } from './free-quota.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

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

export class FreeCounter {
  #minute: number;
  #requests = 0;
  #day: number;
  #units: number;

  constructor(at: Windows, units = 0) {
    this.#minute = at.minute;
    this.#day = at.day;
    this.#units = units;
  }

  /** Null when there is room for one more request of so many units. */
  lacking(limit: FreeLimit, units: number, at: Windows): FreeWindow | null {
    const usedUnits = this.#day === at.day ? this.#units : 0;
    if (usedUnits + units > limit.unitsPerDay) return 'daily';
    const usedRequests = this.#minute === at.minute ? this.#requests : 0;
    return usedRequests + 1 > limit.requestsPerMinute ? 'rpm' : null;
  }

  add(units: number, at: Windows): void {
    this.#units = (this.#day === at.day ? this.#units : 0) + units;
    this.#day = at.day;
    this.#requests = (this.#minute === at.minute ? this.#requests : 0) + 1;
    this.#minute = at.minute;
  }

  giveBack(units: number, taken: Windows): void {
    if (this.#day === taken.day) this.#units = Math.max(0, this.#units - units);
    if (this.#minute === taken.minute) this.#requests = Math.max(0, this.#requests - 1);
  }
}
