// The switch of one route, which others call its circuit breaker (here breakers are about money). It opens when calls
// keep failing, stays open for a while that grows with each failed probe, and then lets one call through at a time
// until one succeeds. Failures of a few accounts' calls open it for those accounts alone. Time comes in as a value: it
// holds no timers.

import { Blame } from './blame.ts';

export type SwitchState = 'closed' | 'open' | 'half_open';

const CONSECUTIVE_FAILURES_MAX = 5;
const OPEN_MS = 30_000;
const OPEN_MS_MAX = 300_000;
/** Jitter only shortens the wait, so that "after 30 s" stays true. */
const JITTER_SHARE = 0.1;
/** A probe that was never reported must not keep the route closed forever. */
const PROBE_LOST_MS = 600_000;

export class RouteSwitch {
  readonly #random: () => number;
  readonly #blame = new Blame();
  #state: 'closed' | 'open' = 'closed';
  #consecutiveFailures = 0;
  #failedProbes = 0;
  #openedMs = 0;
  #openUntilMs = 0;
  #probeSinceMs: number | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  stateAt(nowMs: number): SwitchState {
    if (this.#state === 'closed') return 'closed';
    return nowMs < this.#openUntilMs ? 'open' : 'half_open';
  }

  isDueForProbe(nowMs: number, accountId?: string): boolean {
    return this.stateAt(nowMs) === 'half_open' && !this.#blame.spares(accountId);
  }

  /** When the next call may be let through; zero when one may be now. */
  waitMs(nowMs: number, accountId?: string): number {
    if (this.#state === 'closed' || this.#blame.spares(accountId)) return 0;
    if (nowMs < this.#openUntilMs) return this.#openUntilMs - nowMs;
    return this.#isProbing(nowMs) ? 1_000 : 0;
  }

  /**
   * Only for a call that is let through (`waitMs` is zero). True when the call is the probe, whose result must be
   * reported.
   */
  begin(nowMs: number, accountId?: string): boolean {
    if (this.#state === 'closed' || this.#blame.spares(accountId)) return false;
    this.#probeSinceMs = nowMs;
    return true;
  }

  /**
   * A call from before the switch opened proves nothing about now. A later one is a probe, or that of an account for
   * which the switch is not open: the route works for somebody, so it is tried for everybody.
   */
  succeeded(begunMs: number, accountId?: string): void {
    const isProof = begunMs >= this.#openedMs && this.#blame.spares(accountId);
    if (this.#state === 'closed' || isProof) this.probeSucceeded();
  }

  probeSucceeded(): void {
    this.#state = 'closed';
    this.#consecutiveFailures = 0;
    this.#failedProbes = 0;
    this.#probeSinceMs = null;
    this.#blame.clear();
  }

  /** True when this failure opened the switch, or opened it for everybody. */
  failed(isProbe: boolean, nowMs: number, accountId?: string): boolean {
    const wasForAll = this.#blame.isForAll;
    this.#blame.add(accountId);
    if (isProbe) {
      this.#failedProbes += 1;
      this.open(nowMs);
      return true;
    }
    if (this.#state === 'open') return this.#blame.isForAll && !wasForAll;
    this.#consecutiveFailures += 1;
    if (this.#consecutiveFailures < CONSECUTIVE_FAILURES_MAX) return false;
    this.open(nowMs);
    return true;
  }

  /** The probe ended without a result, for example because the client left. */
  probeWasted(): void {
    this.#probeSinceMs = null;
  }

  open(nowMs: number): void {
    const periodMs = Math.min(OPEN_MS * 2 ** this.#failedProbes, OPEN_MS_MAX);
    this.#state = 'open';
    this.#probeSinceMs = null;
    this.#openedMs = nowMs;
    this.#openUntilMs = nowMs + periodMs * (1 - JITTER_SHARE * this.#random());
  }

  #isProbing(nowMs: number): boolean {
    return this.#probeSinceMs !== null && nowMs - this.#probeSinceMs < PROBE_LOST_MS;
  }
}
