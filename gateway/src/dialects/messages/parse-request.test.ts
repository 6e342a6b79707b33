// A Messages body becomes a canonical request or a refusal that names the field. What coding agents send passes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { parseCountedRequest, parseMessagesRequest } from './parse-request.ts';

const agentBody: JsonObject = JSON.parse(
  readFileSync(new URL('./__fixtures__/coding-agent-request.json', import.meta.url), 'utf8'),
);
const messages = [{ role: 'user', content: 'Say hello.' }];
const minimal = { model: 'acme/coder-1', max_tokens: 100, messages };
const refusal = (code: ErrorCode, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });
const user = (...content: unknown[]) => ({ ...minimal, messages: [{ role: 'user', content }] });
const base64 = (data: string, media_type = 'image/png') => ({ type: 'base64', media_type, data });

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

test('MSGS-02 the smallest request, passed on as it is', () => {
  const request = parseMessagesRequest(minimal);
  expect(request).toMatchObject({
    operation: 'chat',
    format: 'messages',
    modelName: 'acme/coder-1',
    fallbackModelNames: [],
    isStream: false,
    choiceCount: 1,
    outputTokensMax: 100,
    messageCount: 1,
    isThinkingEnabled: false,
    hidesReasoning: false,
  });
  expect(Object.values(request.needs)).toEqual(Array(7).fill(false));
  expect(request.body).toBe(minimal);
});

test('MSGS-06 blank texts of other models are left out, which an upstream of this format refuses', () => {
  const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };
  const blank = { type: 'text', text: '\n\n' };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] };
  const said = (content: unknown) => ({ role: 'assistant', content });
  const body = {
    ...minimal,
    messages: [...messages, said([blank, call]), result, said([blank]), said(' '), said([]), ...messages],
  };
  expect(parseMessagesRequest(body).body.messages).toEqual([...messages, said([call]), result, ...messages]);
});

test('MSGS-05 a coding agent’s request passes whole and untouched', () => {
  const request = parseMessagesRequest(deepFreeze(structuredClone(agentBody)));
  expect(request).toMatchObject({
    isStream: true,
    outputTokensMax: 128_000,
    messageCount: 4,
    isThinkingEnabled: true,
    needs: { tools: true, imageInput: true, fileInput: false, responseFormat: false },
  });
  expect(request.body).toEqual(agentBody);
});

test('fallback models come from `models`, each once', () => {
  expect(parseMessagesRequest({ ...minimal, models: ['acme/coder-1', 'b/2'] }).fallbackModelNames).toEqual(['b/2']);
});

test('thinking counts as asked for when it is enabled or adaptive', () => {
  const asks = (type: string) => parseMessagesRequest({ ...minimal, thinking: { type } }).isThinkingEnabled;
  expect([asks('enabled'), asks('adaptive'), asks('disabled')]).toEqual([true, true, false]);
});

test('a limit sent by habit can be lowered to what a model can produce, and a budget for thinking with it', () => {
  const thinking = { type: 'enabled', budget_tokens: 9_000 };
  const request = parseMessagesRequest(deepFreeze({ ...minimal, max_tokens: 128_000, thinking }));
  const lowered = request.withOutputLimit(8_000);
  expect(lowered?.outputTokensMax).toBe(8_000);
  expect(lowered?.body).toMatchObject({ max_tokens: 8_000, thinking: { type: 'enabled', budget_tokens: 7_999 } });
  expect(lowered?.toConversation().outputTokensMax).toBe(8_000);
  expect(request.withOutputLimit(10_000).body.thinking).toBe(thinking);
  expect(request.body.max_tokens).toBe(128_000);
});

test('where a lowered limit leaves no room for thinking, what would clear thinking goes with it', () => {
  const thinking = { type: 'enabled', budget_tokens: 9_000 };
  const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }];
  const loweredTo = (limit: number, kept: readonly object[]) => {
    const body = { ...minimal, max_tokens: 128_000, thinking, context_management: { edits: kept } };
    return parseMessagesRequest(deepFreeze(body)).withOutputLimit(limit).body;
  };
  const unthinking = { thinking: { type: 'disabled' }, context_management: { edits: edits.slice(1) } };
  expect(loweredTo(1_024, edits)).toMatchObject(unthinking);
  expect(loweredTo(1_024, edits.slice(0, 1))).not.toHaveProperty('context_management');
  expect(loweredTo(1_025, edits)).toMatchObject({ thinking: { budget_tokens: 1_024 }, context_management: { edits } });
});

