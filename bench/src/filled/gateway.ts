// A gateway in this process on a given database, with the simulator as its only upstream, and a customer to call it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSimulator } from '@tollgate/simulator';
import { startApp } from '../../../gateway/src/app.ts';
import { readConfig } from '../../../gateway/src/config.ts';

const OPERATOR_TOKEN = 'bench-operator-token';

type Json = Record<string, unknown>;
export type Customer = Readonly<{ userId: string; key: string; keyId: string }>;

export type BenchGateway = Readonly<{
  ask(method: string, path: string, key: string, body?: unknown): Promise<Json>;
  operate(method: string, path: string, body?: unknown): Promise<Json>;
  newCustomer(): Promise<Customer>;
  call(key: string): Promise<Json>;
  close(): Promise<void>;
}>;

export async function startBenchGateway(databaseUrl: string): Promise<BenchGateway> {
  const simulator = await startSimulator();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-filled-'));
  const file = join(folder, 'config.json');
  const model = {
    name: 'bench/model',
    context_length: 128000,
    pricing: { prompt: '0.000001', completion: '0.000002' },
  };
  await writeFile(
    file,
    JSON.stringify({
      providers: { sim: { protocol: 'openai', base_url: `${simulator.url}/v1`, api_key: 'bench-secret-key' } },
      models: { 'bench/model': { ...model, routes: [{ provider: 'sim', upstream_model: 'sim-tokens-100-20' }] } },
      limits: { free_requests_per_minute: 1_000_000, paid_requests_per_minute: 1_000_000 },
    }),
  );
  const app = await startApp(
    readConfig({
      PORT: '0',
      DATABASE_URL: databaseUrl,
      TOLLGATE_SECRET: 'bench-secret-bench-secret-bench-secret',
      TOLLGATE_ADMIN_TOKEN: OPERATOR_TOKEN,
      TOLLGATE_DATA_DIR: folder,
      TOLLGATE_CONFIG: file,
      TOLLGATE_LOG_LEVEL: 'error',
      TOLLGATE_OVERLOAD_MS: '0',
    }),
  );

  async function ask(method: string, path: string, key: string, body?: unknown): Promise<Json> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(app.url + path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} gave ${response.status}: ${text}`);
    return JSON.parse(text) as Json;
  }
  const operate: BenchGateway['operate'] = (method, path, body) => ask(method, path, OPERATOR_TOKEN, body);

  return {
    ask,
    operate,
    async newCustomer() {
      const email = `customer-${crypto.randomUUID()}@example.com`;
      const user = await operate('POST', '/admin/v1/users', { email, name: 'Customer' });
      const userId = String(user.id);
      await operate('POST', `/admin/v1/users/${userId}/credits`, { amountUsd: 1_000, note: 'Benchmark' });
      const key = await operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'Benchmark' });
      return { userId, key: String(key.key), keyId: String(key.id) };
    },
    call: (key) =>
      ask('POST', '/v1/chat/completions', key, {
        model: 'bench/model',
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    async close() {
      await app.close(2_000);
      await simulator.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
