// The one cache of what is read or made elsewhere and may be used again: callers, sessions, an organization's settings,
// tokens of providers, answers that may be a few minutes old. Whoever asks while a value is on its way waits for that one,
// and a value that was on its way when something was forgotten is not kept: it may be older than what it was forgotten for.

import type { Clock } from './clock.ts';
import { type MapBounds, RecentMap } from './recent-map.ts';

type LoadingCacheOptions<Value> = Readonly<{
  clock: Clock;
  /**
   * For how long a value counts, from the moment it was asked for: it bounds how long a change stays unseen should its
   * notice never arrive. A value with an age of zero is for those who wait for it and is not kept.
   */
  ageMaxMs: number | ((value: Value) => number);
  /** What a value is forgotten by, besides its key. */
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

  constructor({ clock, sizeMax, ageMaxMs, tagsOf, weightOf }: LoadingCacheOptions<Value>) {
    this.#clock = clock;
    this.#ageMsOf = typeof ageMaxMs === 'number' ? () => ageMaxMs : ageMaxMs;
    this.#kept = new RecentMap<Kept<Value>>({
      sizeMax,
      tagsOf: ({ value }) => tagsOf?.(value) ?? NO_TAGS,
      weightOf: ({ value }) => weightOf?.(value) ?? 1,
    });
  }

  /** How many are kept. */
  get size(): number {
    return this.#kept.size;
  }

  /** Undefined unless it is at hand. */
  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    return kept !== undefined && this.#clock.monotonicMs() < kept.staleAtMs ? kept.value : undefined;
  }

  /** Without a promise where it is at hand. A failure reaches all who wait and is not kept. */
  find(key: string, load: () => Promise<Value>): Value | Promise<Value> {
    const value = this.get(key);
    return value !== undefined ? value : (this.#loading.get(key) ?? this.#startLoading(key, load));
  }

  /** Puts a newer form of a value in its place; does nothing where that very value is no longer kept. */
  replace(key: string, value: Value, newer: Value): void {
    const kept = this.#kept.get(key);
    if (kept?.value === value) this.#kept.set(key, { ...kept, value: newer });
  }

  /** By a key or a tag. */
  forget(name: string): void {
    this.#kept.delete(name);
    this.#kept.deleteTagged(name);
    // What is on its way has tags that nobody knows yet.
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
  }
}
