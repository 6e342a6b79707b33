// The count is near what tokenizers say, for prose, code and other scripts, and covers all that a model is shown.

import { expect, test } from 'vitest';
import { countPromptTokens } from './count-prompt.ts';
import { countTextTokens } from './count-text.ts';

// The text, then its count in the vocabularies cl100k and o200k; others lie between or near.
test.each([
  ['The quick brown fox jumps over the lazy dog.', 10, 10],
  ['export function add(left: number, right: number): number {\n  return left + right;\n}\n', 20, 20],
  ['{"id":17,"name":"a","tags":["x","y"],"ok":true}', 19, 20],
  ['Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.', 22, 18],
  ['Съешь же ещё этих мягких французских булок', 28, 12],
  ['敏捷的棕色狐狸跳过了懒狗', 24, 13],
  ['吾輩は猫である。名前はまだ無い。', 21, 14],
  ['يولد جميع الناس أحراراً متساوين في الكرامة والحقوق', 36, 17],
])('%j', (text, older, newer) => {
  const counted = countTextTokens(text);
  expect(counted).toBeGreaterThan(Math.min(older, newer) * 0.85);
  expect(counted).toBeLessThan(Math.max(older, newer) * 1.25);
});

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
