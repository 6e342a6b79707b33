// The connection to Redis. Nothing is queued while it is down and nothing is sent twice: callers are told at once that
// Redis is away and decide alone. A server that hangs counts as away after a few deadlines in a row, and one that
// answers with errors at once: a replica that takes no writes cannot count.

import type { Redis as Client, RedisOptions } from 'ioredis';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import {
  LateAnswerError,
  type Redis,
  type RedisListener,
  type RedisScript,
  type RedisState,
  type RedisSubscription,
  type ScriptCall,
} from './redis.ts';
import { readRedisAddress } from './redis-address.ts';

/** Redis answers within a millisecond, and a call is waiting for it. */
const SCRIPT_DEADLINE_MS = 25;
const PUBLISH_DEADLINE_MS = 250;
const MISSES_MAX = 3;
const CONNECT_TIMEOUT_MS = 2_000;
/** A connection that was cut silently looks like a slow server. */
const SILENCE_TIMEOUT_MS = 2_000;
const RECONNECT_FIRST_MS = 20;
const RECONNECT_LAST_MS = 1_000;
const QUIT_TIMEOUT_MS = 500;
/** After an error the connection is made anew, because another server may be behind the address by then. */
const REFUSED_RETRY_MS = 1_000;
const TRIAL_LIFE_MS = 1_000;

type RedisInput = Readonly<{
  url: string;
  /** The prefix of every key and channel, so that several gateways with their own databases can share a server. */
  namespace: string;
  clock: Clock;
  logger: Logger;
  /** For machines on which everything is slow. */
  scriptDeadlineMs?: number;
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

type Connect = (options: RedisOptions) => Client;
type Command = (...parameters: (string | number)[]) => Promise<unknown>;

class RedisLink implements Redis {
  readonly #input: RedisInput;
  readonly #connect: Connect;
  readonly #client: Client;
  readonly #commands = new Map<RedisScript, Command>();
  readonly #listenings = new Set<RedisSubscription>();
  #misses = 0;
  #awaySinceMs: number | null;
  /** Its error message when it refused, until it has taken a write again. */
  #refusal: string | null = null;
  #retryTimer: NodeJS.Timeout | undefined;
  #onReady: () => void = () => {};

  constructor(input: RedisInput, connect: Connect) {
    this.#input = input;
    this.#connect = connect;
    this.#awaySinceMs = input.clock.monotonicMs();
    this.#client = connect(settings);
    // Every failed attempt is an event, which would end the process without a listener; losses are reported by `close`.
    this.#client.on('error', () => {});
    this.#client.on('ready', () => void this.#try());
    this.#client.on('close', () => this.#lost('the connection is closed'));
  }

  state(): RedisState {
    return this.#awaySinceMs === null ? 'ready' : 'away';
  }

  awayMs(): number {
    return this.#awaySinceMs === null ? 0 : this.#input.clock.monotonicMs() - this.#awaySinceMs;
  }

  run({ script, keys, parameters, ...after }: ScriptCall): Promise<unknown> {
    if (this.#awaySinceMs !== null) return Promise.reject(new Error('Redis is away'));
    const named = keys.map((key) => this.#name(key));
    const deadlineMs = this.#input.scriptDeadlineMs ?? SCRIPT_DEADLINE_MS;
    return this.#within(deadlineMs, this.#command(script)(...named, ...parameters), after);
  }

  async publish(channel: string, message: string): Promise<void> {
    if (this.#awaySinceMs !== null) throw new Error('Redis is away');
    await this.#within(PUBLISH_DEADLINE_MS, this.#client.publish(this.#name(channel), message));
  }

  listen(channel: string, listener: RedisListener): RedisSubscription {
    const listening = openListening(this.#connect, this.#name(channel), listener);
    this.#listenings.add(listening);
    return listening;
  }

  /** Resolves when Redis is ready, or after the given time, because a gateway also starts without it. */
  async opened(patienceMs: number): Promise<void> {
    const ready = new Promise<void>((resolve) => {
      this.#onReady = resolve;
    });
    await Promise.race([ready, this.#input.clock.sleep(patienceMs)]);
    if (this.state() === 'away' && this.#refusal === null)
      this.#input.logger.warn({}, 'Redis cannot be reached; each process counts by itself');
  }

  async close(): Promise<void> {
    clearTimeout(this.#retryTimer);
    await Promise.all([...this.#listenings].map((listening) => listening.close()));
    this.#client.removeAllListeners('ready');
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

  #within<Reply>(
    deadlineMs: number,
    reply: Promise<Reply>,
    { onLate, onLost }: Pick<ScriptCall, 'onLate' | 'onLost'> = {},
  ): Promise<Reply> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (): void => {
        if (isOver) return;
        isOver = true;
        this.#missed();
        reject(new LateAnswerError());
      };
      // If this process was busy, the answer may have arrived unread, so it is looked for once more.
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
          if (isOver) onLost?.();
          isOver = true;
          if (isRefusal(error)) this.#refused(error);
          reject(error);
        },
      );
    });
  }

  #heard(): void {
    this.#misses = 0;
    // An answer may still come after the connection was given up, or from a server that refuses writes.
    if (this.#awaySinceMs === null || this.#refusal !== null || this.#client.status !== 'ready') return;
    this.#input.logger.info({ awayMs: Math.round(this.awayMs()) }, 'Redis is ready');
    this.#awaySinceMs = null;
    this.#onReady();
  }

  /** A server that has just been reached may be a read-only replica, so a write is tried. */
  async #try(): Promise<void> {
    try {
      await this.#client.set(this.#name('trial'), '1', 'PX', TRIAL_LIFE_MS);
      this.#refusal = null;
      this.#heard();
    } catch (error) {
      if (isRefusal(error)) this.#refused(error);
    }
  }

  #refused(error: Error): void {
    const isNew = this.#refusal !== error.message;
    this.#refusal = error.message;
    this.#awaySinceMs ??= this.#input.clock.monotonicMs();
    if (isNew) this.#input.logger.error({ error }, 'Redis answers with an error; each process counts by itself');
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#client.disconnect(true), REFUSED_RETRY_MS);
    this.#retryTimer.unref();
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

/** An error of the server itself, and not of the connection. */
const isRefusal = (error: unknown): error is Error => error instanceof Error && error.name === 'ReplyError';

function openListening(connect: Connect, channel: string, listener: RedisListener): RedisSubscription {
  const client = connect({ ...settings, autoResubscribe: false });
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

/** Closes the connection, but does not wait for a server that no longer answers. */
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

/** Also resolves when Redis cannot be reached; it then counts as away until it can. */
export async function openRedis(input: RedisInput): Promise<Redis> {
  // Most gateways have no Redis, and its client takes long to load.
  const library = await import('ioredis');
  const address = readRedisAddress(input.url);
  const link = new RedisLink(input, (options) =>
    address.sentinels === undefined
      ? new library.Redis(input.url, options)
      : new library.Redis({ ...options, ...address }),
  );
  await link.opened(CONNECT_TIMEOUT_MS);
  return link;
}