test('null in an optional field means that it was left out', () => {
  const optional = ['system', 'stream', 'temperature', 'top_p', 'top_k', 'stop_sequences', 'tools', 'tool_choice'];
  for (const field of [
    ...optional,
    'thinking',
    'output_config',
    'metadata',
    'context_management',
    'thread',
    'models',
  ]) {
    expect(parseMessagesRequest({ ...minimal, [field]: null }).modelName).toBe('acme/coder-1');
  }
});

describe('MSGS-02 MSGS-03 MSGS-04 refusals name the field', () => {
  const { model: _model, ...noModel } = minimal;
  const { messages: _messages, ...noMessages } = minimal;
  const { max_tokens: _max, ...noLimit } = minimal;
  test.each<[ErrorCode, RegExp, JsonObject]>([
    ['missing_required_field', /^model is required/, noModel],
    ['missing_required_field', /^messages is required/, noMessages],
    ['missing_required_field', /^max_tokens is required/, noLimit],
    ['missing_required_field', /^max_tokens is required/, { ...minimal, max_tokens: null }],
    ['missing_required_field', /^messages must hold/, { ...minimal, messages: [] }],
    ['max_tokens_invalid', /^max_tokens must/, { ...minimal, max_tokens: 0 }],
    ['max_tokens_invalid', /^max_tokens must/, { ...minimal, max_tokens: -5 }],
    ['max_tokens_invalid', /^max_tokens must/, { ...minimal, max_tokens: 1.5 }],
    ['max_tokens_invalid', /^max_tokens must/, { ...minimal, max_tokens: '100' }],
    ['http_400', /^model must be a string/, { ...minimal, model: 5 }],
    ['http_400', /^messages must be an array/, { ...minimal, messages: 'hi' }],
    ['http_400', /^messages\[0\] must be an object/, { ...minimal, messages: ['hi'] }],
    ['missing_required_field', /^messages\[0\].role/, { ...minimal, messages: [{ content: 'x' }] }],
    ['http_400', /^messages\[0\].role must/, { ...minimal, messages: [{ role: 'tool', content: 'x' }] }],
    ['missing_required_field', /^messages\[0\].content/, { ...minimal, messages: [{ role: 'user' }] }],
    ['http_400', /^messages\[0\].content must/, { ...minimal, messages: [{ role: 'user', content: 5 }] }],
    ['http_400', /^system must/, { ...minimal, system: 5 }],
    ['http_400', /^system\[0\].text must/, { ...minimal, system: [{ type: 'text', text: 5 }] }],
    ['http_400', /^stream must/, { ...minimal, stream: 'true' }],
    ['http_400', /^temperature must be a number from 0 to 2/, { ...minimal, temperature: 2.01 }],
    ['http_400', /^temperature must/, { ...minimal, temperature: -0.01 }],
    ['http_400', /^temperature must/, { ...minimal, temperature: '1' }],
    ['http_400', /^top_p must/, { ...minimal, top_p: 1.1 }],
    ['http_400', /^top_k must/, { ...minimal, top_k: 1.5 }],
    ['http_400', /^stop_sequences must/, { ...minimal, stop_sequences: 'END' }],
    ['http_400', /^stop_sequences must/, { ...minimal, stop_sequences: [5] }],
    ['http_400', /^metadata.user_id must/, { ...minimal, metadata: { user_id: 5 } }],
    ['http_400', /^thinking.type must/, { ...minimal, thinking: { budget_tokens: 1024 } }],
    ['http_400', /^thinking.budget_tokens must/, { ...minimal, thinking: { type: 'enabled', budget_tokens: 'x' } }],
    ['http_400', /^output_config.effort must/, { ...minimal, output_config: { effort: 5 } }],
    [
      'invalid_response_format_schema',
      /^output_config.format.schema must/,
      { ...minimal, output_config: { format: { type: 'json_schema' } } },
    ],
    ['http_400', /^tool_choice must/, { ...minimal, tool_choice: 'auto' }],
    ['http_400', /^provider.order must/, { ...minimal, provider: { order: 'x' } }],
  ])('%s %s', (code, message, body) => {
    expect(() => parseMessagesRequest(body)).toThrow(refusal(code, message));
  });
});

