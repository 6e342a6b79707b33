// A whole gateway in this process: its own database, the simulator as upstream, and the operator's calls. Nothing is
// mocked; a test says what the upstream does by the model it calls.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { type RunningApp, type StartOptions, startApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { contractProblem } from './contract.ts';
import { freshDatabase } from './database.ts';
import { PATIENCE_MS } from './patience.ts';

export const ADMIN_TOKEN = 'test-operator-token';
const READ_PAUSE_MS = 200;
const READ_TRIES = PATIENCE_MS / READ_PAUSE_MS;

/** A model served by the simulator. `commands` is its grammar, for example `tokens-1000-50+reset-after-2`. */
export type ModelSpec = Readonly<{ commands?: string; entry?: Record<string, unknown>; routes?: readonly object[] }>;

export type HarnessOptions = Readonly<{
  models?: Readonly<Record<string, ModelSpec>>;
  /** Laid over the generated config document. */
  document?: Record<string, unknown>;
  /** Further providers, each the simulator but for what it says. */
  moreProviders?: Readonly<Record<string, object>>;
  env?: Record<string, string>;
  start?: StartOptions;
  /** Why answers of this gateway are not compared with their descriptions; by default they are. */
  unheld?: string;
}>;

export type Json = Record<string, unknown>;
export type Answer = Readonly<{ status: number; headers: Headers; body: Json; text: string }>;

type HarnessParts = Readonly<{
  app: RunningApp;
  simulator: Simulator;
  databaseUrl: string;
  /** True by default. */
  isHeld?: boolean;
  cleanup: () => Promise<void>;
}>;

export class Harness {
  readonly app: RunningApp;
  readonly simulator: Simulator;
  readonly databaseUrl: string;
  readonly #isHeld: boolean;
  readonly #cleanup: () => Promise<void>;

  constructor(parts: HarnessParts) {
    this.app = parts.app;
    this.simulator = parts.simulator;
    this.databaseUrl = parts.databaseUrl;
    this.#isHeld = parts.isHeld ?? true;
    this.#cleanup = parts.cleanup;
  }

  get url(): string {
    return this.app.url;
  }

