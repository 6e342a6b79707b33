// A gateway as a process of its own, as it is shipped, for tests that kill it, read its output or look at its folder.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { configDocument, type HarnessOptions, type Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { gatewayProgram, servedAddress } from '../program.ts';

const OPERATOR_TOKEN = 'process-operator-token';
const START_DEADLINE_MS = PATIENCE_MS;

export class GatewayProcess {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly #port: number;
  readonly #environment: Readonly<Record<string, string>>;
  #child: ChildProcess | null = null;
  /** Everything it has printed, over all starts. */
  output = '';
  /** Flags for Node at the next start; with some of them a test can ask the process from inside. */
  nodeParameters: readonly string[] = [];

  private constructor(folder: string, simulator: Simulator, port: number, environment: Record<string, string>) {
    this.folder = folder;
    this.simulator = simulator;
    this.#port = port;
    this.#environment = environment;
  }

  /** `providers` stand beside those of every test's configuration. */
  static async prepare(
    models: HarnessOptions['models'] = {},
    environment: Record<string, string> = {},
    providers: Json = {},
  ): Promise<GatewayProcess> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-process-'));
    const simulator = await startSimulator();
    const document = configDocument(simulator.url, { models });
    document.providers = { ...(document.providers as Json), ...providers };
    await writeFile(join(folder, 'config.json'), JSON.stringify(document));
    return new GatewayProcess(folder, simulator, await freePort(), environment);
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get exitCode(): number | null {
    return this.#child?.exitCode ?? null;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [...this.nodeParameters, gatewayProgram], {
      env: {
        PATH: process.env.PATH,
        PORT: String(this.#port),
        TOLLGATE_DATA_DIR: join(this.folder, 'data'),
        TOLLGATE_CONFIG: join(this.folder, 'config.json'),
        TOLLGATE_ADMIN_TOKEN: OPERATOR_TOKEN,
        TOLLGATE_LOG_LEVEL: 'warn',
        ...this.#environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', this.nodeParameters.length === 0 ? 'ignore' : 'ipc'],
    });
    this.#child = child;
    child.stdout?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.output += chunk.toString();
    });
    const deadlineMs = Date.now() + START_DEADLINE_MS;
    const begun = this.output.length;
    while (Date.now() < deadlineMs && child.exitCode === null) {
      const isServing = servedAddress(this.output.slice(begun)) !== null;
      const ready = isServing ? await fetch(`${this.url}/readyz`).catch(() => null) : null;
      if (ready?.ok) return;
      await sleep(50);
    }
    throw new Error(`the gateway did not come up:\n${this.output}`);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    await this.ended();
  }

  ended(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Of a program that was loaded with `--import`. */
  ask(question: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#child === null) throw new Error('the gateway is not running');
      this.#child.once('message', resolve);
      this.#child.send(question, (error) => error !== null && reject(error));
    });
  }

  terminate(): void {
    this.#child?.kill('SIGTERM');
  }

  /** Stopped by a signal: the process neither reads nor sends anything until it is killed. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  async call(method: string, path: string, key: string, body?: unknown): Promise<Json> {
    const response = await fetch(this.url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Json;
  }

  operate(method: string, path: string, body?: unknown): Promise<Json> {
    return this.call(method, path, OPERATOR_TOKEN, body);
  }

  /** What is removed leaves no answer to read. */
  async remove(path: string): Promise<number> {
    const headers = { Authorization: `Bearer ${OPERATOR_TOKEN}` };
    return (await fetch(this.url + path, { method: 'DELETE', headers })).status;
  }

  /** A user with a key and, by default, a dollar. */
  async account(amountUsd = 1): Promise<string> {
    const email = `${crypto.randomUUID()}@example.test`;
    const user = await this.operate('POST', '/admin/v1/users', { email, name: 'A' });
    await this.operate('POST', `/admin/v1/users/${user.id}/credits`, { amountUsd, note: 'test' });
    const key = await this.operate('POST', `/admin/v1/users/${user.id}/keys`, { name: 'k', keyType: 'standard' });
    return String(key.key);
  }

  stream(key: string, model: string, content = 'hi'): Promise<Response> {
    return fetch(`${this.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] }),
    });
  }

  async close(): Promise<void> {
    await this.signal('SIGTERM');
    await this.simulator.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The workers of a process that has some. */
export function childrenOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
