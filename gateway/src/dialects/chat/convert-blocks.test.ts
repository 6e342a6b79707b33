// Blocks of Messages in a chat conversation, as an editor sends them for models of one vendor, are read as what they
// mean; every other conversation stays the same list.

import { expect, test } from 'vitest';
import { normalizeBody } from './normalize-body.ts';
import { parseChatRequest } from './parse-request.ts';

const HELLO = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const READ = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { path: 'a', at: 12345678901234567890n } };
const CALL = {
  id: 'toolu_1',
  type: 'function',
  function: { name: 'Read', arguments: '{"path":"a","at":12345678901234567890}' },
};
const text = (words: string): object => ({ type: 'text', text: words });
const result = (content?: unknown): object => ({ type: 'tool_result', tool_use_id: 'toolu_1', content });
const image = (source: object): object => ({ type: 'image', source });

function normalized(...messages: object[]): unknown {
  const body = { model: 'm/1', messages: [HELLO, ...messages] };
  parseChatRequest(body);
  return (normalizeBody(body).messages as object[]).slice(1);
}

test('ROUTE-19 TOOL-07 calls and results among the content', () => {
  const asked = { role: 'assistant', content: [text('Let me see.'), READ] };
  const told = { role: 'user', content: [result([text('A file.')]), text('And now?')] };
  expect(normalized(asked, told)).toEqual([
    { role: 'assistant', content: [text('Let me see.')], tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'toolu_1', content: [text('A file.')] },
    { role: 'user', content: [text('And now?')] },
  ]);
});

test.each([
  ['a text', 'Done.', 'Done.'],
  ['nothing', undefined, ''],
  ['null', null, ''],
])('ROUTE-19 TOOL-07 a call alone, and its result alone, which is %s', (_is, content, expected) => {
  expect(normalized({ role: 'assistant', content: [READ] }, { role: 'user', content: [result(content)] })).toEqual([
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'toolu_1', content: expected },
  ]);
});

test('ROUTE-19 CHAT-29 pictures, also those of a result', () => {
  const sent = image({ type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' });
  const linked = image({ type: 'url', url: 'https://example.com/a.png' });
  const asked = { role: 'assistant', content: null, tool_calls: [CALL] };
  expect(normalized(asked, { role: 'user', content: [result([text('See:'), sent]), linked] })).toEqual([
    asked,
    {
      role: 'tool',
      tool_call_id: 'toolu_1',
      content: [text('See:'), { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
    },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
  ]);
});

test('ROUTE-19 TOOL-01 TOOL-04 tools with an input schema, and the choice of one', () => {
  const schema = { type: 'object', properties: {} };
  const read = { name: 'Read', description: 'Reads.', input_schema: schema };
  const list = { type: 'custom', name: 'List', input_schema: schema, cache_control: { type: 'ephemeral' } };
  const choice = { type: 'tool', name: 'Read' };
  const body = normalizeBody({ model: 'm/1', messages: [HELLO], tools: [read, list], tool_choice: choice });
  parseChatRequest(body);
  expect(body.tools).toEqual([
    { type: 'function', function: { name: 'Read', description: 'Reads.', parameters: schema } },
    { type: 'function', function: { name: 'List', parameters: schema } },
  ]);
  expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'Read' } });
});

test.each([
  [{ role: 'user', content: [result('No call.')] }, 'malformed_tool_messages'],
  [{ role: 'assistant', content: [{ type: 'tool_use', name: 'Read', input: {} }] }, 'malformed_tool_messages'],
  [{ role: 'assistant', content: [{ ...READ, input: [1] }] }, 'malformed_tool_messages'],
])('TOOL-07 what is wrong in a block is refused as elsewhere: %j', (message, code) => {
  const body = {
    model: 'm/1',
    messages: [HELLO, JSON.parse(JSON.stringify(message, (_, it) => (typeof it === 'bigint' ? 1 : it)))],
  };
  expect(() => parseChatRequest(body)).toThrow(expect.objectContaining({ code }));
});

test('TOOL-07 a result that failed is known as such', () => {
  const messages = [HELLO, { role: 'assistant', content: [READ] }];
  const told = { role: 'user', content: [{ ...result('No such file.'), is_error: true }] };
  const request = parseChatRequest({ model: 'm/1', messages: [...messages, told] });
  const content = [{ type: 'text', text: 'No such file.' }];
  expect(request.toConversation().messages.at(-1)).toEqual({
    role: 'tool',
    parts: [{ type: 'tool-result', callId: 'toolu_1', isError: true, content }],
  });
  const worked = { role: 'user', content: [{ ...result('A file.'), is_error: false }] };
  expect(normalized(messages[1] as object, worked)).toEqual([
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'toolu_1', content: 'A file.' },
  ]);
});

test('an ordinary conversation is the same list', () => {
  const messages = [HELLO, { role: 'assistant', content: 'Hi.' }, { role: 'user', content: [text('tool_use')] }];
  expect(normalizeBody({ model: 'm/1', messages }).messages).toBe(messages);
});
