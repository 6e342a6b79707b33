// A body in the form of Responses means the same after its conversion to chat.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { convertResponsesBody } from './convert-responses-body.ts';

const fixture = JSON.parse(
  readFileSync(new URL('./__fixtures__/responses-shaped-request.json', import.meta.url), 'utf8'),
);
const refusal = (code: string, message: string) =>
  expect.objectContaining({ code, message: expect.stringContaining(message) });

test('ROUTE-19 a string becomes a user message', () => {
  expect(convertResponsesBody({ model: 'm/1', input: 'Hi', max_output_tokens: 5 })).toEqual({
    model: 'm/1',
    messages: [{ role: 'user', content: 'Hi' }],
    max_tokens: 5,
  });
});

test('ROUTE-19 items become messages, calls made together one message', () => {
  const call = (id: string, text: string) => ({ id, type: 'function', function: { name: 'look', arguments: text } });
  expect(convertResponsesBody(fixture).messages).toEqual([
    { role: 'system', content: 'Answer briefly.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What is in the picture?' },
        { type: 'image_url', image_url: { url: 'https://example.test/a.png', detail: 'low' } },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'Let me look.' }],
      tool_calls: [call('call_a', '{}'), call('call_b', '{"closer":true}')],
    },
    { role: 'tool', tool_call_id: 'call_a', content: 'a cat' },
    { role: 'tool', tool_call_id: 'call_b', content: [{ type: 'text', text: 'a black cat' }] },
    { role: 'developer', content: 'Be sure.' },
  ]);
});

test('ROUTE-19 the form of the answer and its length keep their meaning', () => {
  const chat = convertResponsesBody(fixture);
  expect(chat.response_format).toEqual({
    type: 'json_schema',
    json_schema: { name: 'answer', strict: true, schema: { type: 'object' } },
  });
  expect(chat.verbosity).toBe('low');
  expect(chat.max_tokens).toBe(900);
  expect(convertResponsesBody({ input: 'x', max_tokens: 3, max_output_tokens: 5 }).max_tokens).toBe(3);
  expect(convertResponsesBody({ input: 'x', text: { format: { type: 'text' } } }).response_format).toEqual({
    type: 'text',
  });
});

test('tools that a chat model cannot be offered are dropped, hosted ones are left to be refused by name', () => {
  const chat = convertResponsesBody({ ...fixture, tools: [...fixture.tools, { type: 'file_search' }] });
  expect(chat.tools).toEqual([fixture.tools[0], { type: 'file_search' }]);
});

test('ROUTE-19 tools that take plain text are kept, with their calls and their results', () => {
  const tools = [{ type: 'custom', name: 'patch' }];
  const input = [
    { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '+ a' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'Done.' },
  ];
  expect(convertResponsesBody({ input, tools })).toEqual({
    tools,
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'patch', input: '+ a' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'Done.' },
    ],
  });
});

test('a file block becomes a file part', () => {
  const block = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' };
  const chat = convertResponsesBody({ input: [{ role: 'user', content: [block] }] });
  const file = { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' };
  expect(chat.messages).toEqual([{ role: 'user', content: [{ type: 'file', file }] }]);
});

test('a reference to a stored item is refused, never dropped', () => {
  const body = { input: [{ type: 'item_reference', id: 'msg_1' }] };
  expect(() => convertResponsesBody(body)).toThrow(refusal('invalid_prompt', 'store:false'));
});

test('what is no input is refused by name', () => {
  expect(() => convertResponsesBody({ input: 5 })).toThrow(refusal('http_400', 'input must'));
  expect(() => convertResponsesBody({ input: ['x'] })).toThrow(refusal('http_400', 'input[0]'));
  expect(() => convertResponsesBody({ input: [{ type: 'dance' }] })).toThrow(refusal('http_400', 'input[0].type'));
  expect(() => convertResponsesBody({ input: 'x', instructions: 5 })).toThrow(refusal('http_400', 'instructions'));
  expect(() => convertResponsesBody({ input: Array(10_001).fill({ role: 'user', content: 'x' }) })).toThrow(
    refusal('http_400', 'at most 10000'),
  );
});
