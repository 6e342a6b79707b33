// Pictures: the real SDK checks shapes, and a decoder of Node's checks the bytes.

import { inflateSync } from 'node:zlib';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePng } from '../../content/picture.ts';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ apiKey: 'any', baseURL: `${simulator.url}/v1`, maxRetries: 0 });
});

afterAll(() => simulator.close());

test('a picture is a PNG of the size and the length that was asked for', () => {
  const png = makePng(5, '30x20', 2_000);
  expect([png.readUInt32BE(16), png.readUInt32BE(20), png.length]).toEqual([30, 20, 2_000]);
  const start = png.indexOf('IDAT');
  const pixels = inflateSync(png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4)));
  expect(pixels).toHaveLength(31 * 20);
});

test('generations as base64, and as addresses that need no key', async () => {
  const { data, usage } = await client.images.generate({ model: 'painter', prompt: 'A cat', n: 2 });
  expect(data?.map((image) => image.b64_json)).toEqual([1, 2].map((number) => makePng(number).toString('base64')));
  expect(usage).toMatchObject({ input_tokens: 2, output_tokens: 2_112, total_tokens: 2_114 });
  const linked = await client.images.generate({ model: 'sim-image-url', prompt: 'A cat' });
  const response = await fetch(linked.data?.[0]?.url ?? '');
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await response.arrayBuffer()).equals(makePng(1))).toBe(true);
});

test('edits need a file', async () => {
  const image = await toFile(makePng(1), 'a.png', { type: 'image/png' });
  expect((await client.images.edit({ model: 'painter', prompt: 'A dog', image })).data).toHaveLength(1);
  const text = await toFile(Buffer.from('x'), 'a.txt', { type: 'text/plain' });
  await expect(client.images.edit({ model: 'painter', prompt: 'A dog', image: text })).rejects.toThrow('400');
});

test.each([
  ['sim-image-url+image-missing', 404, 'application/json'],
  ['sim-image-url+image-svg', 200, 'image/svg+xml'],
  ['sim-image-url+image-html', 200, 'text/html'],
])('%s', async (model, status, type) => {
  const { data } = await client.images.generate({ model, prompt: 'A cat' });
  const response = await fetch(data?.[0]?.url ?? '');
  expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
});

test('conversations carry pictures where they are asked to', async () => {
  const body = { model: 'painter', messages: [{ role: 'user' as const, content: 'A cat' }] };
  const answer = await client.chat.completions.create({ ...body, ...({ modalities: ['image'] } as object) });
  const url = `data:image/png;base64,${makePng(1).toString('base64')}`;
  expect(answer.choices[0]?.message).toMatchObject({ images: [{ type: 'image_url', image_url: { url } }] });
  expect((await client.chat.completions.create(body)).choices[0]?.message).not.toHaveProperty('images');
});
