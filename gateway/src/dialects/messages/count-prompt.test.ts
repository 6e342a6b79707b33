// The count covers everything that the model reads, and nothing else.

import { expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { estimateTokens } from '../../modules/tokens/estimate-tokens.ts';
import { countPromptTokens as countPrompt } from './count-prompt.ts';

const countPromptTokens = (body: JsonObject): number => countPrompt(body, estimateTokens);
const user = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const prose = 'The quick brown fox jumps over the lazy dog. '.repeat(100);

test('a string and a block of text count the same, wherever they stand', () => {
  const base = countPromptTokens(user('x'));
  const asString = countPromptTokens(user(prose));
  expect(asString).toBeGreaterThan(900);
  expect(asString).toBeLessThan(1_300);
  expect(countPromptTokens(user([{ type: 'text', text: prose, cache_control: { type: 'ephemeral' } }]))).toBe(asString);
  expect(countPromptTokens({ ...user('x'), system: prose })).toBeGreaterThan(base + 900);
  expect(countPromptTokens({ ...user('x'), system: [{ type: 'text', text: prose }] })).toBeGreaterThan(base + 900);
  expect(countPromptTokens({ ...user('x'), tools: [{ name: 'f', description: prose }] })).toBeGreaterThan(base + 900);
  const result = [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: prose }] }];
  expect(countPromptTokens(user(result))).toBeGreaterThan(base + 900);
});

test('data of images and files is not counted as text', () => {
  const data = 'A'.repeat(400_000);
  const image = [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }];
  expect(countPromptTokens(user(image))).toBeLessThan(6_000);
  const pdf = [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } }];
  expect(countPromptTokens(user(pdf))).toBeLessThan(40_000);
});

test('the thinking of earlier turns and markers for the cache do not count', () => {
  const thinking = [{ type: 'thinking', thinking: prose, signature: 'x'.repeat(900) }];
  expect(countPromptTokens({ messages: [{ role: 'assistant', content: thinking }] })).toBeLessThan(10);
  const tool = { name: 'f', input_schema: {} };
  const marked = { ...tool, cache_control: { type: 'ephemeral', ttl: '1h' } };
  expect(countPromptTokens({ tools: [marked] })).toBe(countPromptTokens({ tools: [tool] }));
});
