// Which route holds the prompt cache of a conversation. It is a hint and nothing more: forgotten after ten idle minutes,
// as providers forget theirs, and bounded by dropping the conversation that has been idle longest.

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
    // Deleting first moves it to the end, so that the first one is the one that has been idle longest.
    this.#held.delete(conversationKey);
    this.#held.set(conversationKey, { route, atMs: nowMs });
    if (this.#held.size <= CONVERSATIONS_MAX) return;
    for (const oldest of this.#held.keys()) {
      this.#held.delete(oldest);
      return;
    }
  }
}
