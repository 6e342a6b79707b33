// A chat body that is translated for another vendor's protocol: every member with a counterpart elsewhere arrives.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../test/translation/deep-freeze.ts';
import type { Conversation, Message } from '../../canonical/conversation.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { parseChatRequest } from './parse-request.ts';

const HELLO = { role: 'user', content: 'Hi' };

function convert(body: JsonObject): Conversation {
  const request = parseChatRequest(deepFreeze({ model: 'acme/one', messages: [HELLO], ...body }));
  expect(request.format).toBe('chat');
  return request.toConversation();
}

const messagesOf = (...messages: object[]): readonly Message[] => convert({ messages }).messages;

/** An assistant message with a call, for a tool message to answer. */
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{"a": 1}' } })),
});
const MARK = { type: 'ephemeral', ttl: '1h' };

test('CHAT-22 a plain request asks for nothing besides', () => {
  expect(convert({})).toEqual({
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
    tools: [],
    sampling: {},
  });
});

test('the body of a coding agent', () => {
  const body = JSON.parse(readFileSync(new URL('__fixtures__/coding-agent-request.json', import.meta.url), 'utf8'));
  const conversation = parseChatRequest(deepFreeze(body)).toConversation();
  const roles = ['system', 'system', 'user', 'user', 'assistant', 'tool', 'assistant', 'user'];
  expect(conversation.messages.map(({ role }) => role)).toEqual(roles);
  expect(conversation.tools.map(({ name }) => name)).toEqual(
    body.tools.map((tool: { name?: string; function?: { name: string } }) => tool.function?.name ?? tool.name),
  );
});

describe('messages', () => {
  test('CHAT-24 CHAT-26 roles, names and strings', () => {
    expect(
      messagesOf(
        { role: 'system', content: 'a', name: 'boss' },
        { role: 'developer', content: [{ type: 'text', text: 'b' }] },
        { ...HELLO, name: 'ann' },
        { role: 'assistant', content: 'c' },
      ),
    ).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'a' }], name: 'boss' },
      { role: 'system', parts: [{ type: 'text', text: 'b' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }], name: 'ann' },
      { role: 'assistant', parts: [{ type: 'text', text: 'c' }] },
    ]);
  });

  test('CHAT-29 CHAT-30 CHAT-31 CHAT-32 parts of every kind', () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } },
      { type: 'image_url', image_url: { url: 'data:image/PNG;base64,iVBO' } },
      { type: 'file', file: { filename: 'x.pdf', file_data: 'data:application/pdf;name=x;base64,JVBERi0' } },
      { type: 'file', file: { file_data: 'data:;base64,JVBERi0' } },
      { type: 'file', file: { file_data: 'data:;base64,AAAA' } },
      { type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } },
      { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
    ];
    const base64 = (mediaType: string, data: string) => ({ kind: 'base64', mediaType, data });
    expect(messagesOf({ role: 'user', content })[0]?.parts).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' }, detail: 'high' },
      { type: 'image', source: base64('image/png', 'iVBO') },
      { type: 'file', source: base64('application/pdf', 'JVBERi0'), filename: 'x.pdf' },
      { type: 'file', source: base64('application/pdf', 'JVBERi0') },
      { type: 'file', source: base64('application/octet-stream', 'AAAA') },
      { type: 'audio', data: 'UklG', format: 'wav' },
      { type: 'video', source: base64('video/mp4', 'AAAA') },
    ]);
  });

  test('CHAT-29 a picture or a file in the result of a tool stays there', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.test/x.png' } };
    const file = { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } };
    const [, tool] = messagesOf(calling('1'), { role: 'tool', tool_call_id: '1', content: [image, file] });
    expect(tool?.parts).toMatchObject([
      {
        type: 'tool-result',
        content: [
          { type: 'image', source: { kind: 'url', url: 'https://a.test/x.png' } },
          { type: 'file', filename: 'a.pdf' },
        ],
      },
    ]);
  });

  test('CHAT-40 markers stay where they were set', () => {
    const marked = { type: 'text', text: 'a', cache_control: MARK };
    const [system, user, , tool] = messagesOf(
      { role: 'system', content: 'a', cache_control: MARK },
      { role: 'user', content: [marked, { type: 'text', text: 'b' }], cache_control: { type: 'other' } },
      calling('1'),
      { role: 'tool', tool_call_id: '1', content: [marked], cache_control: { type: 'other' } },
    );
    expect(system?.parts).toEqual([{ type: 'text', text: 'a', cacheControl: MARK }]);
    expect(user?.parts).toEqual([
      { type: 'text', text: 'a', cacheControl: MARK },
      { type: 'text', text: 'b', cacheControl: { type: 'other' } },
    ]);
    expect(tool?.parts).toEqual([
      {
        type: 'tool-result',
        callId: '1',
        isError: false,
        cacheControl: { type: 'other' },
        content: [{ type: 'text', text: 'a', cacheControl: MARK }],
      },
    ]);
    const tools = [{ type: 'function', cache_control: MARK, function: { name: 'f' } }];
    expect(convert({ tools }).tools[0]?.cacheControl).toEqual(MARK);
  });

  test('an image among the instructions is the user’s', () => {
    const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } };
    expect(messagesOf({ role: 'system', content: [{ type: 'text', text: 'a' }, image] })).toEqual([
      { role: 'system', parts: [{ type: 'text', text: 'a' }] },
      { role: 'user', parts: [{ type: 'image', source: { kind: 'url', url: 'https://a.example/b.png' } }] },
    ]);
  });

  test('TOOL-07 calls to the byte, and results of one turn together', () => {
    expect(
      messagesOf(
        HELLO,
        { ...calling('1', '2'), content: '' },
        { role: 'tool', tool_call_id: '2', content: 'two' },
        { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: 'one' }] },
        calling('3'),
        { role: 'tool', tool_call_id: '3', content: '' },
      ).slice(1),
    ).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'tool-call', id: '1', name: 'f', argumentsText: '{"a": 1}' },
          { type: 'tool-call', id: '2', name: 'f', argumentsText: '{"a": 1}' },
        ],
      },
      {
        role: 'tool',
        parts: [
          { type: 'tool-result', callId: '2', isError: false, content: [{ type: 'text', text: 'two' }] },
          { type: 'tool-result', callId: '1', isError: false, content: [{ type: 'text', text: 'one' }] },
        ],
      },
      { role: 'assistant', parts: [{ type: 'tool-call', id: '3', name: 'f', argumentsText: '{"a": 1}' }] },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: '3', isError: false, content: [{ type: 'text', text: '' }] }],
      },
    ]);
  });

  test('a refusal comes back as what the assistant said', () => {
    const refusal = [{ type: 'text', text: 'No.' }];
    const part = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] };
    expect(messagesOf(HELLO, part)[1]?.parts).toEqual(refusal);
    expect(messagesOf(HELLO, { role: 'assistant', content: null, refusal: 'No.' })[1]?.parts).toEqual(refusal);
  });

  test('CHAT-15 the request’s own audio is what the user says last', () => {
    const { messages } = convert({ input_audio: { data: 'UklG', format: 'wav' } });
    expect(messages.at(-1)).toEqual({ role: 'user', parts: [{ type: 'audio', data: 'UklG', format: 'wav' }] });
  });
});

