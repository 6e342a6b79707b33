// The keys of a route whose provider has several: which one a call uses, and which are set aside for a while. A refusal
// counts against a key on all routes; a rate limit only on this route, because vendors count by model, and so does a
// refusal of the model alone.

import type { ProviderKey } from '../../canonical/model.ts';
import type { AttemptFailure, IsolationReason } from './failure.ts';
import { KeyHealth } from './key-health.ts';

export type RingKey = ProviderKey & Readonly<{ health: KeyHealth }>;

export type KeyState = Readonly<{ name: string; reason: IsolationReason | null; waitMs: number; isOfModel?: true }>;

/** For a rate limit without a time. */
const LIMITED_MS = 10_000;
const LIMITED_MS_MAX = 300_000;

/** Failures that concern one key, and perhaps not the others. */
export const isOfKey = ({ kind }: Readonly<{ kind: string }>): boolean =>
  kind === 'auth_failed' || kind === 'rate_limited';

export class Keyring {
  readonly #keys: readonly RingKey[];
  readonly #limitedUntilMs = new Map<string, number>();
  /** By the key's name: whether it may use this model, where that was ever in doubt. */
  readonly #permissions = new Map<string, KeyHealth>();

  constructor(keys: readonly RingKey[]) {
    this.#keys = keys;
  }

  /** Draws by weight from the keys that are not set aside; null when none is left. `random` is from 0 up to 1. */
  pick(tried: readonly string[], random: number, nowMs: number, accountId?: string): RingKey | null {
    const isUsable = (key: RingKey): boolean => this.#stateOf(key, nowMs, accountId).waitMs === 0;
    const usable = this.#keys.filter((key) => !tried.includes(key.name) && isUsable(key));
    const weighty = usable.filter(({ weight }) => weight > 0);
    if (weighty.length === 0) return usable[0] ?? null;
    let left = random * weighty.reduce((sum, { weight }) => sum + weight, 0);
    for (const key of weighty) {
      left -= key.weight;
      if (left < 0) return key;
    }
    return weighty.at(-1) ?? null;
  }

  /** After a refusal or a rate limit. False when that proves nothing against the key. */
  setAside(key: RingKey, failure: AttemptFailure, nowMs: number, accountId?: string): boolean {
    if (failure.kind === 'auth_failed') return this.#refusedHealth(key, failure).refused(nowMs, accountId) !== null;
    const seconds = failure.retryAfterSeconds ?? 0;
    const waitMs = seconds > 0 ? Math.min(seconds * 1_000, LIMITED_MS_MAX) : LIMITED_MS;
    this.#limitedUntilMs.set(key.name, Math.max(nowMs + waitMs, this.#limitedUntilMs.get(key.name) ?? 0));
    return true;
  }

  #refusedHealth({ name, health }: RingKey, { isOfModel = false }: AttemptFailure): KeyHealth {
    if (!isOfModel) return health;
    const known = this.#permissions.get(name) ?? new KeyHealth();
    this.#permissions.set(name, known);
    return known;
  }

  succeeded({ name, health }: RingKey, nowMs: number): void {
    health.succeeded(nowMs);
    this.#permissions.get(name)?.succeeded(nowMs);
  }

  /** Null as long as one key can be used. */
  isolation(nowMs: number, accountId?: string): Readonly<{ reason: IsolationReason; waitMs: number }> | null {
    let soonest: Readonly<{ reason: IsolationReason; waitMs: number }> | null = null;
    for (const key of this.#keys) {
      const { reason, waitMs } = this.#stateOf(key, nowMs, accountId);
      if (reason === null) return null;
      if (soonest === null || waitMs < soonest.waitMs) soonest = { reason, waitMs };
    }
    return soonest;
  }

  states(nowMs: number): readonly KeyState[] {
    return this.#keys.map((key) => this.#stateOf(key, nowMs));
  }

  #stateOf({ name, health }: RingKey, nowMs: number, accountId?: string): KeyState {
    const refusedMs = health.quarantineMs(nowMs, accountId);
    if (refusedMs > 0) return { name, reason: 'auth_failed', waitMs: refusedMs };
    const forbiddenMs = this.#permissions.get(name)?.quarantineMs(nowMs, accountId) ?? 0;
    if (forbiddenMs > 0) return { name, reason: 'auth_failed', waitMs: forbiddenMs, isOfModel: true };
    const limitedMs = (this.#limitedUntilMs.get(name) ?? 0) - nowMs;
    return limitedMs > 0 ? { name, reason: 'rate_limited', waitMs: limitedMs } : { name, reason: null, waitMs: 0 };
  }
}
