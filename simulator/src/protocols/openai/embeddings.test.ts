// Vectors are the same in both encodings and depend on the text alone; the SDK decodes the binary one by itself.

import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../server.ts';

let simulator: Simulator;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => simulator.close());

test('base64 and float say the same', async () => {
  const binary = await client.embeddings.create({ model: 'e', input: 'hello' });
  const plain = await client.embeddings.create({ model: 'e', input: 'hello', encoding_format: 'float' });
  expect(simulator.requests.at(-2)?.json).toMatchObject({ encoding_format: 'base64' });
  expect(plain.data[0]?.embedding).toHaveLength(1536);
  expect(Array.from(binary.data[0]?.embedding ?? [])).toEqual(plain.data[0]?.embedding);
  const length = Math.hypot(...(plain.data[0]?.embedding ?? []));
  expect(length).toBeCloseTo(1, 5);
});

test('a batch keeps its order, dimensions are honoured, tokens are counted', async () => {
  const batch = await client.embeddings.create({ model: 'e', input: ['first', 'second', 'first'], dimensions: 8 });
  expect(batch.data.map((item) => item.index)).toEqual([0, 1, 2]);
  expect(batch.data[0]?.embedding).toHaveLength(8);
  expect(batch.data[2]?.embedding).toEqual(batch.data[0]?.embedding);
  expect(batch.data[1]?.embedding).not.toEqual(batch.data[0]?.embedding);
  expect(batch.usage).toEqual({ prompt_tokens: 6, total_tokens: 6 });
  const ids = await client.embeddings.create({ model: 'e', input: [1, 2, 3] });
  expect(ids.usage.prompt_tokens).toBe(3);
});

test('exact counts and bent usage on command, and an empty input is refused', async () => {
  const exact = await client.embeddings.create({ model: 'sim-tokens-900-0', input: 'x' });
  expect(exact.usage.prompt_tokens).toBe(900);
  const none = await client.embeddings.create({ model: 'sim-usage-none', input: 'x' });
  expect(none).not.toHaveProperty('usage');
  await expect(client.embeddings.create({ model: 'e', input: [] })).rejects.toMatchObject({ status: 400 });
});
