// The conversation is judged by role, and tool results must answer a call that was made.

import { describe, expect, test } from 'vitest';
import { createTally } from './parse-content.ts';
import { parseMessages } from './parse-messages.ts';

const parse = (...messages: unknown[]) => parseMessages(messages, createTally());
const refusal = (code: string, message?: string) =>
  expect.objectContaining(message === undefined ? { code } : { code, message: expect.stringContaining(message) });
const user = { role: 'user', content: 'Hi' };
const calling = (...ids: unknown[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
});
const answer = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: 'done' });

describe('the list', () => {
  test('CHAT-04 missing or empty messages are missing', () => {
    for (const messages of [undefined, null, []]) {
      expect(() => parseMessages(messages, createTally())).toThrow(refusal('missing_required_field', 'messages'));
    }
    expect(() => parseMessages('hello', createTally())).toThrow(refusal('http_400', 'messages must be an array'));
  });

  test('10,000 messages are taken, one more is not', () => {
    expect(parse(...Array(10_000).fill(user))).toBe(10_000);
    expect(() => parse(...Array(10_001).fill(user))).toThrow(refusal('http_400', 'at most 10000'));
  });

  test('a message that is no object is named by its place', () => {
    for (const message of [null, 'x', 1, [user]]) {
      expect(() => parse(user, message)).toThrow(refusal('http_400', 'messages[1] must be an object'));
    }
  });
});

describe('roles', () => {
  test('CHAT-24 CHAT-27 AMB-44 the known roles with content in each form, a partial answer last', () => {
    const parts = [{ type: 'text', text: 'Hi' }];
    const conversation = [
      { role: 'system', content: 'Be kind.', name: 's' },
      { role: 'developer', content: parts },
      { role: 'user', content: parts, name: 'bob' },
      { role: 'user', content: '' },
      { role: 'assistant' },
      { role: 'assistant', content: null, name: 'a' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'No.' },
          { type: 'refusal', refusal: 'I cannot.' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
          { type: 'text', text: 'As written there' },
          { type: 'reference', reference_ids: [0] },
        ],
      },
      { role: 'assistant', content: 'The answer is' },
    ];
    expect(parse(...conversation)).toBe(9);
  });

  test('CHAT-26 any other role is refused', () => {
    for (const role of ['function', 'System', '', 1, null, {}]) {
      expect(() => parse({ role, content: 'x' })).toThrow(refusal('http_400', 'messages[0].role'));
    }
    expect(() => parse({ content: 'x' })).toThrow(refusal('missing_required_field', 'messages[0].role'));
  });

  test('CHAT-24 content of a user is required and has two forms', () => {
    expect(() => parse({ role: 'user' })).toThrow(refusal('missing_required_field', 'messages[0].content'));
    for (const content of [null, 1, {}, true]) {
      expect(() => parse({ role: 'user', content })).toThrow(refusal('http_400', 'messages[0].content must'));
    }
    expect(() => parse({ role: 'assistant', content: 5 })).toThrow(refusal('http_400', 'messages[0].content'));
    expect(() => parse({ role: 'user', content: 'x', name: 5 })).toThrow(refusal('http_400', 'messages[0].name'));
  });

  test('CHAT-28 a refusal is an assistant part only', () => {
    const content = [{ type: 'refusal', refusal: 'I cannot.' }];
    expect(() => parse({ role: 'user', content })).toThrow(refusal('http_400', 'messages[0].content[0].type'));
  });
});

describe('tool calls and their results', () => {
  test('CHAT-25 TOOL-07 a result answers an earlier call, as text or as text parts', () => {
    expect(parse(user, calling('a', 'b'), answer('b'), answer('a'))).toBe(4);
    const parts = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'done' }] };
    expect(parse(user, calling('a'), parts)).toBe(3);
  });

  test('TOOL-07 a missing or unmatched id is malformed', () => {
    for (const id of [undefined, null, '', 7, 'other']) {
      expect(() => parse(user, calling('a'), answer(id))).toThrow(refusal('malformed_tool_messages', 'messages[2]'));
    }
    expect(() => parse(answer('a'), calling('a'))).toThrow(refusal('malformed_tool_messages', 'messages[0]'));
    const claimedByUser = { ...calling('a'), role: 'user', content: 'x' };
    expect(() => parse(claimedByUser, answer('a'))).toThrow(refusal('malformed_tool_messages'));
  });

  test('CHAT-25 the result of a tool is text, or what it has photographed or read', () => {
    for (const content of [null, 1, {}]) {
      const message = { role: 'tool', tool_call_id: 'a', content };
      expect(() => parse(calling('a'), message)).toThrow(refusal('http_400', 'messages[1].content'));
    }
    const image = { type: 'image_url', image_url: { url: 'https://a.test/x.png' } };
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } };
    expect(parse(calling('a'), { ...answer('a'), content: [image, file] })).toBe(2);
    const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
    const heard = { ...answer('a'), content: [sound] };
    expect(() => parse(calling('a'), heard)).toThrow(refusal('http_400', 'messages[1].content[0].type'));
  });

  test('a call of a tool that takes plain text is answered like any other', () => {
    const custom = { id: 'a', type: 'custom', custom: { name: 'patch', input: '' } };
    expect(parse(user, { role: 'assistant', tool_calls: [custom] }, answer('a'))).toBe(3);
  });

  test('TOOL-06 a call of the wrong shape is malformed and named', () => {
    const call = (change: object) => ({
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' }, ...change }],
    });
    const wrong: [object, string][] = [
      [{ id: 5 }, '.id'],
      [{ type: 'other' }, '.type'],
      [{ type: 'custom' }, '.custom '],
      [{ type: 'custom', custom: { input: 'x' } }, '.custom.name'],
      [{ type: 'custom', custom: { name: 'f', input: {} } }, '.custom.input'],
      [{ function: 'f' }, '.function '],
      [{ function: { arguments: '{}' } }, '.function.name'],
      [{ function: { name: 'f', arguments: { city: 'x' } } }, '.function.arguments'],
    ];
    for (const [change, place] of wrong) {
      const path = `messages[1].tool_calls[0]${place}`;
      expect(() => parse(user, call(change))).toThrow(refusal('malformed_tool_messages', path));
    }
    const noList = { role: 'assistant', tool_calls: 'a' };
    expect(() => parse(noList)).toThrow(refusal('malformed_tool_messages', 'messages[0].tool_calls'));
  });
});
