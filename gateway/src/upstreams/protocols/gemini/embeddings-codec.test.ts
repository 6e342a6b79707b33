// What is sent for vectors: all inputs of a call in one batch, with their purpose where the caller states it in the words
// of this API.

import { expect, test } from 'vitest';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsRequest } from '../../../canonical/operation.ts';
import { embeddingsCodec } from './embeddings-codec.ts';

const candidate = { upstreamModel: 'gemini-embedding-001' } as unknown as Candidate;

test.each([
  ['RETRIEVAL_QUERY', { taskType: 'RETRIEVAL_QUERY' }],
  ['search_query', {}],
])('EMB-01 the purpose %s', (purpose, sent) => {
  const inputs = [{ parts: [{ type: 'text', text: 'a' }] }];
  const request = { inputs, body: { input_type: purpose, dimensions: 256 } } as unknown as EmbeddingsRequest;
  const { path, body } = embeddingsCodec.encode(request, candidate);
  expect(path).toBe('/models/gemini-embedding-001:batchEmbedContents');
  const model = 'models/gemini-embedding-001';
  expect(JSON.parse(String(body))).toEqual({
    requests: [{ model, content: { parts: [{ text: 'a' }] }, outputDimensionality: 256, ...sent }],
  });
});
