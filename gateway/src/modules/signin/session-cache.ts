// Sessions by the hash of their secret, in memory for a short time, so that a page with ten requests asks the database
// once. The epoch keeps a session that was read before a change from being cached after it.

import type { Clock } from '../../platform/clock.ts';
import { RecentMap } from '../../platform/recent-map.ts';

export type ActiveSession = Readonly<{
  sessionId: string;
  userId: string;
  isSuspended: boolean;
  hasSecondFactor: boolean;
  /** The organization whose issuer authenticated the session; null for none. */
  signOnOrgId: string | null;
  lastSeenMs: number;
  expiresAtMs: number;
}>;

type Cached = Readonly<{ session: ActiveSession; staleAtMs: number }>;

const SESSIONS_MAX = 20_000;
/** Bounds how long a change stays unseen if its notice never arrives. */
const TTL_MS = 60_000;

export class SessionCache {
  readonly #clock: Clock;
  readonly #sessions = new RecentMap<Cached>(SESSIONS_MAX, ({ session }) => [session.sessionId, session.userId]);
  #epoch = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get epoch(): number {
    return this.#epoch;
  }

  get(index: string): ActiveSession | null {
    const cached = this.#sessions.get(index);
    return cached !== undefined && this.#clock.nowMs() < cached.staleAtMs ? cached.session : null;
  }

  /** Does not cache what was read in an earlier epoch. */
  keep(index: string, session: ActiveSession, epoch: number): void {
    if (epoch !== this.#epoch) return;
    this.#sessions.set(index, { session, staleAtMs: this.#clock.nowMs() + TTL_MS });
  }

  /** `id` is the id of a session or a user. */
  invalidate(id: string): void {
    this.#epoch += 1;
    this.#sessions.deleteTagged(id);
  }

  clear(): void {
    this.#epoch += 1;
    this.#sessions.clear();
  }
}
