// Several workers on one port, as `tollgate serve --workers` runs them.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Simulator, startSimulator } from '@tollgate/simulator';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { childrenOf } from '../behaviour/gateway-process.ts';
import { freshDatabase } from '../database.ts';
import { configDocument, type Json } from '../harness.ts';

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const TOKEN = 'workers-operator-token';
const STREAM = 'chunks-10+delay-100';

type BegunWorkers = Readonly<{ child: ChildProcess; output: () => string; simulator: Simulator }>;

async function startWorkers(): Promise<BegunWorkers & Readonly<{ url: string }>> {
  const started = await beginWorkers();
  await expect.poll(started.output).toContain('with 2 workers');
  const [url = ''] = /http:\/\/[\d.]+:\d+/.exec(started.output()) ?? [];
  return { ...started, url };
}

/** Without waiting until they serve. */
async function beginWorkers(): Promise<BegunWorkers> {
  const simulator = await startSimulator();
  const database = await freshDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-workers-'));
  const configFile = join(folder, 'config.json');
  const models = { 'openai/stream': { commands: STREAM } };
  await writeFile(configFile, JSON.stringify(configDocument(simulator.url, { models })));
  const child = spawn(process.execPath, [program, 'serve', '--workers', '2'], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATABASE_URL: database.url,
      TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
      TOLLGATE_ADMIN_TOKEN: TOKEN,
      TOLLGATE_DATA_DIR: join(folder, 'data'),
      TOLLGATE_CONFIG: configFile,
      TOLLGATE_LOG_LEVEL: 'warn',
      TOLLGATE_OVERLOAD_MS: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  onTestFailed(() => console.error(output));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await simulator.close();
    await expect.poll(() => database.drop().then(() => true)).toBe(true);
    await rm(folder, { recursive: true, force: true });
  });
  return { child, output: () => output, simulator };
}

async function ask(url: string, path: string, init: { key?: string; body?: Json } = {}): Promise<Json> {
  const response = await fetch(url + path, {
    method: init.body === undefined ? 'GET' : 'POST',
    // A connection of its own for each, so that they are spread.
    headers: { Authorization: `Bearer ${init.key ?? TOKEN}`, 'Content-Type': 'application/json', Connection: 'close' },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  return (await response.json()) as Json;
}

async function account(url: string): Promise<string> {
  const user = await ask(url, '/admin/v1/users', { body: { email: `${crypto.randomUUID()}@a.test`, name: 'A' } });
  await ask(url, `/admin/v1/users/${user.id}/credits`, { body: { amountUsd: 5, note: 'test' } });
  const key = await ask(url, `/admin/v1/users/${user.id}/keys`, { body: { name: 'k', keyType: 'standard' } });
  return String(key.key);
}

const chat = (url: string, key: string) =>
  ask(url, '/v1/chat/completions', {
    key,
    body: { model: 'openai/test', messages: [{ role: 'user', content: 'Hi' }] },
  });

async function callsByWorker(url: string): Promise<Record<string, number>> {
  const page = await (await fetch(`${url}/metrics`)).text();
  const lines = page.matchAll(
    /^tollgate_http_requests_total\{worker="(\d)",route="\/v1\/chat\/completions",.*\} (\d+)$/gm,
  );
  return Object.fromEntries([...lines].map(([, worker, count]) => [worker, Number(count)]));
}

test('two workers share a port, their metrics are one page, and one that dies is replaced', async () => {
  const { child, output, url } = await startWorkers();
  const key = await account(url);
  for (let call = 0; call < 6; call += 1) expect(await chat(url, key)).toMatchObject({ usage: expect.anything() });
  const counted = Object.values(await callsByWorker(url)).reduce((sum, count) => sum + count, 0);
  expect(counted).toBe(6);
  const untilBothServe = () =>
    expect
      .poll(async () => {
        // Connections are assigned in turn: with one call for each look at the metrics, all calls might go to one
        // worker.
        await chat(url, key);
        await chat(url, key);
        return Object.keys(await callsByWorker(url));
      })
      .toEqual(['1', '2']);
  await untilBothServe();

  const before = childrenOf(child.pid!);
  expect(before).toHaveLength(2);
  process.kill(before[0]!, 'SIGKILL');
  await expect.poll(() => output()).toContain('another one takes its place');
  await expect.poll(() => childrenOf(child.pid!).filter((pid) => !before.includes(pid))).toHaveLength(1);
  for (let call = 0; call < 6; call += 1) expect(await chat(url, key)).toMatchObject({ usage: expect.anything() });
  await untilBothServe();
  const check = await ask(url, '/admin/v1/ledger/check?full=true');
  expect(check).toMatchObject({ ok: true, heldReservations: 0 });
});

test('CRASH-5 SIGTERM lets running streams end on every worker, and then all are gone', async () => {
  const { child, url, simulator } = await startWorkers();
  const key = await account(url);
  // No answer ends before its worker is told to end.
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  simulator.script(() => isGoingOn.then(() => STREAM), { times: Number.POSITIVE_INFINITY });
  const streams = Array.from({ length: 8 }, async () => {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ model: 'openai/stream', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    });
    return { status: response.status, text: await response.text() };
  });
  await expect.poll(() => simulator.requests.length).toBe(streams.length);
  const workers = childrenOf(child.pid!);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  goOn();
  const answers = await Promise.all(streams);
  expect(answers.map(({ status, text }) => [status, text.includes('[DONE]')])).toEqual(answers.map(() => [200, true]));
  expect(await ended).toBe(0);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow();
});

test('SIGTERM while the workers are starting ends them all, too', async () => {
  const { child } = await beginWorkers();
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  await expect.poll(() => childrenOf(child.pid!), { interval: 5 }).toHaveLength(1);
  const workers = childrenOf(child.pid!);
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow();
});

test('more than one worker without DATABASE_URL is refused in words', () => {
  const environment = { PATH: process.env.PATH, TOLLGATE_DATA_DIR: join(tmpdir(), 'tollgate-none') };
  const run = spawnSync(process.execPath, [program, 'serve', '--workers', '2'], { env: environment, encoding: 'utf8' });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain('TOLLGATE_WORKERS: needs DATABASE_URL');
});
