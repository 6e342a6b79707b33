// What organizations have set, in memory and ready to run, so that a call finds it without I/O. What is not known yet is read
// first: to go on without it could send upstream what the organization forbids.

import type { Clock } from '../../platform/clock.ts';

const ORGS_MAX = 10_000;
/** Bounds how long a change stays unseen should its notice never arrive. */
const TTL_MS = 600_000;

type Kept<Value> = Readonly<{ value: Value; staleAtMs: number }>;

export class OrgCache<Value> {
  readonly #load: (orgId: string) => Promise<Value>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<Value>>();
  readonly #loading = new Map<string, Promise<Value>>();

  constructor(load: (orgId: string) => Promise<Value>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  find(orgId: string): Value | Promise<Value> {
    const kept = this.#kept.get(orgId);
    if (kept !== undefined && this.#clock.monotonicMs() < kept.staleAtMs) return kept.value;
    return this.#loading.get(orgId) ?? this.#startLoading(orgId);
  }

  forget(orgId: string): void {
    this.#kept.delete(orgId);
    this.#loading.delete(orgId);
  }

  clear(): void {
    this.#kept.clear();
    this.#loading.clear();
  }

  #startLoading(orgId: string): Promise<Value> {
    const loading = this.#load(orgId).then(
      (value) => {
        // What was being read when it was forgotten may be older than what it was forgotten for.
        if (this.#loading.get(orgId) === loading) this.#keep(orgId, value);
        return value;
      },
      (error: unknown) => {
        if (this.#loading.get(orgId) === loading) this.#loading.delete(orgId);
        throw error;
      },
    );
    this.#loading.set(orgId, loading);
    return loading;
  }

  #keep(orgId: string, value: Value): void {
    this.#loading.delete(orgId);
    const [oldest] = this.#kept.size >= ORGS_MAX ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(orgId, { value, staleAtMs: this.#clock.monotonicMs() + TTL_MS });
  }
}
