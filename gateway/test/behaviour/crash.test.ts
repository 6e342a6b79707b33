// A gateway killed at the worst moments, as a process of its own: what a client saw as charged is charged after the
// restart, what it did not see is not, and the books balance.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configDocument, type Json } from '../harness.ts';

const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TOKEN = 'crash-operator';

let folder: string;
let simulator: Simulator;
let port: number;
let child: ChildProcess | null = null;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-crash-'));
  simulator = await startSimulator();
  port = await freePort();
  const models = {
    'openai/plain': { commands: 'tokens-100-20' },
    'openai/slow': { commands: 'tokens-100-20+chunks-20+delay-50' },
  };
  await writeFile(join(folder, 'config.json'), JSON.stringify(configDocument(simulator.url, { models })));
});

afterEach(async () => {
  child?.kill('SIGTERM');
  await exited(child);
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

async function start(): Promise<void> {
  const started = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      TOLLGATE_DATA_DIR: join(folder, 'data'),
      TOLLGATE_CONFIG: join(folder, 'config.json'),
      TOLLGATE_ADMIN_TOKEN: TOKEN,
      TOLLGATE_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child = started;
  let output = '';
  started.stdout.on('data', (chunk) => (output += chunk));
  started.stderr.on('data', (chunk) => (output += chunk));
  const deadline = Date.now() + 20_000;
  while (Date.now() < deadline) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (ready?.ok) return;
    if (started.exitCode !== null) break;
    await sleep(50);
  }
  throw new Error(`the gateway did not come up:\n${output}`);
}

function exited(process: ChildProcess | null): Promise<void> {
  if (process === null || process.exitCode !== null || process.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => process.once('exit', () => resolve()));
}

async function kill(): Promise<void> {
  child?.kill('SIGKILL');
  await exited(child);
}

async function call(method: string, path: string, key: string, body?: unknown): Promise<Json> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}

async function account(): Promise<string> {
  const user = await call('POST', '/admin/v1/users', TOKEN, { email: 'a@example.test', name: 'A' });
  await call('POST', `/admin/v1/users/${user.id}/credits`, TOKEN, { amountUsd: 1, note: 'x' });
  const key = await call('POST', `/admin/v1/users/${user.id}/keys`, TOKEN, { name: 'k', keyType: 'standard' });
  return String(key.key);
}

/** Opens a stream and kills the gateway as soon as what was received satisfies `when`. */
async function streamAndKill(key: string, model: string, when: (received: string) => boolean): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  });
  let received = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      received += decoder.decode(chunk, { stream: true });
      if (when(received)) {
        await kill();
        break;
      }
    }
  } catch {
    // The connection died with the gateway.
  }
  return received;
}

test('STRM-04 BILL-03 killed one instant after the finish: the charge and the generation are there', async () => {
  await start();
  const key = await account();
  const received = await streamAndKill(key, 'openai/plain', (text) => text.includes('"finish_reason":"stop"'));
  expect(received).toContain('"cost":0.00014');
  const id = /"id":"([^"]+)"/.exec(received)?.[1];
  await start();
  const credits = await call('GET', '/v1/credits', key);
  expect(credits.data).toEqual({ total_credits: 1, total_usage: 0.00014 });
  expect(await call('GET', `/v1/generation?id=${id}`, key)).toMatchObject({ data: { usage: { cost: 0.00014 } } });
  expect(await call('GET', '/admin/v1/ledger/check', TOKEN)).toMatchObject({ ok: true, heldReservations: 0 });
});

test('STRM-06 killed mid-stream: nothing is charged and the whole balance can be spent at once', async () => {
  await start();
  const key = await account();
  await streamAndKill(key, 'openai/slow', (text) => text.split('\n\n').length > 4);
  await start();
  expect((await call('GET', '/v1/credits', key)).data).toEqual({ total_credits: 1, total_usage: 0 });
  // Needs nearly all of the dollar: a slice still leased to the dead process would make it a 402.
  const answer = await call('POST', '/v1/chat/completions', key, {
    model: 'openai/plain',
    max_tokens: 490_000,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer).toMatchObject({ usage: { cost: 0.00014 } });
  expect(await call('GET', '/admin/v1/ledger/check', TOKEN)).toMatchObject({ ok: true, heldReservations: 0 });
});

test('SIGTERM lets an open stream finish with its usage, then exits with 0', async () => {
  await start();
  const key = await account();
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'openai/slow', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
  });
  child?.kill('SIGTERM');
  const text = await response.text();
  expect(text).toContain('"cost":0.00014');
  expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
  await exited(child);
  expect(child?.exitCode).toBe(0);
});
