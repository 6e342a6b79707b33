// What calls show about the health of own upstreams, written down now and then. Calls come by the thousand and their
// news is mostly the same, so a change is written soon, a confirmation once a minute, and nobody waits for either.

import type { Clock } from '../../platform/clock.ts';
import type { Health } from './health.ts';

export type HealthPlace = Readonly<{ orgId: string; id: string }>;

const CHANGE_MS = 1_000;
const CONFIRMATION_MS = 60_000;
const KEYS_MAX = 20_000;

type Written = Readonly<{ health: Health; atMs: number }>;

export class HealthReports {
  readonly #write: (place: HealthPlace, health: Health) => void;
  readonly #clock: Clock;
  readonly #written = new Map<string, Written>();

  constructor(write: (place: HealthPlace, health: Health) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  add(place: HealthPlace, health: Health): void {
    const nowMs = this.#clock.monotonicMs();
    const written = this.#written.get(place.id);
    if (written !== undefined) {
      const isNews = written.health.lastError !== health.lastError || written.health.status !== health.status;
      if (nowMs - written.atMs < (isNews ? CHANGE_MS : CONFIRMATION_MS)) return;
    }
    if (this.#written.size >= KEYS_MAX) this.#written.clear();
    this.#written.set(place.id, { health, atMs: nowMs });
    this.#write(place, health);
  }
}