  async request(
    method: string,
    path: string,
    options: { key?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const headers: Record<string, string> = { ...options.headers };
    if (options.key !== undefined) headers.Authorization = `Bearer ${options.key}`;
    const init: RequestInit = { method, headers };
    if (options.body !== undefined) {
      headers['Content-Type'] = 'application/json';
      init.body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    }
    const response = await fetch(this.url + path, init);
    const text = await response.text();
    if (this.#isHeld) holdToContract(method, path, { requestText: init.body as string | null, response, text });
    return { status: response.status, headers: response.headers, text, body: parseJson(text) };
  }

  async operate(method: string, path: string, body?: unknown): Promise<Json> {
    const ask = () => this.request(method, path, { key: ADMIN_TOKEN, ...(body === undefined ? {} : { body }) });
    let answer = await ask();
    // On a busy machine there may be no connection in time; the reader is asked to come back.
    for (let tries = 1; method === 'GET' && answer.status === 503 && tries < READ_TRIES; tries += 1) {
      await sleep(READ_PAUSE_MS);
      answer = await ask();
    }
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  }

  /** A user with credit and a standard key. */
  async account(creditUsd: number | string = 100): Promise<{ userId: string; key: string; keyId: string }> {
    const user = await this.operate('POST', '/admin/v1/users', {
      email: `user-${crypto.randomUUID()}@example.test`,
      name: 'Test',
    });
    const userId = String(user.id);
    if (Number(creditUsd) > 0) {
      await this.operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: creditUsd, note: 'test' });
    }
    const key = await this.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'test', keyType: 'standard' });
    return { userId, key: String(key.key), keyId: String(key.id) };
  }

  chat(key: string, body: Json, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', '/v1/chat/completions', {
      key,
      headers,
      body: { messages: [{ role: 'user', content: 'Say hello.' }], ...body },
    });
  }

  /** Asks again while the answer is 503, as clients do: the database of a busy machine may take longer than a call waits. */
  async chatWhenReady(key: string, body: Json): Promise<Answer> {
    for (;;) {
      const answer = await this.chat(key, body);
      if (answer.status !== 503) return answer;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** The raw text of a stream and its chunks; `[DONE]` is left out of the chunks. */
  async stream(key: string, body: Json): Promise<Answer & { frames: Json[]; isDone: boolean }> {
    const answer = await this.chat(key, { stream: true, ...body });
    const data = answer.text
      .split('\n\n')
      .map((frame) => frame.trim())
      .filter((frame) => frame.startsWith('data: '))
      .map((frame) => frame.slice('data: '.length));
    return {
      ...answer,
      frames: data.filter((line) => line !== '[DONE]').map((line) => JSON.parse(line) as Json),
      isDone: data.at(-1) === '[DONE]',
    };
  }

  /** Lifetime spend as the caller sees it. */
  async spent(key: string): Promise<number> {
    const answer = await this.request('GET', '/v1/credits', { key });
    return Number((answer.body.data as Json).total_usage);
  }

  /** The books must balance after every test, and nothing may stay held. */
  async ledgerCheck(): Promise<Json> {
    return this.operate('GET', '/admin/v1/ledger/check?full=true');
  }

  async close(): Promise<void> {
    await this.#cleanup();
  }
}

type Told = Readonly<{ requestText?: string | null; response: Response; text: string }>;

function holdToContract(method: string, target: string, { requestText = null, response, text }: Told): void {
  const contentType = response.headers.get('content-type') ?? '';
  // An answer after a redirect belongs to the place that it led to.
  if (response.redirected) return;
  const problem = contractProblem({ method, target, requestText, status: response.status, contentType, text });
  if (problem !== null) throw new Error(problem);
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

/** A provider with a short timeout for silence; all others have time, also on a busy machine. */
export const IMPATIENT = {
  timeouts: { first_byte_seconds: 1, whole_seconds: 1, stall_seconds: 1, total_seconds: 20 },
};

/** Which of the two a cell of a table of faults needs. */
export const faultyProvider = (commands: string): string => (commands.startsWith('stall') ? 'slow' : 'sim');

const DEFAULT_PRICING = { prompt: '1', completion: '2', cache_read: '0.5', cache_write: '1.25' };

export function configDocument(simulatorUrl: string, options: HarnessOptions): Json {
  const models: Json = {};
  const specs: Record<string, ModelSpec> = { 'openai/test': {}, ...options.models };
  for (const [id, spec] of Object.entries(specs)) {
    const upstream_model = spec.commands === undefined ? 'sim-plain' : `sim-${spec.commands}`;
    models[id] = {
      name: id,
      context_length: 128000,
      input_modalities: ['text', 'image', 'audio', 'file', 'video'],
      output_modalities: ['text'],
      pricing: DEFAULT_PRICING,
      routes: spec.routes ?? [{ provider: 'sim', upstream_model: spec.commands === undefined ? id : upstream_model }],
      ...spec.entry,
    };
  }
  const sim = { protocol: 'openai', base_url: `${simulatorUrl}/v1`, api_key: 'upstream-secret-key' };
  const further = Object.entries(options.moreProviders ?? {}).map(([name, entry]) => [name, { ...sim, ...entry }]);
  return {
    providers: { sim, dead: { ...sim, base_url: 'http://127.0.0.1:9/v1' }, ...Object.fromEntries(further) },
    models,
    limits: { free_requests_per_minute: 100000, paid_requests_per_minute: 100000 },
    ...options.document,
  };
}

export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const simulator = await startSimulator();
  const database = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-test-'));
  const file = join(folder, 'config.json');
  await writeFile(file, JSON.stringify(configDocument(simulator.url, options)));
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    REDIS_URL: process.env.REDIS_URL,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
    TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN,
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_CONFIG: file,
    TOLLGATE_LOG_LEVEL: 'silent',
    // A busy machine is no reason to refuse what a test asks for.
    TOLLGATE_OVERLOAD_MS: '0',
    ...options.env,
  });
  const app = await startApp(config, options.start);
  const cleanup = async (): Promise<void> => {
    await app.close(2_000);
    await simulator.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  };
  const isHeld = options.unheld === undefined;
  return new Harness({ app, simulator, databaseUrl: database.url, isHeld, cleanup });
}
