// Everything that can be said to another vendor's model survives the translation into the vendor-neutral form, and the
// order stays.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { sealReasoning } from './sealed-reasoning.ts';

const agentBody: JsonObject = JSON.parse(
  readFileSync(new URL('./__fixtures__/coding-agent-request.json', import.meta.url), 'utf8'),
);
const messages = [{ role: 'user', content: 'Say hello.' }];
const ephemeral = { type: 'ephemeral' };
const convert = (body: JsonObject) =>
  parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages, ...body }).toConversation();
const partsOf = (...content: unknown[]) => convert({ messages: [{ role: 'user', content }] }).messages[0]?.parts;

test('MSGS-06 CHAT-40 a coding agent’s request, message by message', () => {
  expect(convert(agentBody).messages).toEqual([
    {
      role: 'system',
      parts: [
        { type: 'text', text: 'You are a coding agent.', cacheControl: ephemeral },
        { type: 'text', text: 'Work in small steps.', cacheControl: { type: 'ephemeral', ttl: '1h' } },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: 'Fix the failing test.' }] },
    { role: 'system', parts: [{ type: 'text', text: '# Environment', cacheControl: ephemeral }] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'First I look.', signature: 'EqQBCkYIBRgCKkA=' },
        { type: 'reasoning', text: '', redactedData: 'EmwKAhgBEgy3va3pzix=' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', id: 'toolu_a', name: 'Read', argumentsText: '{"path":"a.ts"}' },
        { type: 'tool-call', id: 'toolu_b', name: 'Bash', argumentsText: '{}' },
      ],
    },
    {
      role: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId: 'toolu_a',
          content: [{ type: 'text', text: 'export {};' }],
          isError: false,
        },
        {
          type: 'tool-result',
          callId: 'toolu_b',
          content: [
            { type: 'text', text: '1 failed' },
            { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'text', text: 'The tool mcp__files__Edit is available.' },
          ],
          isError: true,
          cacheControl: ephemeral,
        },
      ],
    },
    { role: 'user', parts: [{ type: 'text', text: '<system-reminder>Be brief.</system-reminder>' }] },
  ]);
});

test('MSGS-06 the caller’s own tools are offered, a vendor’s are left out', () => {
  const conversation = convert(agentBody);
  expect(conversation.tools).toEqual([
    {
      name: 'Read',
      description: 'Reads a file',
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
    {
      name: 'Bash',
      description: 'Runs a command',
      parameters: { type: 'object', properties: {} },
      cacheControl: ephemeral,
    },
    { name: 'mcp__files__Edit', parameters: { type: 'object' } },
  ]);
  expect(conversation).toMatchObject({ toolChoice: 'auto', isParallelToolCalls: false });
});

test('settings keep their meaning', () => {
  expect(convert(agentBody)).toMatchObject({
    reasoning: { effort: 'xhigh', isEnabled: true },
    sampling: { temperature: 1 },
    outputTokensMax: 128_000,
    endUserId: '{"device_id":"4f1c","account_uuid":"","session_id":"a1b2"}',
  });
  expect(convert({ thinking: { type: 'enabled', budget_tokens: 2048 } }).reasoning).toEqual({
    tokensMax: 2048,
    isEnabled: true,
  });
  expect(convert({ thinking: { type: 'disabled' } }).reasoning).toEqual({ isEnabled: false });
  expect(convert({ output_config: { effort: 'low' } }).reasoning).toEqual({ effort: 'low' });
  expect(convert({}).reasoning).toBeUndefined();
  expect(convert({ temperature: 0, top_p: 0.5, top_k: 3, stop_sequences: ['END'] }).sampling).toEqual({
    temperature: 0,
    topP: 0.5,
    topK: 3,
    stop: ['END'],
  });
});

test('a schema for the answer, by its newer name and its older one', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const expected = { type: 'json-schema', name: 'response', schema: { type: 'object' } };
  expect(convert({ output_config: { format } }).responseFormat).toEqual(expected);
  expect(convert({ output_format: format }).responseFormat).toEqual(expected);
});

test('which tool must be used', () => {
  const tools = [{ name: 'f' }, { type: 'web_search_20250305', name: 'web_search' }];
  const choice = (tool_choice: object) => convert({ tools, tool_choice }).toolChoice;
  expect(choice({ type: 'any' })).toBe('required');
  expect(choice({ type: 'none' })).toBe('none');
  expect(choice({ type: 'tool', name: 'f' })).toEqual({ name: 'f' });
  expect(choice({ type: 'tool', name: 'web_search' })).toBeUndefined();
  expect(convert({ tools: [tools[1]], tool_choice: { type: 'any' } }).toolChoice).toBeUndefined();
});

test('text between results keeps its place', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id });
  const content = [result('a'), { type: 'text', text: 'and' }, result('b')];
  const body = {
    messages: [...messages, { role: 'assistant', content: [use('a'), use('b')] }, { role: 'user', content }],
  };
  expect(convert(body).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'tool']);
});

test('numbers that a double cannot hold arrive as they were sent', () => {
  const content = [{ type: 'tool_use', id: 'a', name: 'f', input: { n: 12345678901234567890n } }];
  const { messages: converted } = convert({ messages: [{ role: 'assistant', content }] });
  expect(converted[0]?.parts).toMatchObject([{ argumentsText: '{"n":12345678901234567890}' }]);
});

