// A body of the upstream's own format arrives unchanged; encoding never changes its input.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sourcedBody } from '../../../../test/json-source.ts';
import type { Conversation } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate, Provider } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { protocolOf } from '../../registry.ts';
import { encodeMessagesRequest } from './encode-request.ts';

const candidate = {
  upstreamModel: 'claude-sonnet-4-5',
  model: { completionTokensMax: 64_000, traits: { isReasoningMandatory: false } },
} as unknown as Candidate;

function requestOf(body: JsonObject, change: Partial<ConversationRequest> = {}): ConversationRequest {
  const toConversation = (): Conversation => {
    throw new Error('a body of the same format needs no conversation');
  };
  const request = {
    operation: 'chat',
    format: 'messages',
    plugins: [],
    ...sourcedBody(body),
    toConversation,
    ...change,
  };
  return request as unknown as ConversationRequest;
}

const encode = (body: JsonObject) => JSON.parse(String(encodeMessagesRequest(requestOf(body), candidate).body));
const messages = [{ role: 'user', content: 'Hi' }];

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

const provider = { apiKey: 'secret' } as Provider;

test('BYOK-04 the protocol is known, with its key and version in its own headers', () => {
  const protocol = protocolOf('anthropic');
  expect(protocol?.authorize({ method: 'POST', url: '', headers: [], body: '', nowMs: 0 }, provider, '')).toEqual([
    'x-api-key',
    'secret',
    'anthropic-version',
    '2023-06-01',
  ]);
  expect(protocol?.codecs.chat?.format).toBe('messages');
  expect(protocol?.codecs.embeddings).toBeUndefined();
});

test('MSGS-05 CHAT-40 CHAT-22 VER-06 everything passes as sent but the model', () => {
  const marker = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const body = {
    max_tokens: 128_000,
    system: [{ type: 'text', text: 'Be terse.', ...marker }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi', ...marker }] },
      { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }] },
      { role: 'system', content: 'Now in French.', output_config: { effort: 'low' } },
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true, ...marker }],
    thinking: { type: 'adaptive', display: 'omitted' },
    context_management: { edits: [] },
    output_config: { effort: 'high' },
    metadata: { user_id: '{"a":1}' },
    temperature: 0,
    top_k: 0,
    stream: true,
    something_new: { deep: [1, null] },
  };
  expect(encode({ model: 'anthropic/claude-sonnet-4.5', ...body })).toEqual({ model: 'claude-sonnet-4-5', ...body });
});

test('MSGS-06 ids of calls of other vendors become such as are taken, in calls and results alike', () => {
  const turns = (id: string) => [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id, name: 'look', input: {} },
      ],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
  ];
  expect(encode({ model: 'm', messages: turns('functions.look:0') }).messages).toEqual(turns('functions_2elook_3a0'));
  expect(encode({ model: 'm', messages: turns('toolu_01-a') }).messages).toEqual(turns('toolu_01-a'));
});

test('MSGS-06 TOOL-07 an id that another server used again is another one here', () => {
  const turn = (sent: string) => [
    { role: 'assistant', content: [{ type: 'tool_use', id: sent, name: 'look', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: sent, content: 'ok' }] },
  ];
  const sent = encode({ model: 'm', messages: [...messages, ...turn('call_0'), ...turn('call_0')] });
  expect(sent.messages).toEqual([...messages, ...turn('call_0'), ...turn('call_0_2')]);
});

test('MSGS-06 the name of a call that another model made up is written in letters that are taken', () => {
  const call = (name: string) => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'a', name, input: {} }],
  });
  const nameOf = (name: string) =>
    encode({ model: 'm', messages: [...messages, call(name)] }).messages.at(-1).content[0].name;
  expect(nameOf('default_api:read.file')).toBe('default_api_read_file');
  expect(nameOf('mcp__a-b__c')).toBe('mcp__a-b__c');
});

test('MSGS-06 a conversation of which nothing is left is refused in words that help', () => {
  expect(() => encode({ model: 'm', messages: [] })).toThrow(
    expect.objectContaining({ code: 'missing_required_field' }),
  );
});

