// A gateway with the demonstration's catalog, the simulator and a stand-in for the payment provider, whose clock starts
// weeks ago: what happens while the clock catches up is the history on the console's pages.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { type RunningApp, startApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { silentLogger } from '../../../src/platform/logger.ts';
import { FakeStripe } from '../../payments/fake-stripe.ts';
import { ShiftedClock } from '../../payments/shifted-clock.ts';

export const OPERATOR_TOKEN = 'demo-operator-token';

export type Json = Record<string, unknown>;
type Call = Readonly<{ key?: string; body?: unknown; headers?: Record<string, string> }>;

export class DemoTown {
  readonly app: RunningApp;
  readonly simulator: Simulator;
  readonly stripe: FakeStripe;
  readonly clock: ShiftedClock;
  readonly folder: string;

  constructor(parts: Pick<DemoTown, 'app' | 'simulator' | 'stripe' | 'clock' | 'folder'>) {
    this.app = parts.app;
    this.simulator = parts.simulator;
    this.stripe = parts.stripe;
    this.clock = parts.clock;
    this.folder = parts.folder;
  }

  /** The answer, whatever its status. */
  async call(method: string, path: string, { key, body, headers = {} }: Call = {}): Promise<Json> {
    const response = await fetch(this.app.url + path, {
      method,
      headers: {
        ...headers,
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { ...(text.startsWith('{') ? (JSON.parse(text) as Json) : {}), status: response.status };
  }

  /** The answer of a call that must succeed. */
  async must(method: string, path: string, call: Call = {}): Promise<Json> {
    const answer = await this.call(method, path, call);
    if (Number(answer.status) >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  operate(method: string, path: string, body?: unknown): Promise<Json> {
    return this.must(method, `/admin/v1${path}`, { key: OPERATOR_TOKEN, ...(body === undefined ? {} : { body }) });
  }

  async close(): Promise<void> {
    await this.app.close(2_000);
    await this.simulator.close();
    await this.stripe.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

export async function openDemoTown(daysAgo: number): Promise<DemoTown> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-screenshots-'));
  const [simulator, stripe] = await Promise.all([startSimulator(), FakeStripe.start()]);
  const clock = new ShiftedClock();
  clock.move(-daysAgo * 86_400_000);
  const config = readConfig({
    PORT: '0',
    TOLLGATE_DATA_DIR: folder,
    TOLLGATE_ADMIN_TOKEN: OPERATOR_TOKEN,
    TOLLGATE_TOPUP_CURRENCIES: 'eur=0.92, gbp=0.79',
    // Customers' own upstreams are the simulator too, on this machine.
    TOLLGATE_SSRF_ALLOW: '127.0.0.0/8',
    ...stripe.env,
  });
  const app = await startApp(config, { clock, logger: silentLogger, variables: { SIMULATOR_URL: simulator.url } });
  return new DemoTown({ app, simulator, stripe, clock, folder });
}

type Chat = Readonly<{ model: string; app?: string; content?: string; stream?: boolean }>;

export function chat(
  town: DemoTown,
  key: string,
  { model, app, content = 'Summarize this.', stream = false }: Chat,
): Promise<Json> {
  const headers: Record<string, string> = app === undefined ? {} : { 'X-Title': app };
  const body = { model, stream, messages: [{ role: 'user', content }] };
  return town.call('POST', '/v1/chat/completions', { key, body, headers });
}