test('documents: files stay files, text becomes text', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
  expect(
    partsOf({ type: 'document', source: pdf, title: 'a.pdf', context: 'Draft', cache_control: ephemeral }),
  ).toEqual([
    { type: 'text', text: 'Draft' },
    {
      type: 'file',
      source: { kind: 'base64', mediaType: 'application/pdf', data: 'JVBERi0=' },
      filename: 'a.pdf',
      cacheControl: ephemeral,
    },
  ]);
  expect(partsOf({ type: 'document', source: { type: 'url', url: 'https://a.test/a.pdf' } })).toEqual([
    { type: 'file', source: { kind: 'url', url: 'https://a.test/a.pdf' } },
  ]);
  const plain = { type: 'text', media_type: 'text/plain', data: 'Once.' };
  expect(partsOf({ type: 'document', source: plain, title: 'Tale', cache_control: ephemeral })).toEqual([
    { type: 'text', text: 'Tale' },
    { type: 'text', text: 'Once.', cacheControl: ephemeral },
  ]);
  const found = { type: 'search_result', source: 'https://a.test', title: 'A', content: [{ type: 'text', text: 'b' }] };
  expect(partsOf(found)).toEqual([
    { type: 'text', text: 'A\nhttps://a.test' },
    { type: 'text', text: 'b' },
  ]);
});

test('reasoning that another vendor sealed comes back as it left, and an upstream of this dialect never sees it', () => {
  const sealed = { itemId: 'rs_1', encryptedContent: 'gAAAAé' };
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: sealReasoning(sealed) },
    { type: 'thinking', thinking: 'Unsigned.', signature: sealReasoning({}) },
    { type: 'thinking', thinking: 'Signed.', signature: 'EqQB' },
    { type: 'thinking', thinking: 'Never signed.', signature: '' },
    { type: 'text', text: '' },
    { type: 'text', text: 'Yes.' },
  ];
  const request = parseMessagesRequest({
    model: 'a/b',
    max_tokens: 9,
    messages: [
      ...messages,
      { role: 'assistant', content },
      { role: 'assistant', content: content.slice(0, 2) },
      { role: 'user', content: [{ type: 'text', text: '' }] },
    ],
  });
  expect(request.toConversation().messages[1]).toEqual({
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'Hm.', ...sealed },
      { type: 'reasoning', text: 'Unsigned.' },
      { type: 'reasoning', text: 'Signed.', signature: 'EqQB' },
      { type: 'reasoning', text: 'Never signed.' },
      { type: 'text', text: 'Yes.' },
    ],
  });
  expect(request.body.messages).toEqual([
    ...messages,
    { role: 'assistant', content: [content[2], content[3], content[5]] },
    { role: 'user', content: [{ type: 'text', text: '' }] },
  ]);
});

test('a seal that has been tampered with holds nothing', () => {
  const broken = `${sealReasoning({ encryptedContent: 'x' })}!!`.slice(0, 14);
  const content = [{ type: 'thinking', thinking: 'Hm.', signature: broken }];
  expect(convert({ messages: [{ role: 'assistant', content }] }).messages).toEqual([
    { role: 'assistant', parts: [{ type: 'reasoning', text: 'Hm.' }] },
  ]);
});

describe('a conversation that the provider has summarized', () => {
  const summary = (content: string | null) => ({ type: 'compaction', content, signature: 'c2lnbmVk' });
  const said = (...content: unknown[]) => ({ role: 'assistant', content });
  const user = (content: string) => ({ role: 'user', content });
  const call = { type: 'tool_use', id: 't1', name: 'tide', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'high' }] };
  const old = [user('Old. '.repeat(2_000)), said({ type: 'text', text: 'Older.' }, summary('An earlier summary.'))];
  const history = [
    ...old,
    user('Next.'),
    said({ type: 'text', text: 'x' }, summary('They spoke of tides.'), call),
    result,
  ];

  test('MSGS-06 goes on from its last summary, for the provider that made it and for every other', () => {
    const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: history });
    expect(request.body.messages).toEqual([said(summary('They spoke of tides.'), call), result]);
    expect(request.promptTokensEstimate).toBeLessThan(500);
    expect(request.toConversation().messages).toEqual([
      { role: 'user', parts: [{ type: 'text', text: 'They spoke of tides.' }] },
      { role: 'assistant', parts: [{ type: 'tool-call', id: 't1', name: 'tide', argumentsText: '{}' }] },
      expect.objectContaining({ role: 'tool' }),
    ]);
  });

  test('MSGS-06 a summary alone, as it comes back when one was asked for', () => {
    const alone = [said(summary('They spoke of tides.')), user('And now?')];
    const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: alone });
    expect(request.body.messages).toBe(alone);
    expect(request.toConversation().messages.map(({ role }) => role)).toEqual(['user', 'user']);
  });

  test('MSGS-06 a summary that failed is none', () => {
    const failed = [user('Hi.'), said(summary(null), { type: 'text', text: 'Hello.' }), user('And now?')];
    const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: failed });
    expect(request.body.messages).toBe(failed);
    expect(request.toConversation().messages).toHaveLength(3);
  });

  test('ERR-31 a summary can be asked of a provider of the same format only', () => {
    const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages, compaction: { type: 'summarize' } });
    expect(request.body.compaction).toEqual({ type: 'summarize' });
    expect(() => request.toConversation()).toThrow('compaction is not supported');
  });
});
