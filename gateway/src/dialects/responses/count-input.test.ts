// An input is counted as the model reads it: texts, calls and their results, and no thinking.

import { expect, test } from 'vitest';
import { estimateTokens } from '../../modules/tokens/estimate-tokens.ts';
import { countInputTokens } from './count-input.ts';

const words = (count: number): string => 'word '.repeat(count);
const count = (input: unknown, others: object = {}): number => countInputTokens({ input, ...others }, estimateTokens);
const hello = { role: 'user', content: 'Hi' };

test('RESP-02 a text and the same text as an item count the same, and instructions and tools count too', () => {
  const plain = count(words(100));
  expect(plain).toBeGreaterThan(90);
  expect(count([{ role: 'user', content: [{ type: 'input_text', text: words(100) }] }])).toBe(plain);
  expect(count(words(100), { instructions: words(100) })).toBeGreaterThan(plain + 90);
  expect(count(words(100), { tools: [{ type: 'function', name: 'look', description: words(100) }] })).toBeGreaterThan(
    plain + 90,
  );
});

test.each([
  ['arguments of a call', { type: 'function_call', call_id: 'c', name: 'f', arguments: words(100) }],
  ['the input of a custom tool', { type: 'custom_tool_call', call_id: 'c', name: 'f', input: words(100) }],
  ['a result', { type: 'function_call_output', call_id: 'c', output: words(100) }],
  ['a result in parts', { type: 'function_call_output', output: [{ type: 'input_text', text: words(100) }] }],
  ['a refusal', { role: 'assistant', content: [{ type: 'refusal', refusal: words(100) }] }],
])('RESP-03 %s', (_what, item) => {
  expect(count([hello, item])).toBeGreaterThan(count([hello]) + 90);
});

test('pictures and files count, and thinking does not', () => {
  const data = `data:application/pdf;base64,${'A'.repeat(40_000)}`;
  const parts = [
    { type: 'input_image', image_url: 'https://example.com/a.png' },
    { type: 'input_file', filename: 'a.pdf', file_data: data },
  ];
  for (const part of parts) expect(count([{ role: 'user', content: [part] }])).toBeGreaterThan(1_000);
  const thought = { type: 'reasoning', summary: [], encrypted_content: words(1_000) };
  expect(count([hello, thought])).toBeLessThan(count([hello]) + 10);
});