test('MSGS-04 the ends of every range are inside it', () => {
  for (const field of [
    { temperature: 0 },
    { temperature: 2 },
    { top_p: 0 },
    { top_p: 1 },
    { top_k: 0 },
    { max_tokens: 1 },
  ]) {
    expect(parseMessagesRequest({ ...minimal, ...field }).modelName).toBe('acme/coder-1');
  }
});

describe('content blocks', () => {
  test.each<[ErrorCode, RegExp, unknown]>([
    ['http_400', /content\[0\] must be an object/, 'text'],
    ['http_400', /content\[0\].type must/, { text: 'x' }],
    ['http_400', /content\[0\].text must/, { type: 'text' }],
    ['http_400', /content\[0\].source must/, { type: 'image' }],
    ['missing_required_field', /content\[0\].source.data/, { type: 'image', source: { type: 'base64' } }],
    ['http_400', /source.data must be plain base64/, { type: 'image', source: base64('data:image/png;base64,AA==') }],
    ['invalid_image_url', /source.url must/, { type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }],
    ['unsupported_param', /source refers to a stored file/, { type: 'image', source: { type: 'file', file_id: 'f' } }],
    ['unsupported_param', /stored file/, { type: 'document', source: { type: 'file', file_id: 'f' } }],
    ['unsupported_param', /stored file/, { type: 'container_upload', file_id: 'f' }],
    ['http_400', /source.url must/, { type: 'document', source: { type: 'url', url: 'ftp://a' } }],
    ['malformed_tool_messages', /only an assistant/, { type: 'tool_use', id: 'a', name: 'b', input: {} }],
  ])('%s %s', (code, message, block) => {
    expect(() => parseMessagesRequest(user(block))).toThrow(refusal(code, message));
  });

  test('images and documents are counted, text in another dress is not a file', () => {
    const needs = (block: object) => parseMessagesRequest(user(block)).needs;
    expect(needs({ type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }).imageInput).toBe(true);
    expect(needs({ type: 'document', source: base64('JVBERi0=', 'application/pdf') }).fileInput).toBe(true);
    const text = { type: 'text', media_type: 'text/plain', data: 'Once upon a time' };
    expect(needs({ type: 'document', source: text, title: 'Tale' }).fileInput).toBe(false);
    expect(needs({ type: 'document', source: { type: 'content', content: 'x' } }).fileInput).toBe(false);
  });

  test('CHAT-30 a password-protected PDF is refused', () => {
    const pdf = Buffer.from('%PDF-1.7\ntrailer << /Encrypt 9 0 R >>\nstartxref\n9\n%%EOF').toString('base64');
    expect(() => parseMessagesRequest(user({ type: 'document', source: base64(pdf, 'application/pdf') }))).toThrow(
      refusal('http_400', /source.data is a password-protected PDF/),
    );
  });

  test('a block of an unknown type passes and is measured', () => {
    const bare = parseMessagesRequest(user({ type: 'text', text: 'x' })).promptTokensEstimate;
    const novel = { type: 'hologram', layers: ['a'.repeat(1_000)] };
    const request = parseMessagesRequest(user({ type: 'text', text: 'x' }, novel));
    expect(request.body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x' }, novel] }]);
    expect(request.promptTokensEstimate).toBeGreaterThan(bare + 300);
  });
});

describe('tool results answer tool uses', () => {
  const use = (id: unknown, more: object = {}) => ({ type: 'tool_use', id, name: 'f', input: {}, ...more });
  const result = (id: unknown, more: object = {}) => ({ type: 'tool_result', tool_use_id: id, ...more });
  const turn = (first: unknown[], second: unknown[]) => ({
    ...minimal,
    messages: [...messages, { role: 'assistant', content: first }, { role: 'user', content: second }],
  });

  test('MSGS-06 a result of an earlier use, with or without content, also later than the next message', () => {
    const reminder = { role: 'user', content: 'Go on.' };
    const shapes = [{}, { content: null }, { content: 'ok' }, { content: [] }, { content: [{ type: 'novel' }] }];
    for (const shape of shapes) {
      const body = turn([use('a')], [result('a', { is_error: false, ...shape })]);
      expect(parseMessagesRequest(body).messageCount).toBe(3);
      expect(parseMessagesRequest({ ...body, messages: [...body.messages, reminder] }).messageCount).toBe(4);
    }
  });

  test.each<[RegExp, unknown[], unknown[]]>([
    [/matches no tool_use/, [use('a')], [result('b')]],
    [/tool_use_id is required/, [use('a')], [result(undefined)]],
    [/tool_use_id is required/, [use('a')], [result(0)]],
    [/is_error must/, [use('a')], [result('a', { is_error: 'yes' })]],
    [/content must/, [use('a')], [result('a', { content: 5 })]],
    [/\.id must/, [use(0)], []],
    [/\.name must/, [use('a', { name: '' })], []],
    [/\.input must/, [use('a', { input: '{}' })], []],
    [/only a user message/, [result('a')], []],
  ])('malformed_tool_messages %s', (message, first, second) => {
    expect(() => parseMessagesRequest(turn(first, second))).toThrow(refusal('malformed_tool_messages', message));
  });
});

describe('tools', () => {
  const withTools = (tools: unknown, tool_choice?: unknown) => ({ ...minimal, tools, tool_choice });
  test.each<[RegExp, unknown, unknown]>([
    [/^tools must be an array/, {}, undefined],
    [/^tools\[0\] must be an object/, ['f'], undefined],
    [/^tools\[0\].type must/, [{ type: 5 }], undefined],
    [/^tools\[0\].name is required/, [{ input_schema: {} }], undefined],
    [/^tools\[0\].name must/, [{ name: 'a b' }], undefined],
    [/^tools\[0\].description must/, [{ name: 'a', description: 5 }], undefined],
    [/^tools\[0\].input_schema must/, [{ name: 'a', input_schema: 'x' }], undefined],
    [/^tool_choice names a tool/, [{ name: 'a' }], { type: 'tool', name: 'b' }],
  ])('invalid_tools_definition %s', (message, tools, choice) => {
    expect(() => parseMessagesRequest(withTools(tools, choice))).toThrow(refusal('invalid_tools_definition', message));
  });

  test('a vendor’s own tools pass by themselves, and ask nothing of the model', () => {
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { type: 'mcp_toolset', mcp_server_name: 'x' },
    ];
    const request = parseMessagesRequest(withTools(tools, { type: 'tool', name: 'web_search' }));
    expect(request.needs.tools).toBe(false);
    expect(request.body.tools).toBe(tools);
  });
});

