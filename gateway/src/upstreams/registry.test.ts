// A protocol or operation that is not there is simply absent, which is how routing learns of it.

import { expect, test } from 'vitest';
import type { Provider } from '../canonical/model.ts';
import { protocolNames } from '../modules/catalog/protocols.ts';
import { protocolOf, registeredNames } from './registry.ts';

const call = { method: 'POST', url: 'https://x.test/v1/chat', headers: [], body: '{}', nowMs: 0 } as const;
const provider = { apiKey: 'secret' } as Provider;

test('the openai protocol speaks chat and sends its key as a bearer token', () => {
  const protocol = protocolOf('openai');
  expect(protocol?.authorize(call, provider, '')).toEqual(['authorization', 'Bearer secret']);
  expect(protocol?.codecs.chat).toBeDefined();
  expect(protocol?.codecs.embeddings).toBeDefined();
  expect(protocolOf('anthropic')?.codecs.embeddings).toBeUndefined();
});

test('every protocol that the config file may name is spoken, and none besides', () => {
  expect([...registeredNames()].sort()).toEqual([...protocolNames].sort());
});
