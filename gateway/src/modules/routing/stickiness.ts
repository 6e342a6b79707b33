// Which route has the prompt cache of a conversation. It is only a hint: dropped after ten idle minutes, as providers
// drop theirs, and bounded by dropping conversations that have been idle for long.

import { RecentMap } from '../../platform/recent-map.ts';
import type { RouteHealth } from './route-health.ts';

const IDLE_MS = 600_000;
const CONVERSATIONS_MAX = 50_000;

type Held = Readonly<{ route: RouteHealth; atMs: number }>;

export class Stickiness {
  readonly #held = new RecentMap<Held>({ sizeMax: CONVERSATIONS_MAX });
  #turnedAtMs = 0;

  find(conversationKey: string, nowMs: number): RouteHealth | null {
    const held = this.#held.get(conversationKey);
    return held !== undefined && nowMs - held.atMs <= IDLE_MS ? held.route : null;
  }

  hold(conversationKey: string, route: RouteHealth, nowMs: number): void {
    // Whatever was not held again since the turn before has been idle for longer than a conversation is remembered.
    if (nowMs - this.#turnedAtMs > IDLE_MS) {
      this.#held.turn();
      this.#turnedAtMs = nowMs;
    }
    this.#held.set(conversationKey, { route, atMs: nowMs });
  }
}
