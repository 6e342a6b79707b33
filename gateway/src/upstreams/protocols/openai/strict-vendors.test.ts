// A conversation that was had with other models can go on at a vendor that refuses members it does not know.

import { expect, test } from 'vitest';
import { withKnownMembers } from './strict-vendors.ts';

const ANSWER = {
  role: 'assistant',
  content: 'Yes.',
  refusal: null,
  annotations: [],
  reasoning: 'Hm.',
  reasoning_content: 'Hm.',
  reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
};
const QUESTION = { role: 'user', content: 'Why?', name: 'ann' };

test.each<[string, object]>([
  ['https://api.mistral.ai/v1', { role: 'assistant', content: 'Yes.' }],
  ['https://api.groq.com/openai/v1', { role: 'assistant', content: 'Yes.' }],
  ['https://api.cerebras.ai/v1', { role: 'assistant', content: 'Yes.', reasoning: 'Hm.' }],
])('CHAT-27 %s gets only what it knows', (baseUrl, expected) => {
  expect(withKnownMembers([QUESTION, ANSWER, QUESTION], { baseUrl })).toEqual([QUESTION, expected, QUESTION]);
});

test('messages that such a vendor knows, and all of those of other vendors, are the same list', () => {
  const plain = [QUESTION, { role: 'assistant', content: null, tool_calls: [], prefix: true }, 'odd'];
  expect(withKnownMembers(plain, { baseUrl: 'https://api.mistral.ai/v1' })).toBe(plain);
  const thinking = [QUESTION, ANSWER];
  for (const baseUrl of ['https://api.deepseek.com', 'https://api.mistral.ai.example/v1', 'http://127.0.0.1:8080/v1']) {
    expect(withKnownMembers(thinking, { baseUrl })).toBe(thinking);
  }
  expect(withKnownMembers('odd', { baseUrl: 'https://api.groq.com/openai/v1' })).toBe('odd');
});
