// Messages between processes through Redis, and which processes there are. Redis keeps nothing for a listener that is
// away, so every message carries its sender's running number: a missing number, or a lost subscription, is reported as
// a gap, and every cache must then be reloaded.

import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { asError, type Logger } from '../logger.ts';
import type { Redis } from './redis.ts';

const CHANNEL = 'bus';
const HEARTBEAT_MS = 1_000;
/** This process receives its own heartbeats, so a longer silence means that the connection was cut. */
const SILENCE_MS = 4_000;
const GONE_MS = 5_000;
const OPEN_PATIENCE_MS = 2_000;
const HEARTBEAT = 'here';
const GREETING = 'hello';
const FAREWELL = 'bye';
/** Before the topic of a message without a running number. */
const UNNUMBERED = '~';
const MESSAGE = /^(\S+) (\d+) (~?)([^:]+):(.*)$/s;

export type Bus = Readonly<{
  /** Rejects when Redis has not taken it. */
  publish(topic: string, payload: string): Promise<void>;
  /** Sends to the other processes only, for messages that may be lost without a gap being reported. */
  tell(topic: string, payload: string): void;
  /** Handlers run for messages of other processes, and for those that this one publishes. */
  subscribe(topic: string, handler: (payload: string) => void): void;
  /** A message may have been missed. */
  onGap(handler: () => void): void;
  /** Whether this process receives messages now. */
  isListening(): boolean;
  onListening(handler: (isListening: boolean) => void): void;
  /** This process included; the last known number while Redis is away. */
  processCount(): number;
  close(): Promise<void>;
}>;

type Peer = { heardAtMs: number; sequence: number };

class RedisBus implements Bus {
  readonly #redis: Redis;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #id = randomUUID();
  readonly #peers = new Map<string, Peer>();
  readonly #handlers = new Map<string, ((payload: string) => void)[]>();
  readonly #gapHandlers: (() => void)[] = [];
  readonly #listeningHandlers: ((isListening: boolean) => void)[] = [];
  readonly #connection;
  readonly #stopHeartbeat: () => void;
  #sequence = 0;
  #isListening = false;
  #heardAtMs = 0;

  constructor(redis: Redis, clock: Clock, logger: Logger) {
    this.#redis = redis;
    this.#clock = clock;
    this.#logger = logger;
    this.#connection = redis.listen(CHANNEL, {
      onMessage: (message) => this.#hear(message),
      onListening: (isListening) => this.#setListening(isListening),
    });
    this.#stopHeartbeat = clock.every(HEARTBEAT_MS, () => this.#beat());
  }

  /** Resolves when this process receives messages, or after the given time. */
  async opened(patienceMs: number): Promise<void> {
    if (this.#isListening) return;
    const listening = new Promise<void>((resolve) => this.onListening(() => resolve()));
    await Promise.race([listening, this.#clock.sleep(patienceMs)]);
  }

  async publish(topic: string, payload: string): Promise<void> {
    // A message that is lost on the way leaves a gap in the numbers, so its listeners reload.
    this.#sequence += 1;
    await this.#send(topic, payload);
  }

  tell(topic: string, payload: string): void {
    if (this.#redis.state() === 'away') return;
    this.#send(UNNUMBERED + topic, payload).catch((error: unknown) => {
      this.#logger.debug({ error: asError(error) }, 'a message was not sent');
    });
  }

  subscribe(topic: string, handler: (payload: string) => void): void {
    const handlers = this.#handlers.get(topic);
    if (handlers === undefined) this.#handlers.set(topic, [handler]);
    else handlers.push(handler);
  }

  onGap(handler: () => void): void {
    this.#gapHandlers.push(handler);
  }

  isListening(): boolean {
    return this.#isListening;
  }

  onListening(handler: (isListening: boolean) => void): void {
    this.#listeningHandlers.push(handler);
  }

  processCount(): number {
    return this.#peers.size + 1;
  }

  async close(): Promise<void> {
    this.#stopHeartbeat();
    await this.#send(UNNUMBERED + FAREWELL, '').catch(() => {});
    await this.#connection.close();
  }

  #send(topic: string, payload: string): Promise<void> {
    return this.#redis.publish(CHANNEL, `${this.#id} ${this.#sequence} ${topic}:${payload}`);
  }

  #beat(): void {
    const nowMs = this.#clock.monotonicMs();
    this.tell(HEARTBEAT, '');
    if (!this.#isListening) return;
    if (nowMs - this.#heardAtMs > SILENCE_MS) {
      this.#connection.restart();
      return;
    }
    for (const [id, peer] of this.#peers) if (nowMs - peer.heardAtMs > GONE_MS) this.#peers.delete(id);
  }

  #setListening(isListening: boolean): void {
    if (isListening === this.#isListening) return;
    this.#isListening = isListening;
    if (isListening) {
      this.#heardAtMs = this.#clock.monotonicMs();
      // Known processes get some time to be heard again.
      for (const peer of this.#peers.values()) peer.heardAtMs = this.#heardAtMs;
      this.tell(GREETING, '');
    }
    for (const handler of this.#listeningHandlers) this.#call(() => handler(isListening));
    if (isListening) this.#tellGap();
  }

  #hear(message: string): void {
    const [, id = '', sequence = '', mark, topic = '', payload = ''] = MESSAGE.exec(message) ?? [];
    this.#heardAtMs = this.#clock.monotonicMs();
    const isNumbered = mark !== UNNUMBERED;
    if (id !== this.#id) this.#meet({ id, sequence: Number(sequence), isNumbered, topic });
    else if (!isNumbered) return;
    for (const handler of this.#handlers.get(topic) ?? []) this.#call(() => handler(payload));
  }

  #meet(message: Readonly<{ id: string; sequence: number; isNumbered: boolean; topic: string }>): void {
    const { id, sequence, isNumbered, topic } = message;
    if (topic === FAREWELL) {
      this.#peers.delete(id);
      return;
    }
    const peer = this.#peers.get(id);
    this.#peers.set(id, { heardAtMs: this.#heardAtMs, sequence });
    if (topic === GREETING) this.tell(HEARTBEAT, '');
    const missed = peer === undefined ? 0 : sequence - peer.sequence - (isNumbered ? 1 : 0);
    if (missed <= 0) return;
    this.#logger.warn({ missed }, 'messages of another process were missed');
    this.#tellGap();
  }

  #tellGap(): void {
    for (const handler of this.#gapHandlers) this.#call(handler);
  }

  /** A handler that throws must not stop the connection or the other handlers. */
  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#logger.error({ error: asError(error) }, 'a handler of the bus failed');
    }
  }
}

/** Also resolves while Redis cannot be reached; it is connected to as soon as it can. */
export async function openBus(redis: Redis, clock: Clock, logger: Logger): Promise<Bus> {
  const bus = new RedisBus(redis, clock, logger);
  if (redis.state() === 'ready') await bus.opened(OPEN_PATIENCE_MS);
  return bus;
}