test('thinking that was refused is left out, and a budget where a call is being answered', () => {
  const thinking = { type: 'enabled', budget_tokens: 2_000 };
  const call = { type: 'tool_use', id: 'a', name: 'look', input: {} };
  const turns = (isAnswered: boolean) => [
    ...messages,
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 'x' }, call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
    ...(isAnswered ? [{ role: 'assistant', content: 'It is.' }, ...messages] : []),
  ];
  const edits = [{ type: 'clear_thinking_20251015', keep: 'all' }, { type: 'clear_tool_uses_20250919' }];
  const without = (isAnswered: boolean, more: readonly object[] = [], kept = edits) => {
    const sent = {
      model: 'm',
      thinking,
      context_management: { edits: kept },
      messages: [...turns(isAnswered), ...more],
    };
    const omitting = { ...candidate, omitsReasoning: true as const };
    return JSON.parse(String(encodeMessagesRequest(requestOf(sent), omitting).body));
  };
  for (const sent of [without(false), without(false, messages)]) {
    expect(sent).not.toHaveProperty('thinking');
    // To clear thinking is refused where there is none.
    expect(sent.context_management).toEqual({ edits: edits.slice(1) });
  }
  expect(without(false, [], edits.slice(0, 1))).not.toHaveProperty('context_management');
  expect(without(true)).toMatchObject({ thinking, context_management: { edits } });
  expect(JSON.stringify(without(true))).not.toContain('Hm.');
});

test('wishes that the gateway fulfils itself do not travel: the upstream refuses what it does not know', () => {
  const wishes = {
    models: ['a/b'],
    provider: { order: ['x'] },
    transforms: [],
    route: 'fallback',
    usage: { include: true },
  };
  expect(encode({ model: 'm', max_tokens: 5, messages, ...wishes })).toEqual({
    model: 'claude-sonnet-4-5',
    max_tokens: 5,
    messages,
  });
});

test('CHAT-40 no marker is added where there was none', () => {
  const body = { model: 'm', max_tokens: 5, system: 'Long.', messages, tools: [{ name: 'f', input_schema: {} }] };
  expect(JSON.stringify(encode(body))).not.toContain('cache_control');
});

test('MSGS-09 the path is the same and only the body says whether it streams', () => {
  expect(encodeMessagesRequest(requestOf({ messages, stream: true }), candidate).path).toBe('/messages');
  expect(encode({ messages })).not.toHaveProperty('stream');
  expect(encode({ messages, stream: false }).stream).toBe(false);
});

test('CHAT-09 an integer that a number cannot hold arrives digit by digit', () => {
  const { body } = encodeMessagesRequest(requestOf({ messages, container: 9007199254740993n }), candidate);
  expect(String(body)).toContain('"container":9007199254740993');
});

test('ROUTE-09 encoding is pure: a frozen body gives the same text twice, and unknown fields survive', () => {
  const name = fc.string().map((text) => `x_${text}`);
  const unknown = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 });
  fc.assert(
    fc.property(unknown, fc.boolean(), (extra, stream) => {
      const request = requestOf(deepFreeze({ model: 'm', models: ['n'], stream, messages, ...extra }));
      const first = String(encodeMessagesRequest(request, candidate).body);
      expect(String(encodeMessagesRequest(request, candidate).body)).toBe(first);
      expect(JSON.parse(first)).toEqual({
        model: 'claude-sonnet-4-5',
        stream,
        messages,
        ...JSON.parse(JSON.stringify(extra)),
      });
    }),
    { numRuns: 300 },
  );
});

test('MSGS-06 ROUTE-09 another format goes through the conversation, frozen as well', () => {
  const conversation: Conversation = deepFreeze({
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be terse.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', parts: [{ type: 'text', text: 'The answer is ' }] },
    ],
    tools: [{ name: 'f', parameters: { type: 'object' } }],
    responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object', properties: { a: { minimum: 1 } } } },
    reasoning: { effort: 'low' },
    sampling: { temperature: 2, stop: ['x', ' '] },
    outputTokensMax: 10,
  });
  const request = requestOf({}, { format: 'chat', isStream: true, toConversation: () => conversation });
  const call = encodeMessagesRequest(request, candidate);
  expect(call.path).toBe('/messages');
  expect(encodeMessagesRequest(request, candidate)).toEqual(call);
  expect(JSON.parse(String(call.body))).toMatchObject({ model: 'claude-sonnet-4-5', max_tokens: 10, stream: true });
});
