// Notices on LISTEN/NOTIFY over one dedicated connection. PostgreSQL keeps nothing for a listener that is away, so
// after every reconnection the gap handlers run, and every cache must be reloaded.

import type { Client } from 'pg';
import { assert } from '../assert.ts';
import { systemClock } from '../clock.ts';
import { asError, type Logger } from '../logger.ts';
import { endClient } from './connection.ts';
import { isConnectionFailure } from './connection-failure.ts';
import type { Notices } from './database.ts';
import { asServers, type Servers } from './servers.ts';

/** The application name of a listening connection, by which listeners are counted. */
export const NOTICES_APPLICATION = 'tollgate notices';
const CHANNEL = 'tollgate_notices';
const TOPIC = /^[a-z][a-z0-9_.-]{0,62}$/;
/** PostgreSQL refuses 8,000 bytes and more. */
const PAYLOAD_BYTES_MAX = 7_900;
const QUERY_TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 10_000;
const RECONNECT_FIRST_MS = 50;
const RECONNECT_LAST_MS = 2_000;
const PUBLISH_TIMEOUT_MS = 10_000;
const PUBLISH_RETRY_MS = 50;

class PostgresNotices implements DatabaseNotices {
  readonly #servers: Servers;
  readonly #logger: Logger;
  readonly #handlers = new Map<string, ((payload: string) => void)[]>();
  readonly #gapHandlers: (() => void)[] = [];
  #client: Client | null = null;
  #isClosed = false;
  /** The driver takes one statement at a time on a connection, so they queue here. */
  #lastQuery: Promise<unknown> = Promise.resolve();
  #stopHeartbeat: () => void = () => {};

  constructor(servers: Servers, logger: Logger) {
    this.#servers = servers;
    this.#logger = logger;
  }

  async open(): Promise<void> {
    await this.#listen();
    // A connection that was cut silently (a firewall, a power failure) looks idle; only a query shows it.
    this.#stopHeartbeat = systemClock.every(HEARTBEAT_MS, () => {
      this.#query('SELECT 1', []).catch((error: unknown) => {
        if (this.#client !== null) this.#lose(this.#client, error);
      });
    });
  }

  async publish(topic: string, payload: string): Promise<void> {
    assert(TOPIC.test(topic), 'a topic is a short lower-case name');
    const message = `${topic}:${payload}`;
    assert(Buffer.byteLength(message) <= PAYLOAD_BYTES_MAX, 'a notice is small');
    const deadlineMs = systemClock.monotonicMs() + PUBLISH_TIMEOUT_MS;
    // Other processes would keep serving what this notice revokes, so a lost connection is waited out. A notice that
    // arrives twice does no harm.
    for (;;) {
      try {
        await this.#query('SELECT pg_notify($1, $2)', [CHANNEL, message]);
        return;
      } catch (error) {
        if (this.#isClosed || !isConnectionFailure(error) || systemClock.monotonicMs() >= deadlineMs) throw error;
        await systemClock.sleep(PUBLISH_RETRY_MS);
      }
    }
  }

  subscribe(topic: string, handler: (payload: string) => void): void {
    assert(TOPIC.test(topic), 'a topic is a short lower-case name');
    const handlers = this.#handlers.get(topic);
    if (handlers === undefined) this.#handlers.set(topic, [handler]);
    else handlers.push(handler);
  }

  onGap(handler: () => void): void {
    this.#gapHandlers.push(handler);
  }

  /** The server was found to be away; this connection may not have noticed. */
  doubt(): void {
    if (this.#client !== null) this.#lose(this.#client, null);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopHeartbeat();
    const client = this.#client;
    this.#client = null;
    if (client !== null) await endClient(client);
  }

  #query(text: string, values: string[]): Promise<unknown> {
    const result = this.#lastQuery.then(() => {
      if (this.#client === null) throw new Error('Connection terminated');
      return this.#client.query(text, values);
    });
    this.#lastQuery = result.catch(() => {});
    return result;
  }

  async #listen(): Promise<void> {
    const settings = { applicationName: NOTICES_APPLICATION, queryTimeoutMs: QUERY_TIMEOUT_MS };
    const client = await this.#servers.connect(settings);
    client.on('error', (error) => this.#lose(client, error));
    client.on('end', () => this.#lose(client, null));
    client.on('notification', (message) => this.#deliver(message.payload ?? ''));
    try {
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await endClient(client);
      throw error;
    }
    if (this.#isClosed) await endClient(client);
    else this.#client = client;
  }

  #lose(client: Client, error: unknown): void {
    // The loss of one connection is reported several times, and a connection that never opened is not lost.
    if (this.#client !== client) return;
    this.#client = null;
    this.#logger.warn({ error: asError(error) }, 'notices are interrupted');
    void endClient(client);
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    for (let delayMs = RECONNECT_FIRST_MS; !this.#isClosed; delayMs = Math.min(2 * delayMs, RECONNECT_LAST_MS)) {
      await systemClock.sleep(delayMs);
      try {
        await this.#listen();
      } catch (error) {
        this.#logger.debug({ error: asError(error) }, 'notices could not reconnect yet');
        continue;
      }
      if (this.#isClosed) return;
      this.#logger.info({}, 'notices are back');
      for (const handler of this.#gapHandlers) this.#call(handler);
      return;
    }
  }

  #deliver(message: string): void {
    const separator = message.indexOf(':');
    const payload = message.slice(separator + 1);
    for (const handler of this.#handlers.get(message.slice(0, separator)) ?? []) this.#call(() => handler(payload));
  }

  /** A handler that throws must not stop the connection or the other handlers. */
  #call(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      this.#logger.error({ error: asError(error) }, 'a notice handler failed');
    }
  }
}

export type DatabaseNotices = Notices & Readonly<{ doubt(): void }>;

/** Resolves once notices arrive; from then on the connection is restored automatically. */
export async function openNotices(address: string | Servers, logger: Logger): Promise<DatabaseNotices> {
  const notices = new PostgresNotices(asServers(address), logger);
  await notices.open();
  return notices;
}
