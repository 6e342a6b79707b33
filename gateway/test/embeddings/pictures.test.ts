// Vectors of pictures at providers that have formats of their own for them: what each is sent, what comes back, what it
// costs, and what is refused because the provider could not take it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { entryOf, type Kind, type OtherServers, startOtherServers } from '../faults/upstreams.ts';
import type { Harness, Json } from '../harness.ts';
import { embed, embeddingModel, startEmbeddings, vectorsOf } from './embeddings-harness.ts';

const DATA = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk';
const PICTURE = { type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` } };
const WORDS = { type: 'text', text: 'A red square' };

const MODELS: Readonly<Record<string, readonly [kind: Kind, upstreamModel: string]>> = {
  gemini: ['gemini', 'gemini-embedding-2'],
  cohere: ['cohere', 'embed-v4.0'],
  'cohere-3': ['cohere', 'embed-english-v3.0'],
  vertex: ['vertex', 'multimodalembedding@001'],
  'vertex-text': ['vertex', 'text-embedding-005'],
};

let harness: Harness;
let others: OtherServers;
let key: string;

beforeAll(async () => {
  harness = await startEmbeddings();
  others = await startOtherServers();
  const document = await harness.operate('GET', '/admin/v1/config');
  const { entry } = embeddingModel(undefined, { input_modalities: ['text', 'image'] });
  const added = Object.entries(MODELS).map(([name, [kind, upstream_model]]) => [
    `acme/${name}`,
    { ...entry, routes: [{ provider: kind, upstream_model }] },
  ]);
  const kinds = new Set(Object.values(MODELS).map(([kind]) => kind));
  const providers = [...kinds].map((kind) => [kind, entryOf(kind, harness.simulator.url, others.tokenUrl)]);
  await harness.operate('PUT', '/admin/v1/config', {
    ...document,
    providers: { ...(document.providers as Json), ...Object.fromEntries(providers) },
    models: { ...(document.models as Json), ...Object.fromEntries(added) },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await harness.close();
  others.close();
});

const make = (model: string, ...inputs: readonly (readonly Json[] | string)[]) =>
  embed(harness, key, {
    model: `acme/${model}`,
    input: inputs.map((content) => (typeof content === 'string' ? content : { content })),
  });
const lastSent = (): Json => harness.simulator.requests.at(-1)?.json as Json;

describe('what is sent', () => {
  test('Gemini: parts, one request for each vector', async () => {
    const answer = await make('gemini', [WORDS, PICTURE], [PICTURE], 'A red square');
    expect(answer.status, answer.text).toBe(200);
    expect(vectorsOf(answer)).toHaveLength(3);
    const inlineData = { mimeType: 'image/png', data: DATA };
    expect((lastSent().requests as Json[]).map(({ content }) => (content as Json).parts)).toEqual([
      [{ text: 'A red square' }, { inlineData }],
      [{ inlineData }],
      [{ text: 'A red square' }],
    ]);
    expect(Number((answer.body.usage as Json).cost)).toBeGreaterThan(0);
  });

  test('Cohere: inputs that mix, counted in tokens of words and of pictures', async () => {
    const answer = await make('cohere', [WORDS, PICTURE], [PICTURE]);
    expect(answer.status, answer.text).toBe(200);
    expect(vectorsOf(answer)).toHaveLength(2);
    expect(lastSent()).toMatchObject({ inputs: [{ content: [WORDS, PICTURE] }, { content: [PICTURE] }] });
    expect(lastSent()).not.toHaveProperty('texts');
    expect(answer.body.usage).toMatchObject({ prompt_tokens: 200, cost: 0.0004 });
  });

  test('Cohere, before: one picture for itself, charged by our own count', async () => {
    const answer = await make('cohere-3', [PICTURE]);
    expect(answer.status, answer.text).toBe(200);
    expect(lastSent()).toMatchObject({ images: [PICTURE.image_url.url], input_type: 'image' });
    expect(Number((answer.body.usage as Json).cost)).toBeGreaterThan(0);
  });

  test('Vertex: an instance for each text and each picture', async () => {
    const answer = await make('vertex', 'A red square', [PICTURE]);
    expect(answer.status, answer.text).toBe(200);
    expect(vectorsOf(answer)).toHaveLength(2);
    const image = { bytesBase64Encoded: DATA, mimeType: 'image/png' };
    expect(lastSent().instances).toEqual([{ text: 'A red square' }, { image }]);
    expect(Number((answer.body.usage as Json).cost)).toBeGreaterThan(0);
  });

  test('texts alone go as they always did', async () => {
    expect((await make('cohere', 'one', 'two')).status).toBe(200);
    expect(lastSent()).toMatchObject({ texts: ['one', 'two'], input_type: 'search_document' });
  });
});

test.each<[string, string, readonly Json[]]>([
  ['gemini', 'an address', [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]],
  ['cohere', 'an address', [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }]],
  ['cohere-3', 'words beside a picture', [WORDS, PICTURE]],
  ['vertex', 'words beside a picture', [WORDS, PICTURE]],
  ['vertex-text', 'a picture', [PICTURE]],
])('%s does not take %s: nobody is asked and nothing is charged', async (model, _, content) => {
  harness.simulator.clearRequests();
  const before = await harness.spent(key);
  expect((await make(model, content)).status).toBe(400);
  expect(harness.simulator.requests).toEqual([]);
  expect(await harness.spent(key)).toBe(before);
});
