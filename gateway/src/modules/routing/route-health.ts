// The health of one route (a provider and an upstream model): whether it may be used, and how well it does. All models
// that use the route share it, and the failures of one model at a provider say nothing about the provider's other
// models.

import { Blame } from './blame.ts';
import type { AttemptFailure, FailureKind, IsolationReason } from './failure.ts';
import type { KeyHealth } from './key-health.ts';
import { isOfKey, type Keyring, type RingKey } from './keyring.ts';
import { RecentSamples } from './measurements.ts';
import { RouteFigures } from './route-figures.ts';
import { RouteSwitch, type SwitchState } from './route-switch.ts';
import { RouteTally, type TallySums } from './route-tally.ts';

/** Isolation by rate: more than half of at least twenty calls within ten seconds. */
const RATE_SPAN_SECONDS = 10;
const RATE_CALLS_MIN = 20;
const RATE_MAX = 0.5;
/** At most this share of a model's routes is isolated for its rate: an unreliable route is better than none. */
const EJECTED_SHARE_MAX = 0.5;
const REPORT_SPAN_SECONDS = 60;
/** A provider that asks for a longer pause is asked again after this time. */
const COOLING_MS_MAX = 300_000;

type LastError = Readonly<{ kind: FailureKind; detail: string; atMs: number }>;

export type Isolation = Readonly<{ reason: IsolationReason; waitMs: number }>;

export type RouteIdentity = Readonly<{ providerName: string; upstreamModel: string }>;

export type HealthEvents = Readonly<{
  random(): number;
  /** The time of day, for people to read. */
  nowMs(): number;
  isolated(route: RouteIdentity, reason: IsolationReason | 'error_rate', detail: string): void;
  /** Only for a provider with several keys. */
  keySetAside(route: RouteIdentity, keyName: string, failure: AttemptFailure): void;
}>;

export class RouteHealth implements RouteIdentity {
  readonly providerName: string;
  readonly upstreamModel: string;
  readonly #events: HealthEvents;
  readonly #switch: RouteSwitch;
  readonly #window = new OutcomeWindow();
  readonly #latencies = new RecentSamples();
  readonly #tally = new RouteTally();
  readonly #figures: RouteFigures;
  /** Null where the provider has one key. */
  readonly keys: Keyring | null;
  #coolingUntilMs = 0;
  #refusedUntilMs = 0;
  readonly #refused = new Blame();
  #lastError: LastError | null = null;
  /** Null before the first call has ended. */
  #hasAnsweredLast: boolean | null = null;

  constructor(
    identity: RouteIdentity,
    events: HealthEvents,
    figures = new RouteFigures(),
    keys: Keyring | null = null,
  ) {
    this.providerName = identity.providerName;
    this.upstreamModel = identity.upstreamModel;
    this.#events = events;
    this.#figures = figures;
    this.keys = keys;
    this.#switch = new RouteSwitch(() => events.random());
  }

