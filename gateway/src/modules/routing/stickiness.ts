// Which route has the prompt cache of a conversation. It is only a hint: dropped after ten idle minutes, as providers
// drop theirs, and bounded by dropping the conversation that has been idle for longest.

import type { RouteHealth } from './route-health.ts';

const IDLE_MS = 600_000;
const CONVERSATIONS_MAX = 50_000;

type Held = Readonly<{ route: RouteHealth; atMs: number }>;

export class Stickiness {
  readonly #held = new Map<string, Held>();

  find(conversationKey: string, nowMs: number): RouteHealth | null {
    const held = this.#held.get(conversationKey);
    if (held === undefined) return null;
    if (nowMs - held.atMs <= IDLE_MS) return held.route;
    this.#held.delete(conversationKey);
    return null;
  }

  hold(conversationKey: string, route: RouteHealth, nowMs: number): void {
    // Deleting first moves the entry to the end, so that the first one has been idle for longest.
    this.#held.delete(conversationKey);
    this.#held.set(conversationKey, { route, atMs: nowMs });
    if (this.#held.size <= CONVERSATIONS_MAX) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      return;
    }
  }
}