describe('thinking that comes back', () => {
  const thoughtsOf = (members: object) =>
    messagesOf(HELLO, { role: 'assistant', content: 'x', ...members })[1]?.parts.slice(0, -1);

  test('signed and redacted, in order', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'one', signature: 's1', format: 'anthropic-claude-v1', index: 0 },
      { type: 'reasoning.encrypted', data: 'r', format: 'anthropic-claude-v1', index: 1 },
      { type: 'reasoning.text', text: 'two', signature: 's2', index: 2 },
    ];
    expect(thoughtsOf({ reasoning: 'onetwo', reasoning_details })).toEqual([
      { type: 'reasoning', text: 'one', signature: 's1' },
      { type: 'reasoning', text: '', redactedData: 'r' },
      { type: 'reasoning', text: 'two', signature: 's2' },
    ]);
  });

  test('in the pieces in which it was streamed', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'o', index: 0 },
      { type: 'reasoning.text', text: 'ne', index: 0 },
      { type: 'reasoning.text', text: '', signature: 's1', index: 0 },
      { type: 'reasoning.text', text: 'two', index: 1 },
      { type: 'reasoning.text', signature: 's2', index: 1 },
    ];
    expect(thoughtsOf({ reasoning_details })).toEqual([
      { type: 'reasoning', text: 'one', signature: 's1' },
      { type: 'reasoning', text: 'two', signature: 's2' },
    ]);
  });

  test('a signature whose text was kept beside it', () => {
    const reasoning_details = [{ type: 'reasoning.text', signature: 's1', index: 0 }];
    expect(thoughtsOf({ reasoning: 'one', reasoning_details })).toEqual([
      { type: 'reasoning', text: 'one', signature: 's1' },
    ]);
  });

  test('an item with its encrypted content', () => {
    const item = { id: 'rs_1', format: 'openai-responses-v1', index: 0 };
    const reasoning_details = [
      { type: 'reasoning.summary', summary: 'short', ...item },
      { type: 'reasoning.encrypted', data: 'e', ...item },
    ];
    expect(thoughtsOf({ reasoning_details })).toEqual([
      { type: 'reasoning', text: 'short', itemId: 'rs_1', encryptedContent: 'e' },
    ]);
  });

  test.each([
    [{ reasoning: 'a' }, 'a'],
    [{ reasoning_content: 'b' }, 'b'],
    [{ reasoning: 'a', reasoning_details: [] }, 'a'],
    [{ reasoning: 'a', reasoning_details: [{ type: 'reasoning.new' }, 7] }, 'a'],
  ])('as text alone: %j', (members, text) => {
    expect(thoughtsOf(members)).toEqual([{ type: 'reasoning', text }]);
  });

  test.each([{}, { reasoning: null }, { reasoning_details: 'x' }, { reasoning: 7 }])('none: %j', (members) => {
    expect(thoughtsOf(members)).toEqual([]);
  });
});