  /** Null when the route may be asked now: by this account, or by whoever asks. */
  isolation(nowMs: number, accountId?: string): Isolation | null {
    const refusedMs = this.#refused.spares(accountId) ? 0 : this.#refusedUntilMs - nowMs;
    if (refusedMs > 0) return { reason: 'auth_failed', waitMs: refusedMs };
    if (nowMs < this.#coolingUntilMs) return { reason: 'rate_limited', waitMs: this.#coolingUntilMs - nowMs };
    const byKeys = this.keys === null ? null : this.keys.isolation(nowMs, accountId);
    if (byKeys !== null) return byKeys;
    const waitMs = this.#switch.waitMs(nowMs, accountId);
    return waitMs === 0 ? null : { reason: this.#openReason(), waitMs };
  }

  /** The next call would be the probe that decides whether the route comes back. */
  isDueForProbe(nowMs: number, accountId?: string): boolean {
    return this.#switch.isDueForProbe(nowMs, accountId) && this.isolation(nowMs, accountId) === null;
  }

  /** True when the call is the probe. Only for a route that may be asked. */
  begin(nowMs: number, accountId?: string): boolean {
    return this.#switch.begin(nowMs, accountId);
  }

  measureLatency(latencyMs: number, isStream: boolean, nowMs: number): void {
    this.#latencies.add(latencyMs);
    this.#tally.latency(latencyMs);
    this.#figures.measureLatency(latencyMs, isStream, nowMs);
  }

  measureThroughput(tokensPerSecond: number, nowMs: number): void {
    this.#tally.speed(tokensPerSecond);
    this.#figures.measureThroughput(tokensPerSecond, nowMs);
  }

  succeeded(nowMs: number, begunMs: number, accountId?: string): void {
    this.#ended(false, nowMs);
    this.#switch.succeeded(begunMs, accountId);
  }

  probeSucceeded(): void {
    this.#switch.probeSucceeded();
  }

  probeWasted(): void {
    this.#switch.probeWasted();
  }

  failed(failure: AttemptFailure, failed: FailedAttempt, nowMs: number): void {
    this.#lastError = { kind: failure.kind, detail: failure.detail, atMs: this.#events.nowMs() };
    if (failed.ringKey !== null && isOfKey(failure)) {
      this.#keyFailed(failed.ringKey, failure, nowMs, failed.accountId);
      if (failed.isProbe) this.#switch.probeWasted();
      return;
    }
    this.#ended(true, nowMs);
    if (failure.kind === 'rate_limited' && this.#cool(failure, nowMs)) {
      // The provider said when to come back, so no probe is needed.
      if (failed.isProbe) this.#switch.probeSucceeded();
      return;
    }
    if (failure.kind === 'auth_failed' && failure.isOfModel !== true) this.#refuse(failure, failed, nowMs);
    const { isProbe, accountId } = failed;
    if (this.#switch.failed(isProbe, nowMs, accountId)) this.#events.isolated(this, this.#openReason(), failure.detail);
    else if (this.#isFailingTooOften(failed.peers, nowMs)) {
      this.#switch.open(nowMs);
      this.#events.isolated(this, 'error_rate', failure.detail);
    }
  }

  #ended(isFailure: boolean, nowMs: number): void {
    this.#window.add(isFailure, nowMs);
    this.#tally.ended(isFailure);
    this.#hasAnsweredLast = !isFailure;
  }

  /** For the history of the route; null when nothing has happened since the last time. */
  takeTally(): TallySums | null {
    return this.#tally.take();
  }

  latencyMs(isStream: boolean, nowMs: number): number | null {
    return this.#figures.latencyMs(isStream, nowMs);
  }

  tokensPerSecond(nowMs: number): number | null {
    return this.#figures.tokensPerSecond(nowMs);
  }

  switchState(nowMs: number): SwitchState {
    return this.#switch.stateAt(nowMs);
  }

  lastMinute(nowMs: number): Totals {
    return this.#window.totals(REPORT_SPAN_SECONDS, nowMs);
  }

  latencyPercentile(share: number): number | null {
    return this.#latencies.percentile(share);
  }

  get hasAnsweredLast(): boolean | null {
    return this.#hasAnsweredLast;
  }

  get lastError(): LastError | null {
    return this.#lastError;
  }

  #cool({ retryAfterSeconds }: AttemptFailure, nowMs: number): boolean {
    if (retryAfterSeconds === undefined || retryAfterSeconds === null || retryAfterSeconds <= 0) return false;
    const wasCooling = nowMs < this.#coolingUntilMs;
    const untilMs = nowMs + Math.min(retryAfterSeconds * 1_000, COOLING_MS_MAX);
    this.#coolingUntilMs = Math.max(this.#coolingUntilMs, untilMs);
    if (!wasCooling) this.#events.isolated(this, 'rate_limited', `for ${retryAfterSeconds} s`);
    return true;
  }

  #refuse(failure: AttemptFailure, { key, accountId }: FailedAttempt, nowMs: number): void {
    const untilMs = key.refused(nowMs, accountId);
    if (untilMs === null) return;
    const wasRefused = nowMs < this.#refusedUntilMs;
    if (!wasRefused) this.#refused.clear();
    this.#refused.add(accountId);
    this.#refusedUntilMs = untilMs;
    if (!wasRefused) this.#events.isolated(this, 'auth_failed', failure.detail);
  }

  /** The route is healthy while one of its keys is. */
  #keyFailed(key: RingKey, failure: AttemptFailure, nowMs: number, accountId: string | undefined): void {
    if (this.keys?.setAside(key, failure, nowMs, accountId) !== true) return;
    this.#events.keySetAside(this, key.name, failure);
    const isolation = this.keys.isolation(nowMs);
    if (isolation === null) return;
    this.#ended(true, nowMs);
    this.#events.isolated(this, isolation.reason, failure.detail);
  }

  #openReason(): IsolationReason {
    const kind = this.#lastError?.kind;
    return kind === 'rate_limited' || kind === 'auth_failed' ? kind : 'failing';
  }

  #isFailingTooOften(peers: Peers, nowMs: number): boolean {
    if (this.#switch.stateAt(nowMs) !== 'closed') return false;
    const { calls, failures } = this.#window.totals(RATE_SPAN_SECONDS, nowMs);
    if (calls < RATE_CALLS_MIN || failures / calls <= RATE_MAX) return false;
    const ejected = peers.filter((peer) => peer.isolation(nowMs) !== null).length;
    return (ejected + 1) / peers.length <= EJECTED_SHARE_MAX;
  }
}

/** The health of all routes of the model that was called, this one included. */
export type Peers = readonly RouteHealth[];

type FailedAttempt = Readonly<{
  isProbe: boolean;
  key: KeyHealth;
  /** The key that the call used, where there are several. */
  ringKey: RingKey | null;
  peers: Peers;
  /** Whose call it was. */
  accountId: string | undefined;
}>;

// The last minute of calls on a route, second by second. A slot is cleared when its second comes round again, so
// nothing runs while there are no calls.

const SLOTS = 60;
const SLOT_MS = 1_000;

export type Totals = Readonly<{ calls: number; failures: number }>;

export class OutcomeWindow {
  readonly #seconds = new Float64Array(SLOTS).fill(-1);
  readonly #calls = new Uint32Array(SLOTS);
  readonly #failures = new Uint32Array(SLOTS);

  add(isFailure: boolean, nowMs: number): void {
    const second = Math.floor(nowMs / SLOT_MS);
    const slot = second % SLOTS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
    }
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    if (isFailure) this.#failures[slot] = (this.#failures[slot] ?? 0) + 1;
  }

  /** Of the last seconds, the current one included; at most a minute. */
  totals(spanSeconds: number, nowMs: number): Totals {
    const last = Math.floor(nowMs / SLOT_MS);
    let calls = 0;
    let failures = 0;
    for (let second = Math.max(0, last - Math.min(spanSeconds, SLOTS) + 1); second <= last; second += 1) {
      const slot = second % SLOTS;
      if (this.#seconds[slot] !== second) continue;
      calls += this.#calls[slot] ?? 0;
      failures += this.#failures[slot] ?? 0;
    }
    return { calls, failures };
  }
}