test('a thread is refused in the words its SDK understands, before anything else is looked at', () => {
  const body = { ...minimal, messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'lost' }] }] };
  expect(() => parseMessagesRequest({ ...body, thread: { type: 'continue', previous_message_id: 'm' } })).toThrow(
    expect.objectContaining({
      status: 400,
      details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
    }),
  );
});

test('counting needs no limit for the answer and refuses the same mistakes', () => {
  const { max_tokens: _max, ...body } = minimal;
  expect(parseCountedRequest(body).outputTokensMax).toBeNull();
  expect(() => parseCountedRequest({ ...body, messages: [] })).toThrow(refusal('missing_required_field', /^messages/));
});

test('BILL-02 the estimate covers system, messages and tools', () => {
  const estimate = (more: object) => parseMessagesRequest({ ...minimal, ...more }).promptTokensEstimate;
  const long = 'word '.repeat(1_000);
  const bare = estimate({});
  expect(estimate({ system: long })).toBeGreaterThan(bare + 1_000);
  expect(estimate({ system: [{ type: 'text', text: long }] })).toBeGreaterThan(bare + 1_000);
  expect(estimate({ tools: [{ name: 'f', description: long }] })).toBeGreaterThan(bare + 1_000);
  expect(estimate({ messages: [{ role: 'user', content: [{ type: 'text', text: long }] }] })).toBeGreaterThan(1_000);
});
