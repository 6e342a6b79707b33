// Several gateways as processes of their own, as behind a load balancer: one database, one Redis, one simulator, one
// config file.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { configDocument, type HarnessOptions, type Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { gatewayProgram, servedAddress } from '../program.ts';

const OPERATOR_TOKEN = 'scale-operator-token';
const START_DEADLINE_MS = PATIENCE_MS;

export type Seen = Readonly<{
  status: number;
  headers: Headers;
  text: string;
  /** What the client was told that it paid; null when it was not. */
  costUsd: number | null;
  startedMs: number;
  endedMs: number;
}>;

export type GatewaysOptions = HarnessOptions &
  Readonly<{
    databaseUrl: string;
    redisUrl?: string;
    count: number;
    /** Another build's program. */
    program?: string;
    /** Further names under which the simulator is a provider. */
    providers?: readonly string[];
  }>;

export class Gateway {
  readonly #child: ChildProcess;
  output = '';

  constructor(program: string, environment: Record<string, string>) {
    this.#child = spawn(process.execPath, [program], {
      env: { PATH: process.env.PATH, ...environment, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString();
      });
    }
  }

  get url(): string {
    return servedAddress(this.output) ?? 'http://127.0.0.1:0';
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async untilReady(): Promise<void> {
    const deadlineMs = Date.now() + START_DEADLINE_MS;
    while (Date.now() < deadlineMs && this.isRunning) {
      const address = servedAddress(this.output);
      const ready = address === null ? null : await fetch(`${address}/readyz`).catch(() => null);
      if (ready?.ok) return;
      await sleep(50);
    }
    throw new Error(`a gateway did not come up:\n${this.output}`);
  }

  /** Hangs, and goes on. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill(signal);
    await ended;
  }
}

export class Gateways {
  readonly simulator: Simulator;
  readonly all: Gateway[] = [];
  readonly #folder: string;
  readonly #environment: Record<string, string>;

  private constructor(simulator: Simulator, folder: string, environment: Record<string, string>) {
    this.simulator = simulator;
    this.#folder = folder;
    this.#environment = environment;
  }

  static async start(options: GatewaysOptions): Promise<Gateways> {
    const simulator = await startSimulator();
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-scale-'));
    const configFile = join(folder, 'config.json');
    const document = configDocument(simulator.url, options);
    const { sim, ...providers } = document.providers as Json;
    const further = (options.providers ?? []).map((name) => [name, sim]);
    document.providers = { sim, ...providers, ...Object.fromEntries(further) };
    await writeFile(configFile, JSON.stringify(document));
    const gateways = new Gateways(simulator, folder, {
      DATABASE_URL: options.databaseUrl,
      ...(options.redisUrl === undefined ? {} : { REDIS_URL: options.redisUrl }),
      TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
      TOLLGATE_ADMIN_TOKEN: OPERATOR_TOKEN,
      TOLLGATE_CONFIG: configFile,
      TOLLGATE_LOG_LEVEL: 'warn',
      // A busy machine is no reason to refuse what a test asks for.
      TOLLGATE_OVERLOAD_MS: '0',
      ...options.env,
    });
    // The first brings the database up to date.
    await gateways.add(options.program);
    await Promise.all(Array.from({ length: options.count - 1 }, () => gateways.add(options.program)));
    return gateways;
  }

  /** One more, when it is ready. */
  async add(program: string = gatewayProgram, environment: Record<string, string> = {}): Promise<Gateway> {
    const dataDir = join(this.#folder, `data-${this.all.length}`);
    const gateway = new Gateway(program, {
      ...this.#environment,
      ...environment,
      TOLLGATE_DATA_DIR: dataDir,
    });
    this.all.push(gateway);
    await gateway.untilReady();
    return gateway;
  }

  /** The urls in turn. */
  url(index: number): string {
    return this.all[index % this.all.length]!.url;
  }

  operate(method: string, path: string, body?: unknown): Promise<Json> {
    const place = this.all.findIndex(({ isRunning }) => isRunning);
    return this.operateAt(place, method, path, body);
  }

  async operateAt(place: number, method: string, path: string, body?: unknown): Promise<Json> {
    const response = await fetch(`${this.url(place)}${path}`, {
      method,
      headers: { Authorization: `Bearer ${OPERATOR_TOKEN}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await response.json()) as Json;
  }

  async account(creditUsd: number): Promise<{ userId: string; key: string }> {
    const email = `${crypto.randomUUID()}@example.test`;
    const user = await this.operate('POST', '/admin/v1/users', { email, name: 'A' });
    const path = `/admin/v1/users/${user.id}`;
    if (creditUsd > 0) await this.operate('POST', `${path}/credits`, { amountUsd: creditUsd, note: 'test' });
    const key = await this.operate('POST', `${path}/keys`, { name: 'k', keyType: 'standard' });
    return { userId: String(user.id), key: String(key.key) };
  }

  /** Never throws: a connection that broke has the status 0. With every piece of the answer `isBegun` is called. */
  async call(index: number, key: string, body: Json, isBegun = (): void => {}): Promise<Seen> {
    const startedMs = performance.now();
    let text = '';
    let status = 0;
    let headers = new Headers();
    try {
      const response = await fetch(`${this.url(index)}/v1/chat/completions`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }], ...body }),
      });
      status = response.status;
      headers = response.headers;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) {
        text += decoder.decode(bytes, { stream: true });
        isBegun();
      }
    } catch {
      if (status === 200 && !text.includes('[DONE]')) status = 0;
    }
    const cost = /"finish_reason":"stop"/.test(text) ? /"cost":\s?([0-9.e-]+)/.exec(text) : null;
    const costUsd = cost === null ? null : Number(cost[1]);
    return { status, headers, text, costUsd, startedMs, endedMs: performance.now() };
  }

  /** On a busy machine the database may answer too late for a decision: a client that is asked to come back does so. */
  async callUntilDecided(index: number, key: string, body: Json): Promise<Seen> {
    const seen = await this.call(index, key, body);
    return seen.status === 503 || seen.status === 529 ? this.callUntilDecided(index, key, body) : seen;
  }

  async spentUsd(key: string): Promise<number> {
    const living = this.all.find(({ isRunning }) => isRunning);
    const response = await fetch(`${living?.url}/v1/credits`, { headers: { Authorization: `Bearer ${key}` } });
    return Number(((await response.json()) as { data: Json }).data.total_usage);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.signal('SIGTERM')));
    await this.simulator.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** How often each status was seen. */
export function countStatuses(all: readonly Seen[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of all) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** In USD, without what adding up fractions has left behind. */
export const sumOfCosts = (all: readonly Seen[]): number =>
  Math.round(all.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) * 1e9) / 1e9;
