// The proxy's configuration as shipped, in a real nginx in front of a real gateway, for what reading the file cannot
// show.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Harness, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { textOf } from './deployment-files.ts';

const PATH = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`;
const isMissing = spawnSync('nginx', ['-v'], { env: { PATH } }).status !== 0;
if (isMissing) console.error('!! NOT RUN: tests of nginx.conf: there is no nginx in PATH.');

const FRAMES = 5;
const PAUSE_MS = 150;

describe.skipIf(isMissing)('nginx.conf in front of a gateway', () => {
  let harness: Harness;
  let folder: string;
  let nginx: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const commands = `chunks-${FRAMES}+delay-${PAUSE_MS}`;
    harness = await startHarness({
      models: { 'openai/slow': { commands } },
      env: { TOLLGATE_CLIENT_IP_HEADER: 'x-real-ip', TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
    });
    folder = await mkdtemp(join(tmpdir(), 'tollgate-nginx-'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    await writeFile(join(folder, 'nginx.conf'), localConf(port, new URL(harness.url).port));
    nginx = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf'), '-g', 'daemon off;'], {
      env: { PATH },
      stdio: 'ignore',
    });
    await vi.waitUntil(() => isUp(url), PATIENCE_MS);
  });

  afterAll(async () => {
    const ended = new Promise((resolve) => nginx.once('exit', resolve));
    nginx.kill('SIGQUIT');
    await ended;
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The same file, on a free port, with the gateway of this test for both upstreams, and its folders in ours. */
  function localConf(port: number, gatewayPort: string): string {
    const conf = textOf('deploy/nginx/nginx.conf')
      .replace('listen 8080;', `listen 127.0.0.1:${port};`)
      .replaceAll(/gateway-[12]:4100/g, `127.0.0.1:${gatewayPort}`)
      .replace('/dev/stdout', join(folder, 'access.log'))
      .replace('/dev/stderr', join(folder, 'error.log'))
      .replace('worker_processes auto', 'worker_processes 1');
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n');
    return `pid ${join(folder, 'nginx.pid')};\n${conf.replace('http {', `http {\n${paths}`)}`;
  }

  test('a stream passes piece by piece', async () => {
    const { key } = await harness.account();
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ model: 'openai/slow', stream: true, messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(response.status).toBe(200);
    const arrivals: number[] = [];
    for await (const chunk of response.body!)
      if (String(Buffer.from(chunk)).includes('"content"')) arrivals.push(performance.now());
    expect(arrivals.length).toBeGreaterThan(2);
    expect(arrivals.at(-1)! - arrivals[0]!).toBeGreaterThan(PAUSE_MS);
  });

  test('the metrics stay inside, and a body that is too large gets the answer of the gateway', async () => {
    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    const { key } = await harness.account();
    const body = JSON.stringify({
      model: 'openai/test',
      messages: [{ role: 'user', content: 'x'.repeat(10_485_760) }],
    });
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body,
    });
    expect(response.status).toBe(413);
    expect(await response.json()).toHaveProperty('error.message');
  });
});

async function isUp(url: string): Promise<boolean> {
  return (await fetch(`${url}/healthz`).catch(() => null))?.ok ?? false;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
