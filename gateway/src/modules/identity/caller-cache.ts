// Callers by key, in memory. The index is the whole SHA-256 of the token: a part of it could let one key answer for
// another, and the token itself would keep secrets in memory.

import { hash } from 'node:crypto';
import type { Caller } from '../../canonical/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { RecentMap } from '../../platform/recent-map.ts';

const CALLERS_MAX = 100_000;
const REFUSED_MAX = 10_000;
/** Bounds how long a change stays unseen if its notice never arrives. */
const CALLER_TTL_MS = 3_600_000;
const REFUSED_TTL_MS = 10_000;

type Cached<Value> = Readonly<{ value: Value; staleAtMs: number }>;

export type CallerSource = Readonly<{
  /** False for text that cannot be a key of ours; it is neither looked up nor cached. */
  isPlausible(token: string): boolean;
  /** Null when no usable key has this secret. */
  load(token: string): Promise<Caller | null>;
}>;

export class CallerCache {
  readonly #source: CallerSource;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #callers = new RecentMap<Cached<Caller>>(CALLERS_MAX, ({ value }) => [
    value.keyId,
    value.userId,
    value.accountId,
  ]);
  readonly #refused = new RecentMap<Cached<null>>(REFUSED_MAX);
  readonly #loading = new Map<string, Promise<Caller | null>>();
  /** Grows with every invalidation: a caller that was read before one must not be cached after it. */
  #epoch = 0;

  constructor(source: CallerSource, clock: Clock, ttlMs = CALLER_TTL_MS) {
    this.#source = source;
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  find(token: string): Caller | null | Promise<Caller | null> {
    const index = hash('sha256', token, 'binary');
    const nowMs = this.#clock.nowMs();
    const cached = this.#callers.get(index) ?? this.#refused.get(index);
    if (cached !== undefined && nowMs < cached.staleAtMs) return cached.value;
    const loading = this.#loading.get(index);
    if (loading !== undefined) return loading;
    return this.#source.isPlausible(token) ? this.#startLoading(index, token) : null;
  }

  /** `id` is the id of a key, a user or an account. */
  invalidate(id: string): void {
    this.#epoch += 1;
    this.#callers.deleteTagged(id);
    this.#refused.clear();
    this.#loading.clear();
  }

  clear(): void {
    this.#epoch += 1;
    this.#callers.clear();
    this.#refused.clear();
    this.#loading.clear();
  }

  #startLoading(index: string, token: string): Promise<Caller | null> {
    const loading = this.#loadAndKeep(index, token).finally(() => {
      if (this.#loading.get(index) === loading) this.#loading.delete(index);
    });
    this.#loading.set(index, loading);
    return loading;
  }

  async #loadAndKeep(index: string, token: string): Promise<Caller | null> {
    const epoch = this.#epoch;
    const caller = await this.#source.load(token);
    if (epoch !== this.#epoch) return caller;
    const nowMs = this.#clock.nowMs();
    if (caller === null) {
      this.#callers.delete(index);
      this.#refused.set(index, { value: null, staleAtMs: nowMs + REFUSED_TTL_MS });
    } else {
      this.#refused.delete(index);
      this.#callers.set(index, { value: caller, staleAtMs: nowMs + this.#ttlMs });
    }
    return caller;
  }
}
