// A large video passes through a gateway as it is shipped: however large it is, and however slowly it is read, the
// gateway holds no more of it than a few reads.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { QUICK, video } from './video-bed.ts';

const MEGABYTE = 1024 * 1024;
const FILE_BYTES = 200 * MEGABYTE;
const GROWTH_BYTES_MAX = 60 * MEGABYTE;
const READERS = 3;

let gateway: GatewayProcess;

beforeAll(async () => {
  gateway = await GatewayProcess.prepare({ 'acme/film': video(`${QUICK}+video-mb-200`) });
  await gateway.start();
});

afterAll(() => gateway.close());

async function residentBytes(): Promise<number> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]);
}

/** Slower than the upstream could send it, so that what is not read has to wait somewhere. */
async function read(id: string, key: string, onChunk: () => Promise<void>): Promise<number> {
  const response = await fetch(`${gateway.url}/v1/videos/${id}/content`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    await onChunk();
  }
  return bytes;
}

test('VID-23 a video of 200 MB passes three times at once within bounded memory', async () => {
  const key = await gateway.account();
  const { id } = await gateway.call('POST', '/v1/videos', key, { model: 'acme/film', prompt: 'x' });
  const poll = (): Promise<Json> => gateway.call('GET', `/v1/videos/${id}`, key);
  await vi.waitFor(async () => expect((await poll()).status).toBe('completed'), {
    timeout: PATIENCE_MS,
    interval: 500,
  });
  // One warm-up, so that buffers that every gateway has are counted as such.
  await read(String(id), key, async () => undefined);
  const before = await residentBytes();
  let peak = before;
  let chunks = 0;
  const watch = async (): Promise<void> => {
    chunks += 1;
    if (chunks % 400 === 0) peak = Math.max(peak, await residentBytes());
  };
  const lengths = await Promise.all(Array.from({ length: READERS }, () => read(String(id), key, watch)));
  expect(lengths).toEqual(Array.from({ length: READERS }, () => FILE_BYTES));
  expect(chunks).toBeGreaterThan(400);
  expect(Math.round((peak - before) / MEGABYTE)).toBeLessThan(GROWTH_BYTES_MAX / MEGABYTE);
});
