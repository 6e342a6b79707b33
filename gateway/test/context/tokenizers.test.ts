// The catalog says which vocabulary a model counts with: current, earlier, or not known.

import { expect, test } from 'vitest';
import { readFamilies } from '../../src/modules/catalog/families.ts';

test.each([
  ['openai/gpt-4o-mini', 'o200k_base'],
  ['openai/gpt-4.1', 'o200k_base'],
  ['openai/o3', 'o200k_base'],
  ['openai/gpt-4', 'cl100k_base'],
  ['openai/gpt-4-turbo', 'cl100k_base'],
  ['openai/gpt-3.5-turbo', 'cl100k_base'],
  ['anthropic/claude-sonnet-4.5', null],
  ['acme/one', null],
])('ROUTE-24 %s counts with %s', (modelId, tokenizer) => {
  expect(readFamilies().traitsOf(modelId, undefined).tokenizer).toBe(tokenizer);
});

test('CHAT-23 an earlier vocabulary makes no other difference', () => {
  const { family: _family, tokenizer: _tokenizer, ...earlier } = readFamilies().traitsOf('openai/gpt-4', undefined);
  expect(readFamilies().traitsOf('openai/gpt-4o', undefined)).toMatchObject(earlier);
});
