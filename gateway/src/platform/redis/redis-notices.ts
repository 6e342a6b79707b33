// Notices through Redis, with LISTEN/NOTIFY beside it: a notice goes through Redis while everybody hears it there, and
// through the database, too, as soon as somebody does not. One that arrives by both ways does no harm.

import { randomUUID } from 'node:crypto';
import { assert } from '../assert.ts';
import type { Clock } from '../clock.ts';
import type { Notices } from '../db/database.ts';
import { asError, type Logger } from '../logger.ts';
import type { Bus } from './bus.ts';

/** What a process says through the database that cannot hear Redis, as long as it cannot. */
const DEAF_TOPIC = 'deaf';
/** What makes those say it who do not use Redis at all. */
const ROLL_TOPIC = 'roll-call';
const SIGN_EVERY_MS = 2_000;
/** So long it is remembered: some of these signs may be late or lost. */
const DEAF_MEMORY_MS = 10_000;
/** Others may hear the first sign a moment after this process does; by the second one all of them have. */
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
  /** Until then others may believe to be heard through Redis, and what they said meanwhile was missed. */
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

  /** The bus is not closed: others use it, too. */
  async close(): Promise<void> {
    this.#stopSigns();
    await this.#database.close();
  }

  async #tryBus(topic: string, payload: string): Promise<boolean> {
    try {
      await this.#bus.publish(topic, payload);
      return true;
    } catch {
      // It is away; the database has it.
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

/** For a process without Redis: makes itself known to those that have it, who then notify through the database, too. */
export async function standBesideRedis(database: Notices, logger: Logger): Promise<void> {
  const id = randomUUID();
  database.subscribe(ROLL_TOPIC, () => say(database, { topic: DEAF_TOPIC, id, logger }));
  await database.publish(DEAF_TOPIC, id);
}

function say(database: Notices, sign: Readonly<{ topic: string; id: string; logger: Logger }>): void {
  database.publish(sign.topic, sign.id).catch((error: unknown) => {
    sign.logger.debug({ error: asError(error) }, 'a sign could not be sent');
  });
}
