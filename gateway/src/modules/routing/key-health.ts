// Whether a provider still accepts the gateway's key. One refusal of a key that works otherwise may be about one model
// or one prompt, and a caller may have provoked it; a key that has had no recent success is quarantined.

import { Blame } from './blame.ts';

const QUARANTINE_MS = 600_000;
/** A success this recent proves that the key itself is good. */
const PROOF_MS = 60_000;
const REFUSALS_MAX = 3;

export class KeyHealth {
  #lastSuccessMs = Number.NEGATIVE_INFINITY;
  readonly #blame = new Blame();
  #refusals = 0;
  #quarantinedUntilMs = Number.NEGATIVE_INFINITY;

  /**
   * Applies to all routes of the key: other routes go first, but one that was not itself refused remains a last resort.
   */
  isQuarantined(nowMs: number, accountId?: string): boolean {
    return this.quarantineMs(nowMs, accountId) > 0;
  }

  /** How much longer; 0 when it is not quarantined. */
  quarantineMs(nowMs: number, accountId?: string): number {
    return this.#blame.spares(accountId) ? 0 : Math.max(this.#quarantinedUntilMs - nowMs, 0);
  }

  succeeded(nowMs: number): void {
    this.#lastSuccessMs = nowMs;
    this.#refusals = 0;
    this.#blame.clear();
    this.#quarantinedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Until when the refused route may not be used; null when the refusal proves nothing about the key. */
  refused(nowMs: number, accountId?: string): number | null {
    this.#blame.add(accountId);
    this.#refusals += 1;
    if (nowMs - this.#lastSuccessMs < PROOF_MS && this.#refusals < REFUSALS_MAX) return null;
    this.#quarantinedUntilMs = nowMs + QUARANTINE_MS;
    return this.#quarantinedUntilMs;
  }
}
