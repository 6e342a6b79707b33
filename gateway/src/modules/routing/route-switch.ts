// The switch of one route, which others call its circuit breaker (here breakers are about money). It opens when calls
// keep failing, stays open for a while that grows with each failed probe, and then lets one call through at a time
// until one succeeds. Time comes in as a value: it holds no timers.

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
  #state: 'closed' | 'open' = 'closed';
  #consecutiveFailures = 0;
  #failedProbes = 0;
  #openUntilMs = 0;
  #probeSinceMs: number | null = null;

  constructor(random: () => number) {
    this.#random = random;
  }

  stateAt(nowMs: number): SwitchState {
    if (this.#state === 'closed') return 'closed';
    return nowMs < this.#openUntilMs ? 'open' : 'half_open';
  }

  /** When the next call may be let through; zero when one may be now. */
  waitMs(nowMs: number): number {
    if (this.#state === 'closed') return 0;
    if (nowMs < this.#openUntilMs) return this.#openUntilMs - nowMs;
    return this.#isProbing(nowMs) ? 1_000 : 0;
  }

  /**
   * Only for a call that is let through (`waitMs` is zero). True when the call is the probe, whose result must be
   * reported.
   */
  begin(nowMs: number): boolean {
    if (this.#state === 'closed') return false;
    this.#probeSinceMs = nowMs;
    return true;
  }

  /** A call from before the switch opened proves nothing about now, so this does not close it. */
  succeeded(): void {
    if (this.#state === 'closed') this.#consecutiveFailures = 0;
  }

  probeSucceeded(): void {
    this.#state = 'closed';
    this.#consecutiveFailures = 0;
    this.#failedProbes = 0;
    this.#probeSinceMs = null;
  }

  /** True when this failure opened the switch. */
  failed(isProbe: boolean, nowMs: number): boolean {
    if (isProbe) {
      this.#failedProbes += 1;
      this.open(nowMs);
      return true;
    }
    if (this.#state === 'open') return false;
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
    this.#openUntilMs = nowMs + periodMs * (1 - JITTER_SHARE * this.#random());
  }

  #isProbing(nowMs: number): boolean {
    return this.#probeSinceMs !== null && nowMs - this.#probeSinceMs < PROBE_LOST_MS;
  }
}
