// A Redis server of a test's own, because the test kills it, stops it and empties it. Where the program is missing, the
// tests that need it are skipped with a message, and fail in continuous integration.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { PATIENCE_MS } from '../patience.ts';

const START_DEADLINE_MS = PATIENCE_MS;

function findProgram(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const programs = [...folders, '/usr/bin', '/usr/local/bin'].map((folder) => join(folder, 'redis-server'));
  return programs.find((program) => existsSync(program)) ?? null;
}

const program = findProgram();
const isContinuousIntegration = !['', 'false', undefined].includes(process.env.CI);

/** For `describe.skipIf`. */
export const isRedisMissing = program === null && !isContinuousIntegration;
if (isRedisMissing) console.error('!! NOT RUN: tests on Redis: there is no redis-server in PATH.');

export class RedisServer {
  readonly #port: number;
  #child: ChildProcess | null = null;

  /** Of one that runs already: only to be asked. */
  constructor(port: number) {
    this.#port = port;
  }

  static async start(): Promise<RedisServer> {
    const server = new RedisServer(await freePort());
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** On the same port as before, and empty. */
  async start(): Promise<void> {
    if (program === null) throw new Error('there is no redis-server in PATH');
    const settings = ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn(program, settings, { stdio: 'ignore', cwd: '/tmp' });
    this.#child = child;
    const deadlineMs = Date.now() + START_DEADLINE_MS;
    while (Date.now() < deadlineMs && child.exitCode === null) {
      if (await this.command('ping').catch(() => null)) return;
      await sleep(20);
    }
    throw new Error('redis-server did not start');
  }

  /** Over a connection of the test's own. */
  async command(name: string, ...parameters: string[]): Promise<unknown> {
    const client = new Redis(this.url, { lazyConnect: true, retryStrategy: () => null, enableOfflineQueue: false });
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.call(name, ...parameters);
    } finally {
      client.disconnect();
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** It keeps its connections and answers nobody. */
  hang(): void {
    this.#child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
