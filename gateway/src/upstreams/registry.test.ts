// A protocol or operation that is not there is simply absent, which is how routing learns of it.

import { expect, test } from 'vitest';
import { protocolOf } from './registry.ts';

test('the openai protocol speaks chat and sends its key as a bearer token', () => {
  const protocol = protocolOf('openai');
  expect(protocol?.name).toBe('openai');
  expect(protocol?.authorize('secret')).toEqual(['authorization', 'Bearer secret']);
  expect(protocol?.codecs.chat).toBeDefined();
  expect(protocol?.codecs.embeddings).toBeDefined();
  expect(protocolOf('anthropic')?.codecs.embeddings).toBeUndefined();
});