test('TOOL-01 TOOL-04 TOOL-09 tools, flat or not, and the choice among them', () => {
  const parameters = { type: 'object', properties: { a: { type: 'string' } } };
  const tools = [
    { type: 'function', function: { name: 'f', description: 'does', parameters, strict: true } },
    { type: 'function', name: 'g' },
  ];
  const choice = { type: 'function', function: { name: 'g' } };
  expect(convert({ tools, tool_choice: choice, parallel_tool_calls: false })).toMatchObject({
    tools: [
      { name: 'f', description: 'does', parameters, strict: true },
      { name: 'g', parameters: { type: 'object', properties: {} } },
    ],
    toolChoice: { name: 'g' },
    isParallelToolCalls: false,
  });
  expect(convert({ tools, tool_choice: 'required' }).toolChoice).toBe('required');
});

test('TOOL-10 TOOL-11 TOOL-12 the form of the answer', () => {
  const formOf = (response_format: object) => convert({ response_format }).responseFormat;
  expect(formOf({ type: 'text' })).toEqual({ type: 'text' });
  expect(formOf({ type: 'json_object' })).toEqual({ type: 'json-object' });
  const definition = { name: 'n', schema: { type: 'object' }, strict: true, description: 'd' };
  expect(formOf({ type: 'json_schema', json_schema: definition })).toEqual({ type: 'json-schema', ...definition });
});

test.each([
  [{ reasoning_effort: 'low' }, { effort: 'low' }],
  [{ reasoning_effort: 'low', reasoning: { effort: 'brand-new' } }, { effort: 'brand-new' }],
  [{ reasoning: { max_tokens: 0 } }, { tokensMax: 0 }],
  [{ reasoning: { effort: 'none' }, thinking: { type: 'enabled' } }, { isEnabled: false }],
  [{ reasoning: { enabled: true } }, { isEnabled: true }],
  [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { isEnabled: true, tokensMax: 2000 }],
  [{ thinking: { type: 'disabled' } }, { isEnabled: false }],
  [{ enable_thinking: false }, { isEnabled: false }],
  [{ reasoning: { exclude: true } }, undefined],
])('CHAT-16 CHAT-18 %j', (body, reasoning) => {
  expect(convert(body).reasoning).toEqual(reasoning);
});

test('CHAT-07 CHAT-09 CHAT-10 limits and sampling', () => {
  const body = { temperature: 0, top_p: 0.5, top_k: 3, frequency_penalty: 0, presence_penalty: -1, seed: 0, stop: 'x' };
  const conversation = convert({ ...body, max_tokens: 5, max_completion_tokens: 9, user: 'u' });
  expect(conversation).toMatchObject({ outputTokensMax: 9, endUserId: 'u' });
  expect(conversation.sampling).toEqual({
    temperature: 0,
    topP: 0.5,
    topK: 3,
    frequencyPenalty: 0,
    presencePenalty: -1,
    seed: 0,
    stop: ['x'],
  });
  expect(convert({ max_tokens: 5 }).outputTokensMax).toBe(5);
  expect(convert({ top_k: 0, stop: [], seed: 2n ** 62n }).sampling).toEqual({});
  expect(convert({ stop: ['a', 'b'] }).sampling.stop).toEqual(['a', 'b']);
});
