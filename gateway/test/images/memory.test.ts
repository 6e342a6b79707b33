// Large uploads through a gateway in a process of its own: its memory does not grow with what passes through it.

import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makePng } from '@tollgate/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { paintingModel } from './image-harness.ts';

const TEN_MEGABYTES = 10_485_760;
const FILES = 8;
const CALLS = 4;
const GROWTH_MEGABYTES_MAX = 120;

let gateway: GatewayProcess;
let upstream: Server;
let received = 0;

beforeAll(async () => {
  upstream = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on('end', () => {
      const data = [{ b64_json: makePng(1).toString('base64') }];
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ created: 1, data }));
    });
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const { port } = upstream.address() as AddressInfo;
  const routes = [{ provider: 'sink', upstream_model: 'x' }];
  const sink = { protocol: 'openai', base_url: `http://127.0.0.1:${port}/v1`, api_key: 'k' };
  gateway = await GatewayProcess.prepare({ 'acme/painter': paintingModel(undefined, { routes }) }, {}, { sink });
  await gateway.start();
});

afterAll(async () => {
  await gateway.close();
  await new Promise((resolve) => {
    upstream.close(resolve);
    upstream.closeAllConnections();
  });
});

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

async function send(key: string, file: Blob): Promise<number> {
  const form = new FormData();
  form.append('model', 'acme/painter');
  form.append('prompt', 'Make it blue');
  for (let index = 0; index < FILES; index += 1) form.append('image[]', file, 'a.png');
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${gateway.url}/v1/images/edits`, { method: 'POST', headers, body: form });
  await response.arrayBuffer();
  return response.status;
}

test.runIf(process.platform === 'linux')(
  'IMG-11 DOS-1 32 files of 10 MB, eight at a time in each of four calls at once',
  async () => {
    const key = await gateway.account();
    const file = new Blob([new Uint8Array(makePng(1, '8x8', TEN_MEGABYTES))], { type: 'image/png' });
    // The memory that a process needs for the first call of a kind does not depend on the size.
    expect(await send(key, new Blob([new Uint8Array(makePng(1))], { type: 'image/png' }))).toBe(200);
    const before = await residentMegabytes();
    let peak = before;
    const watch = setInterval(async () => {
      peak = Math.max(peak, await residentMegabytes());
    }, 20);
    const statuses = await Promise.all(Array.from({ length: CALLS }, () => send(key, file)));
    clearInterval(watch);
    expect(statuses).toEqual(Array(CALLS).fill(200));
    expect(received).toBeGreaterThan(CALLS * FILES * TEN_MEGABYTES);
    expect(peak - before).toBeLessThan(GROWTH_MEGABYTES_MAX);
  },
);
