// What an organization has set, in memory and ready to run, so that a call finds it without I/O. What is not known yet
// is read first: to go on without it could send a call where its organization wants it not to go.

import type { Clock } from './clock.ts';

/** Bounds how long a change stays unseen should its notice never arrive. */
const TTL_MS = 600_000;

type Kept<Value> = Readonly<{ value: Value; staleAtMs: number }>;

export class LoadingCache<Value> {
  readonly #load: (ownerId: string) => Promise<Value>;
  readonly #clock: Clock;
  readonly #sizeMax: number;
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #loading = new Map<string, Promise<Value>>();

  constructor(load: (ownerId: string) => Promise<Value>, clock: Clock, sizeMax: number) {
    this.#load = load;
    this.#clock = clock;
    this.#sizeMax = sizeMax;
  }

  find(ownerId: string): Value | Promise<Value> {
    const kept = this.#kept.get(ownerId);
    if (kept !== undefined && this.#clock.monotonicMs() < kept.staleAtMs) return kept.value;
    return this.#loading.get(ownerId) ?? this.#startLoading(ownerId);
  }

  forget(ownerId: string): void {
    this.#kept.delete(ownerId);
    this.#loading.delete(ownerId);
  }

  clear(): void {
    this.#kept.clear();
    this.#loading.clear();
  }

  #startLoading(ownerId: string): Promise<Value> {
    const loading = this.#load(ownerId).then(
      (value) => {
        // What was being read when it was forgotten may be older than what it was forgotten for.
        if (this.#loading.get(ownerId) === loading) this.#keep(ownerId, value);
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(ownerId) === loading) this.#loading.delete(ownerId);
        throw error;
      },
    );
    this.#loading.set(ownerId, loading);
    return loading;
  }

  #keep(ownerId: string, value: Value): void {
    this.#loading.delete(ownerId);
    const [oldest] = this.#kept.size >= this.#sizeMax ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(ownerId, { value, staleAtMs: this.#clock.monotonicMs() + TTL_MS });
  }
}
