// The connection to Redis. Nothing is queued while it is down and nothing is sent twice: whoever asks is told at once
// that Redis is away and decides alone. A server that hangs counts as away after a few deadlines in a row.

import { Redis as Client, type RedisOptions } from 'ioredis';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Listener, Listening, Redis, RedisScript, RedisState, ScriptCall } from './redis.ts';

/** Redis answers within a millisecond; whoever waits for it has a caller waiting. */
const SCRIPT_DEADLINE_MS = 25;
const PUBLISH_DEADLINE_MS = 250;
const MISSES_MAX = 3;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that was cut without a word looks like a server that thinks. */
const SILENCE_TIMEOUT_MS = 2_000;
const RECONNECT_FIRST_MS = 20;
const RECONNECT_LAST_MS = 1_000;
const QUIT_TIMEOUT_MS = 500;

export type RedisInput = Readonly<{
  url: string;
  /** What every key and channel begins with, so that several gateways with databases of their own can share a server. */
  namespace: string;
  clock: Clock;
  logger: Logger;
}>;

const settings: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  socketTimeout: SILENCE_TIMEOUT_MS,
  connectionName: 'tollgate',
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  enableAutoPipelining: false,
  retryStrategy: (attempts) => Math.min(RECONNECT_FIRST_MS * 2 ** Math.min(attempts - 1, 10), RECONNECT_LAST_MS),
};

type Command = (...parameters: (string | number)[]) => Promise<unknown>;

class RedisLink implements Redis {
  readonly #input: RedisInput;
  readonly #client: Client;
  readonly #commands = new Map<RedisScript, Command>();
  readonly #listenings = new Set<Listening>();
  #misses = 0;
  #awaySinceMs: number | null;

  constructor(input: RedisInput) {
    this.#input = input;
    this.#awaySinceMs = input.clock.monotonicMs();
    this.#client = new Client(input.url, settings);
    // Every failed attempt is an event, which would end the process if nobody listened; losses are told by `close`.
    this.#client.on('error', () => {});
    this.#client.on('ready', () => this.#heard());
    this.#client.on('close', () => this.#lost('the connection is closed'));
  }

  state(): RedisState {
    return this.#awaySinceMs === null ? 'ready' : 'away';
  }

  awayMs(): number {
    return this.#awaySinceMs === null ? 0 : this.#input.clock.monotonicMs() - this.#awaySinceMs;
  }

  run({ script, keys, parameters, onLate }: ScriptCall): Promise<unknown> {
    if (this.#awaySinceMs !== null) return Promise.reject(new Error('Redis is away'));
    const named = keys.map((key) => this.#name(key));
    return this.#within(SCRIPT_DEADLINE_MS, this.#command(script)(...named, ...parameters), onLate);
  }

  async publish(channel: string, message: string): Promise<void> {
    if (this.#awaySinceMs !== null) throw new Error('Redis is away');
    await this.#within(PUBLISH_DEADLINE_MS, this.#client.publish(this.#name(channel), message));
  }

  listen(channel: string, listener: Listener): Listening {
    const listening = openListening(this.#input.url, this.#name(channel), listener);
    this.#listenings.add(listening);
    return listening;
  }

  /** Resolves when Redis is ready, or after a while: a gateway starts without it, too. */
  async opened(patienceMs: number): Promise<void> {
    const ready = new Promise<void>((resolve) => this.#client.once('ready', () => resolve()));
    await Promise.race([ready, this.#input.clock.sleep(patienceMs)]);
    if (this.state() === 'away') this.#input.logger.warn({}, 'Redis cannot be reached; each process counts by itself');
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listenings].map((listening) => listening.close()));
    this.#client.removeAllListeners('close');
    await quit(this.#client);
  }

  #name(key: string): string {
    return `${this.#input.namespace}:${key}`;
  }

  #command(script: RedisScript): Command {
    const known = this.#commands.get(script);
    if (known !== undefined) return known;
    this.#client.defineCommand(script.name, { numberOfKeys: script.keyCount, lua: script.lua });
    const command = (Reflect.get(this.#client, script.name) as Command).bind(this.#client);
    this.#commands.set(script, command);
    return command;
  }

  #within<Reply>(deadlineMs: number, reply: Promise<Reply>, onLate?: (reply: Reply) => void): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (): void => {
        if (isOver) return;
        isOver = true;
        this.#missed();
        reject(new Error('Redis did not answer in time'));
      };
      // After a busy moment of our own the answer may lie there unread: it is looked for once more.
      const timer = setTimeout(() => setImmediate(giveUp), deadlineMs);
      reply.then(
        (answer) => {
          clearTimeout(timer);
          this.#heard();
          if (isOver) onLate?.(answer);
          isOver = true;
          resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(timer);
          isOver = true;
          reject(error);
        },
      );
    });
  }

  #heard(): void {
    this.#misses = 0;
    // An answer may still come in after the connection was given up.
    if (this.#awaySinceMs === null || this.#client.status !== 'ready') return;
    this.#input.logger.info({ awayMs: Math.round(this.awayMs()) }, 'Redis is ready');
    this.#awaySinceMs = null;
  }

  #missed(): void {
    this.#misses += 1;
    if (this.#misses >= MISSES_MAX) this.#lost('it does not answer');
  }

  #lost(reason: string): void {
    if (this.#awaySinceMs !== null) return;
    this.#awaySinceMs = this.#input.clock.monotonicMs();
    this.#input.logger.warn({ reason }, 'Redis is away; each process counts by itself');
  }
}

function openListening(url: string, channel: string, listener: Listener): Listening {
  const client = new Client(url, { ...settings, autoResubscribe: false });
  client.on('error', () => {});
  client.on('message', (_, message) => listener.onMessage(message));
  client.on('ready', () => {
    client.subscribe(channel).then(
      () => listener.onListening(true),
      () => client.disconnect(true),
    );
  });
  client.on('close', () => listener.onListening(false));
  return {
    restart: () => client.disconnect(true),
    async close() {
      client.removeAllListeners('close');
      await quit(client);
    },
  };
}

/** Says goodbye, but does not wait for a server that no longer answers. */
async function quit(client: Client): Promise<void> {
  if (client.status === 'ready') {
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, QUIT_TIMEOUT_MS);
    });
    await Promise.race([
      client.quit().then(
        () => {},
        () => {},
      ),
      givenUp,
    ]);
    clearTimeout(timer);
  }
  client.disconnect();
}

/** Resolves also when Redis cannot be reached; it is then away until it can. */
export async function openRedis(input: RedisInput): Promise<Redis> {
  const link = new RedisLink(input);
  await link.opened(CONNECT_TIMEOUT_MS);
  return link;
}
