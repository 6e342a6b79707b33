// A conversation that was had with other models can go on at a vendor that refuses members it does not know.

import { expect, test } from 'vitest';
import { fitMessages } from './fit-messages.ts';
import { fieldsRefusedAt } from './vendors.ts';

const at = (baseUrl: string, upstreamModel = 'm') => ({ provider: { baseUrl }, upstreamModel });

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

test.each<[string, string, object]>([
  ['https://api.mistral.ai/v1', 'm', { role: 'assistant', content: 'Yes.' }],
  ['https://api.groq.com/openai/v1', 'llama-4', { role: 'assistant', content: 'Yes.' }],
  ['https://api.groq.com/openai/v1', 'openai/gpt-oss-120b', { role: 'assistant', content: 'Yes.', reasoning: 'Hm.' }],
  ['https://api.cerebras.ai/v1', 'm', { role: 'assistant', content: 'Yes.', reasoning: 'Hm.' }],
])('%s with %s gets only what it knows', (baseUrl, upstreamModel, expected) => {
  const fitted = fitMessages([QUESTION, ANSWER, QUESTION], at(baseUrl, upstreamModel));
  expect(fitted).toEqual([QUESTION, expected, QUESTION]);
});

test('messages that such a vendor knows, and all of those of other vendors, are the same list', () => {
  const plain = [QUESTION, { role: 'assistant', content: null, tool_calls: [], prefix: true }, 'odd'];
  expect(fitMessages(plain, at('https://api.mistral.ai/v1'))).toBe(plain);
  const thinking = [QUESTION, ANSWER];
  for (const baseUrl of ['https://api.deepseek.com', 'https://api.mistral.ai.example/v1', 'http://127.0.0.1:8080/v1']) {
    expect(fitMessages(thinking, at(baseUrl))).toBe(thinking);
  }
  expect(fitMessages('odd', at('https://api.groq.com/openai/v1'))).toBe('odd');
});

const calling = (id: unknown): object => ({ role: 'assistant', content: null, tool_calls: [{ id, type: 'function' }] });
const result = (id: unknown): object => ({ role: 'tool', tool_call_id: id, content: 'ok' });

test.each<[string, string, RegExp]>([
  ['https://api.mistral.ai/v1', 'toolu_01VpEm654HvfMoRcrE3Hgdc6', /^[a-z0-9]{9}$/],
  ['https://api.openai.com/v1', 'a'.repeat(64), /^[a-z0-9]{40}$/],
  ['https://acme.openai.azure.com/openai/v1', 'a'.repeat(41), /^[a-z0-9]{40}$/],
])('at %s the id of a call becomes one that is taken, in its result as well', (baseUrl, id, expected) => {
  const [call, answer] = fitMessages([calling(id), result(id)], at(baseUrl)) as [
    { tool_calls: [{ id: string }] },
    { tool_call_id: string },
  ];
  expect(call.tool_calls[0].id).toMatch(expected);
  expect(answer.tool_call_id).toBe(call.tool_calls[0].id);
});

test('ids that a vendor takes stay, and so does what is no text', () => {
  const own = [calling('D681PevKs'), result('D681PevKs'), calling(7), result(null)];
  expect(fitMessages(own, at('https://api.mistral.ai/v1'))).toBe(own);
  const kimi = [calling('functions.bash:0'), result('functions.bash:0')];
  for (const baseUrl of ['https://api.moonshot.ai/v1', 'https://api.openai.com/v1', 'https://api.groq.com/openai/v1']) {
    expect(fitMessages(kimi, at(baseUrl))).toBe(kimi);
  }
});

test('a vendor that refuses what it does not know gets texts as one text, and no markers', () => {
  const groq = at('https://api.groq.com/openai/v1');
  const marked = (text: string): object => ({ type: 'text', text, cache_control: { type: 'ephemeral' } });
  const picture = { type: 'image_url', image_url: { url: 'https://a.test/x.png' } };
  const said = (content: unknown): object[] => [{ role: 'system', content }];
  expect(fitMessages(said([marked('a'), marked('b')]), groq)).toEqual(said('a\n\nb'));
  expect(fitMessages(said([marked('a'), picture]), groq)).toEqual(said([{ type: 'text', text: 'a' }, picture]));
  const plain = said([{ type: 'text', text: 'a' }, picture]);
  expect(fitMessages(plain, groq)).toBe(plain);
  const elsewhere = said([marked('a')]);
  expect(fitMessages(elsewhere, at('https://api.openai.com/v1'))).toBe(elsewhere);
});

test('where the sides must take turns, what one of them says in a row is one message', () => {
  const perplexity = at('https://api.perplexity.ai');
  const user = (content: unknown): object => ({ role: 'user', content });
  const system = { role: 'system', content: 's' };
  const picture = { type: 'image_url', image_url: { url: 'https://a.test/x.png' } };
  const messages = [system, system, user('a'), user('b'), ANSWER, user('c'), user([picture]), user('d')];
  expect(fitMessages(messages, perplexity)).toEqual([
    system,
    system,
    user('a\n\nb'),
    ANSWER,
    user([{ type: 'text', text: 'c' }, picture, { type: 'text', text: 'd' }]),
  ]);
  const turns = [system, user('a'), ANSWER, user('b')];
  expect(fitMessages(turns, perplexity)).toBe(turns);
  expect(fitMessages(messages, at('https://api.example.com'))).toBe(messages);
});

test('a model whose sampling is fixed is not told how to sample', () => {
  expect(fieldsRefusedAt(at('https://api.moonshot.ai/v1', 'kimi-k2.6'))).toContain('temperature');
  expect(fieldsRefusedAt(at('https://api.moonshot.ai/v1', 'kimi-k2-0905-preview'))).toEqual([]);
  expect(fieldsRefusedAt(at('https://api.example.com/v1', 'kimi-k2.6'))).toEqual([]);
});
