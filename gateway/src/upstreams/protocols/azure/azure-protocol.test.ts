// The address of a deployment, by the settings of the provider's entry.

import { expect, test } from 'vitest';
import type { Candidate, Provider } from '../../../canonical/model.ts';
import type { EmbeddingsRequest } from '../../../canonical/operation.ts';
import { limitNameAt } from '../openai/vendors.ts';
import { azureProtocol } from './azure-protocol.ts';

const request = { body: { input: 'a' } } as unknown as EmbeddingsRequest;

test.each([
  ['https://r.test', '2024-10-21', '/openai/deployments/my%20model/embeddings?api-version=2024-10-21'],
  ['https://r.test', undefined, '/openai/v1/embeddings'],
  ['https://r.test', 'preview', '/openai/v1/embeddings?api-version=preview'],
  ['https://r.test/openai', '2024-10-21', '/deployments/my%20model/embeddings?api-version=2024-10-21'],
  ['https://r.test/openai/v1', undefined, '/embeddings'],
  ['https://r.test/openai/v1', '2024-10-21', '/embeddings'],
])('ROUTE-04 at %s with version %s', (baseUrl, version, path) => {
  const settings = version === undefined ? {} : { api_version: version };
  const candidate = { upstreamModel: 'my model', provider: { baseUrl, settings } } as unknown as Candidate;
  expect(azureProtocol.codecs.embeddings?.encode(request, candidate).path).toBe(path);
});

test.each([
  [undefined, 'max_completion_tokens'],
  ['preview', 'max_completion_tokens'],
  ['2024-10-21', 'max_completion_tokens'],
  ['2024-06-01', 'max_tokens'],
])('CHAT-07 the limit of an answer by the name that version %s knows for every model: %s', (version, name) => {
  const settings = version === undefined ? {} : { api_version: version };
  const nameAt = (baseUrl: string) => limitNameAt({ provider: { baseUrl, settings } as Provider });
  for (const baseUrl of ['https://r.openai.azure.com', 'https://r.cognitiveservices.azure.com/openai']) {
    expect(nameAt(baseUrl)).toBe(name);
  }
  expect(nameAt('https://r.openai.azure.com/openai/v1')).toBe('max_completion_tokens');
});

test('BYOK-04 the key is in a header of its own', () => {
  const call = { method: 'POST', url: 'https://r.test', headers: [], body: '', nowMs: 0 } as const;
  expect(azureProtocol.authorize(call, { apiKey: 'k' } as Provider, '')).toEqual(['api-key', 'k']);
});
