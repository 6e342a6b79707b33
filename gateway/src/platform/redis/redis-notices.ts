// Notices through Redis, with LISTEN/NOTIFY besides: a notice goes through Redis while all processes listen there, and
// also through the database as soon as one does not. A notice that arrives twice does no harm.

import { randomUUID } from 'node:crypto';
import { assert } from '../assert.ts';
import type { Clock } from '../clock.ts';
import type { Notices } from '../db/database.ts';
import { asError, type Logger } from '../logger.ts';
import type { Bus } from './bus.ts';

/** The topic on which a process that cannot reach Redis says so through the database, as long as it cannot. */
const DEAF_TOPIC = 'deaf';
/** The topic that asks processes without Redis to say so. */
const ROLL_TOPIC = 'roll-call';
const SIGN_EVERY_MS = 2_000;
/** How long such a message is remembered, because the next may be late or lost. */
const DEAF_MEMORY_MS = 10_000;
/** Others may receive the first message a moment after this process does; by the second, all have. */
const SIGNS_UNTIL_HEARD = 2;

class RedisNotices implements Notices {
  readonly #bus: Bus;
  readonly #database: Notices;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #id = randomUUID();
  readonly #gapHandlers: (() => void)[] = [];
  readonly #stopSigns: () => void;
  #deafUntilMs = Number.NEGATIVE_INFINITY;
  /** Until then others may believe that this process listens to Redis, and what they sent meanwhile was missed. */
  #signsUntilHeard = 0;

  constructor(bus: Bus, database: Notices, clock: Clock, logger: Logger) {
    this.#bus = bus;
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
    database.subscribe(DEAF_TOPIC, (id) => this.#hearDeaf(id));
    bus.onListening((isListening) => this.#setListening(isListening));
    this.#stopSigns = clock.every(SIGN_EVERY_MS, () => this.#say(bus.isListening() ? ROLL_TOPIC : DEAF_TOPIC));
  }

  async open(): Promise<void> {
    if (this.#bus.isListening()) return;
    this.#signsUntilHeard = SIGNS_UNTIL_HEARD;
    await this.#database.publish(DEAF_TOPIC, this.#id);
  }

  async publish(topic: string, payload: string): Promise<void> {
    assert(topic !== DEAF_TOPIC && topic !== ROLL_TOPIC, 'these topics are taken');
    const isHeardByAll = this.#bus.isListening() && this.#clock.monotonicMs() >= this.#deafUntilMs;
    if (isHeardByAll && (await this.#tryBus(topic, payload))) return;
    if (!isHeardByAll) void this.#tryBus(topic, payload);
    await this.#database.publish(topic, payload);
  }

  subscribe(topic: string, handler: (payload: string) => void): void {
    this.#bus.subscribe(topic, handler);
    this.#database.subscribe(topic, handler);
  }

  onGap(handler: () => void): void {
    this.#gapHandlers.push(handler);
    this.#bus.onGap(handler);
    this.#database.onGap(handler);
  }

  /** The bus stays open, because others use it too. */
  async close(): Promise<void> {
    this.#stopSigns();
    await this.#database.close();
  }

  async #tryBus(topic: string, payload: string): Promise<boolean> {
    try {
      await this.#bus.publish(topic, payload);
      return true;
    } catch {
      // Redis is away; the database has the notice.
      return false;
    }
  }

  #setListening(isListening: boolean): void {
    if (isListening) return;
    this.#signsUntilHeard = SIGNS_UNTIL_HEARD;
    this.#say(DEAF_TOPIC);
  }

  #say(topic: string): void {
    say(this.#database, { topic, id: this.#id, logger: this.#logger });
  }

  #hearDeaf(id: string): void {
    this.#deafUntilMs = this.#clock.monotonicMs() + DEAF_MEMORY_MS;
    if (id !== this.#id || this.#signsUntilHeard === 0) return;
    this.#signsUntilHeard -= 1;
    for (const handler of this.#gapHandlers) handler();
  }
}

/** Takes over the database's notices and closes them with itself. */
export async function openRedisNotices(bus: Bus, database: Notices, clock: Clock, logger: Logger): Promise<Notices> {
  const notices = new RedisNotices(bus, database, clock, logger);
  await notices.open();
  return notices;
}

/** For a process without Redis: announces itself to those that have it, which then also notify through the database. */
export async function standBesideRedis(database: Notices, logger: Logger): Promise<void> {
  const id = randomUUID();
  database.subscribe(ROLL_TOPIC, () => say(database, { topic: DEAF_TOPIC, id, logger }));
  await database.publish(DEAF_TOPIC, id);
}

function say(database: Notices, sign: Readonly<{ topic: string; id: string; logger: Logger }>): void {
  database.publish(sign.topic, sign.id).catch((error: unknown) => {
    sign.logger.debug({ error: asError(error) }, 'a sign of life could not be sent');
  });
}
