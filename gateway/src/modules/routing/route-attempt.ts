// One attempt at a route, as its health sees it. It must be ended in one of four ways, and the first ending counts.

import type { AttemptFailure } from './failure.ts';
import type { KeyHealth } from './key-health.ts';
import type { RingKey } from './keyring.ts';
import type { Peers, RouteHealth } from './route-health.ts';

/** The speed of a shorter answer says more about the connection than about the model. */
const TOKENS_MIN = 8;
const TOKENS_PER_SECOND_MAX = 100_000;

type RouteAttemptParts = Readonly<{
  health: RouteHealth;
  key: KeyHealth;
  /** Null where the provider has one key. */
  ringKey: RingKey | null;
  peers: Peers;
  isStream: boolean;
  accountId: string | undefined;
}>;

export class RouteAttempt {
  readonly #parts: RouteAttemptParts;
  readonly #begunMs: number;
  #isProbe: boolean;
  #isOver = false;
  #openedMs: number | null = null;

  constructor(parts: RouteAttemptParts, nowMs: number) {
    this.#parts = parts;
    this.#begunMs = nowMs;
    this.#isProbe = parts.health.begin(nowMs, parts.accountId);
  }

  get isProbe(): boolean {
    return this.#isProbe;
  }

  /** The key to use, where the provider has several. */
  get ringKey(): RingKey | null {
    return this.#parts.ringKey;
  }

  /** The first piece of a stream has come: the route works, though the stream may still break. */
  opened(latencyMs: number, nowMs: number): void {
    const { health } = this.#parts;
    this.#openedMs = nowMs;
    health.measureLatency(latencyMs, this.#parts.isStream, nowMs);
    if (this.#isProbe) health.probeSucceeded();
    this.#keySucceeded(nowMs);
    this.#isProbe = false;
  }

  /** `startedMs` is when the attempt that succeeded began; the tokens are the provider's own count. */
  succeeded(completionTokens: number | null, startedMs: number, nowMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { health, accountId } = this.#parts;
    if (this.#openedMs === null) {
      health.measureLatency(nowMs - startedMs, this.#parts.isStream, nowMs);
      if (this.#isProbe) health.probeSucceeded();
      this.#keySucceeded(nowMs);
    }
    health.succeeded(nowMs, this.#begunMs, accountId);
    const durationMs = nowMs - (this.#openedMs ?? startedMs);
    if (completionTokens === null || completionTokens < TOKENS_MIN || durationMs <= 0) return;
    health.measureThroughput(Math.min((completionTokens * 1_000) / durationMs, TOKENS_PER_SECOND_MAX), nowMs);
  }

  #keySucceeded(nowMs: number): void {
    const { health, key, ringKey } = this.#parts;
    if (ringKey === null || health.keys === null) key.succeeded(nowMs);
    else health.keys.succeeded(ringKey, nowMs);
  }

  failed(failure: AttemptFailure, nowMs: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { health, key, ringKey, peers, accountId } = this.#parts;
    health.failed(failure, { isProbe: this.#isProbe, key, ringKey, peers, accountId }, nowMs);
  }

  /** The provider refused the request itself, which is a healthy answer. */
  declined(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isProbe) this.#parts.health.probeSucceeded();
  }

  /** The client left, or the call ended before the attempt showed anything. */
  dropped(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isProbe) this.#parts.health.probeWasted();
  }
}
