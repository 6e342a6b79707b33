// Callers by key, in memory. The index is the digest of the token, because the token itself would keep secrets in
// memory.

import type { Caller } from '../../canonical/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { digestOf, type TokenDigest } from '../../platform/token-digest.ts';

const CALLERS_MAX = 100_000;
const CALLER_AGE_MAX_MS = 3_600_000;
const REFUSAL_AGE_MAX_MS = 10_000;
/** The tag of every token that no usable key has: after a change any of them may be one. */
const REFUSED = 'refused';

export type CallerSource = Readonly<{
  /** False for text that cannot be a key of ours; it is neither looked up nor cached. */
  isPlausible(token: string): boolean;
  /** Null when no usable key has this secret. */
  load(token: string): Promise<Caller | null>;
}>;

export class CallerCache {
  readonly #source: CallerSource;
  readonly #callers: LoadingCache<Caller | null>;

  constructor(source: CallerSource, clock: Clock, ageMaxMs = CALLER_AGE_MAX_MS) {
    this.#source = source;
    this.#callers = new LoadingCache<Caller | null>({
      clock,
      sizeMax: CALLERS_MAX,
      ageMaxMs: (caller) => (caller === null ? REFUSAL_AGE_MAX_MS : ageMaxMs),
      tagsOf: (caller) => (caller === null ? [REFUSED] : [caller.keyId, caller.userId, caller.accountId]),
    });
  }

  /** `digest` is what the token's connection remembers. */
  find(token: string, digest: TokenDigest | null = null): Caller | null | Promise<Caller | null> {
    const index = digest?.of(token) ?? digestOf(token);
    const known = this.#callers.get(index);
    if (known !== undefined) return known;
    return this.#source.isPlausible(token) ? this.#callers.find(index, () => this.#source.load(token)) : null;
  }

  /** `id` is the id of a key, a user or an account. */
  invalidate(id: string): void {
    this.#callers.forget(id);
    this.#callers.forget(REFUSED);
  }

  clear(): void {
    this.#callers.clear();
  }
}
