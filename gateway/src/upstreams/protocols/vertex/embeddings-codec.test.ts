// What is sent for vectors, and what of the answer is believed: every vector there, and each count a count.

import { expect, test } from 'vitest';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsRequest } from '../../../canonical/operation.ts';
import { embeddingsCodec } from './embeddings-codec.ts';

const candidate = {
  upstreamModel: 'text-embedding-005',
  provider: { baseUrl: 'https://x.test', settings: { project: 'p1', location: 'us-east5' } },
  model: { traits: { family: 'other' } },
} as unknown as Candidate;

const request = (texts: readonly string[], body: object = {}): EmbeddingsRequest =>
  ({
    inputs: texts.map((text) => ({ texts: [text] })),
    ...{ body, needs: {}, promptTokensEstimate: 99 },
  }) as unknown as EmbeddingsRequest;

const reply = (predictions: unknown) => ({ headers: {}, body: Buffer.from(JSON.stringify({ predictions })) });
const predicted = (values: unknown, statistics?: unknown) => ({ embeddings: { values, statistics } });

test('texts are instances of a prediction, with what they are for and how long a vector may be', () => {
  const { path, body } = embeddingsCodec.encode(request(['a', 'b'], { dimensions: 256, input_type: 'X' }), candidate);
  expect(path).toBe('/v1/projects/p1/locations/us-east5/publishers/google/models/text-embedding-005:predict');
  expect(JSON.parse(String(body))).toEqual({
    instances: [
      { content: 'a', task_type: 'X' },
      { content: 'b', task_type: 'X' },
    ],
    parameters: { outputDimensionality: 256 },
  });
});

test('EMB-01 a purpose in the words of another vendor is left out, because it would be refused', () => {
  const { body } = embeddingsCodec.encode(request(['a'], { input_type: 'search_query' }), candidate);
  expect(JSON.parse(String(body))).toEqual({ instances: [{ content: 'a' }] });
});

test('the counts of all vectors are what is charged, and our own where one is missing or no count', () => {
  const decoded = (...all: unknown[]) => embeddingsCodec.decode?.(reply(all), request(['a', 'b']), candidate);
  const counted = decoded(predicted([1, 2], { token_count: 3 }), predicted([3, 4], { token_count: 4 }));
  expect(counted).toMatchObject({
    kind: 'answer',
    answer: {
      vectors: [
        [1, 2],
        [3, 4],
      ],
    },
    usage: { promptTokens: 7 },
  });
  for (const statistics of [undefined, {}, { token_count: -1 }, { token_count: '4' }]) {
    const doubtful = decoded(predicted([1], { token_count: 3 }), predicted([2], statistics));
    expect(doubtful).toMatchObject({ usage: { promptTokens: 99 } });
  }
});

test.each([
  ['too few', [predicted([1])]],
  ['none', undefined],
  ['no numbers', [predicted([1]), predicted(['x'])]],
  ['an empty one', [predicted([1]), predicted([])]],
])('%s are no answer', (_, predictions) => {
  expect(embeddingsCodec.decode?.(reply(predictions), request(['a', 'b']), candidate)).toMatchObject({
    kind: 'failure',
  });
});

const newer = { ...candidate, upstreamModel: 'gemini-embedding-2' } as Candidate;
const contents = (...inputs: readonly (readonly object[])[]): EmbeddingsRequest =>
  ({
    inputs: inputs.map((parts) => ({ parts, texts: [] })),
    body: { dimensions: 768 },
    promptTokensEstimate: 99,
  }) as never;
const text = { type: 'text', text: 'a' };

test('a newer model is asked for the one vector of a content, of texts and pictures', () => {
  const picture = { type: 'picture', url: 'data:image/png;base64,QUJD' };
  const { path, body } = embeddingsCodec.encode(contents([text, picture]), newer);
  expect(path).toMatch(/\/publishers\/google\/models\/gemini-embedding-2:embedContent$/);
  expect(JSON.parse(String(body))).toEqual({
    content: { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'QUJD' } }] },
    embedContentConfig: { outputDimensionality: 768 },
  });
  const older = { ...candidate, upstreamModel: 'gemini-embedding-001' } as Candidate;
  expect(embeddingsCodec.encode(request(['a']), older).path).toMatch(/gemini-embedding-001:predict$/);
});

test('several inputs are refused where one call makes one vector', () => {
  expect(() => embeddingsCodec.encode(contents([text], [text]), newer)).toThrow('one vector a call');
});

test.each([
  [{ promptTokenCount: 7, totalTokenCount: 7 }, 7],
  [undefined, 99],
])('its vector is charged by its count, or else by our own', (usageMetadata, promptTokens) => {
  const body = Buffer.from(JSON.stringify({ embedding: { values: [1, 2] }, usageMetadata }));
  expect(embeddingsCodec.decode?.({ headers: {}, body }, contents([text]), newer)).toMatchObject({
    answer: { vectors: [[1, 2]] },
    usage: { promptTokens },
  });
});
