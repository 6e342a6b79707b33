// Organizations' own upstreams in memory, so that a call finds them without I/O. What is not known yet is read first: to
// go on without it could send a call to the platform that its organization wants nowhere but on its own upstream.

import type { OwnUpstreams } from '../../canonical/own-upstream.ts';
import type { Clock } from '../../platform/clock.ts';

const ORGS_MAX = 20_000;
/** Bounds how long a change stays unseen should its notice never arrive. */
const TTL_MS = 600_000;

type Kept = Readonly<{ upstreams: OwnUpstreams; staleAtMs: number }>;

export class UpstreamCache {
  readonly #load: (orgId: string) => Promise<OwnUpstreams>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();
  readonly #loading = new Map<string, Promise<OwnUpstreams>>();

  constructor(load: (orgId: string) => Promise<OwnUpstreams>, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  find(orgId: string): OwnUpstreams | Promise<OwnUpstreams> {
    const kept = this.#kept.get(orgId);
    if (kept !== undefined && this.#clock.monotonicMs() < kept.staleAtMs) return kept.upstreams;
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

  #startLoading(orgId: string): Promise<OwnUpstreams> {
    const loading = this.#load(orgId).then(
      (upstreams) => {
        // What was being read when it was forgotten may be older than what it was forgotten for.
        if (this.#loading.get(orgId) === loading) this.#keep(orgId, upstreams);
        return upstreams;
      },
      (error: unknown) => {
        if (this.#loading.get(orgId) === loading) this.#loading.delete(orgId);
        throw error;
      },
    );
    this.#loading.set(orgId, loading);
    return loading;
  }

  #keep(orgId: string, upstreams: OwnUpstreams): void {
    this.#loading.delete(orgId);
    const [oldest] = this.#kept.size >= ORGS_MAX ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(orgId, { upstreams, staleAtMs: this.#clock.monotonicMs() + TTL_MS });
  }
}
