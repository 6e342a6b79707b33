// The one cache of values that are read or made elsewhere: callers, sessions, an organization's settings, tokens of
// providers, answers that may be a few minutes old. A second request while a value is being loaded waits for the same
// one, and a value that was being loaded when something was dropped is not kept, because it may be older than the
// change.

import type { Clock } from './clock.ts';
import { type MapBounds, RecentMap } from './recent-map.ts';

type LoadingCacheOptions<Value> = Readonly<{
  clock: Clock;
  /**
   * How long a value is used, counted from the moment it was asked for: this bounds how long a change stays unseen if
   * its notice never arrives. A value with an age of zero goes to those who wait for it and is not kept.
   */
  ageMaxMs: number | ((value: Value) => number);
  /** Names, besides its key, by which a value is dropped. */
  tagsOf?(value: Value): readonly string[];
}> &
  MapBounds<Value>;

type Kept<Value> = Readonly<{ value: Value; staleAtMs: number }>;

const NO_TAGS: readonly string[] = [];

export class LoadingCache<Value> {
  readonly #clock: Clock;
  readonly #ageMsOf: (value: Value) => number;
  readonly #kept: RecentMap<Kept<Value>>;
  readonly #loading = new Map<string, Promise<Value>>();
  /** Of all values so far. Turns are at least this far apart, so that what a turn drops is stale. */
  #longestAgeMs = 0;
  #turnedAtMs: number;

  constructor({ clock, sizeMax, ageMaxMs, tagsOf, weightOf }: LoadingCacheOptions<Value>) {
    this.#clock = clock;
    this.#turnedAtMs = clock.monotonicMs();
    this.#ageMsOf = typeof ageMaxMs === 'number' ? () => ageMaxMs : ageMaxMs;
    this.#kept = new RecentMap<Kept<Value>>({
      sizeMax,
      tagsOf: ({ value }) => tagsOf?.(value) ?? NO_TAGS,
      weightOf: ({ value }) => weightOf?.(value) ?? 1,
    });
  }

  /** How many values are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Undefined unless it is in memory. */
  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#clock.monotonicMs() < kept.staleAtMs ? kept.value : undefined;
  }

  /** Without a promise where it is in memory. A failure reaches all who wait and is not kept. */
  find(key: string, load: () => Promise<Value>): Value | Promise<Value> {
    const value = this.get(key);
    return value !== undefined ? value : (this.#loading.get(key) ?? this.#startLoading(key, load));
  }

  /** Replaces a value by a newer form of it; does nothing where that value is no longer kept. */
  replace(key: string, value: Value, newer: Value): void {
    const kept = this.#kept.get(key);
    if (kept?.value === value) this.#kept.set(key, { ...kept, value: newer });
  }

  /** Drops values by a key or a tag. */
  forget(name: string): void {
    this.#kept.delete(name);
    this.#kept.deleteTagged(name);
    // The tags of a value that is being loaded are not known yet.
    this.#loading.clear();
  }

  clear(): void {
    this.#kept.clear();
    this.#loading.clear();
  }

  #startLoading(key: string, load: () => Promise<Value>): Promise<Value> {
    const askedAtMs = this.#clock.monotonicMs();
    const loading = load().then(
      (value) => {
        if (this.#loading.get(key) === loading) this.#keep(key, value, askedAtMs);
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key);
        throw error;
      },
    );
    this.#loading.set(key, loading);
    return loading;
  }

  #keep(key: string, value: Value, askedAtMs: number): void {
    this.#loading.delete(key);
    const ageMaxMs = this.#ageMsOf(value);
    if (ageMaxMs > 0) this.#kept.set(key, { value, staleAtMs: askedAtMs + ageMaxMs });
    else this.#kept.delete(key);
    this.#longestAgeMs = Math.max(this.#longestAgeMs, ageMaxMs);
    this.#dropStale();
  }

  /** Otherwise a cache with room for many would keep what nobody can use any more. */
  #dropStale(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#turnedAtMs + this.#longestAgeMs) return;
    this.#kept.turn();
    this.#turnedAtMs = nowMs;
  }
}
