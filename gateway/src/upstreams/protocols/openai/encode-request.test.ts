// The upstream gets the caller's own body with the few changes stated here.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourcedBody } from '../../../../test/json-source.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate, FamilyTraits } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { encodeChatRequest } from './encode-request.ts';

const traits: FamilyTraits = {
  family: 'acme',
  keepsOpenAiOnlyFields: false,
  messagesMax: null,
  isThinkingOptIn: false,
  thinkingCompletionMultiplier: 1,
  isReasoningMandatory: false,
  isReasoningAsked: false,
  pictureTokensMax: 4_800,
  picturesExceedContext: false,
  tokenizer: null,
};

function candidateWith(change: Partial<FamilyTraits> = {}): Candidate {
  const candidate = { upstreamModel: 'coder-1-turbo', operation: 'chat', model: { traits: { ...traits, ...change } } };
  return { ...candidate, provider: { takesPlugins: true } } as unknown as Candidate;
}

function requestOf(body: JsonObject): ConversationRequest {
  const { stream, plugins = [] } = body;
  const request = { operation: 'chat', format: 'chat', isStream: stream === true, plugins, ...sourcedBody(body) };
  return request as unknown as ConversationRequest;
}

const messages = [{ role: 'user', content: 'Hi' }];
const encode = (body: JsonObject, change: Partial<FamilyTraits> = {}) =>
  JSON.parse(
    String(encodeChatRequest(requestOf({ model: 'acme/coder-1', messages, ...body }), candidateWith(change)).body),
  );

test('CHAT-22 a plain request changes in its model alone', () => {
  expect(encodeChatRequest(requestOf({ messages }), candidateWith()).path).toBe('/chat/completions');
  expect(encode({})).toEqual({ model: 'coder-1-turbo', messages });
});

describe('members that say nothing do not reach upstreams, some of which refuse them', () => {
  const tools = [{ type: 'function', function: { name: 'look' } }];

  test.each<[string, JsonObject, JsonObject]>([
    ['a limit', { max_tokens: null, max_completion_tokens: null, temperature: 0 }, { temperature: 0 }],
    ['empty lists', { tools: [], functions: [], stop: [], metadata: {} }, { metadata: {} }],
    ['tools that are not there', { tools: [], tool_choice: 'auto' }, {}],
    ['functions that are not there', { function_call: 'none' }, {}],
    ['how often tools that are not there are called', { tools: [], parallel_tool_calls: false }, {}],
    ['choices that are null', { tools: null, tool_choice: null, function_call: null, parallel_tool_calls: null }, {}],
    ['a tool that must be called', { tool_choice: 'required' }, { tool_choice: 'required' }],
    ['a choice among tools', { tools, tool_choice: 'none' }, { tools, tool_choice: 'none' }],
    [
      'options of a stream',
      { stream: true, stream_options: null },
      { stream: true, stream_options: { include_usage: true } },
    ],
  ])('CHAT-22 %s', (_of, body, expected) => {
    expect(encode(body, { keepsOpenAiOnlyFields: true })).toEqual({ model: 'coder-1-turbo', messages, ...expected });
  });

  test('CHAT-24 TOOL-07 lists in messages', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }];
    const conversation = [
      ...messages,
      { role: 'assistant', content: [], tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: [] },
      { role: 'assistant', content: 'Done.', tool_calls: [] },
      { role: 'user', content: 'Thanks', name: 'ann' },
      { role: 'assistant', content: null, tool_calls: [] },
      { role: 'assistant', content: null, tool_calls: [], function_call: { name: 'look', arguments: '{}' } },
    ];
    expect(encode({ messages: conversation }).messages).toEqual([
      ...messages,
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'c1', content: '' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'Thanks', name: 'ann' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
    ]);
  });
});

test('CHAT-07 the limit of an answer takes effect by whichever name it was sent: a vendor gets the one that it knows', () => {
  const at = (baseUrl: string, body: JsonObject, settings?: JsonObject, upstreamModel = 'coder') => {
    const candidate = { ...candidateWith(), upstreamModel, provider: { baseUrl, settings } } as unknown as Candidate;
    const {
      model,
      messages: _,
      ...rest
    } = JSON.parse(String(encodeChatRequest(requestOf({ messages, ...body }), candidate).body));
    return rest;
  };
  for (const baseUrl of ['https://api.mistral.ai/v1', 'https://api.deepseek.com']) {
    for (const limits of [
      { max_completion_tokens: 9 },
      { max_tokens: 9 },
      { max_tokens: 5, max_completion_tokens: 9 },
    ]) {
      expect(at(baseUrl, limits)).toEqual({ max_tokens: 9 });
    }
    expect(at(baseUrl, {})).toEqual({});
  }
  for (const limits of [{ max_completion_tokens: 9 }, { max_tokens: 9 }, { max_tokens: 5, max_completion_tokens: 9 }]) {
    expect(at('https://api.openai.com/v1', limits)).toEqual({ max_completion_tokens: 9 });
  }
  for (const limits of [{ max_completion_tokens: 9 }, { max_tokens: 9 }]) {
    expect(at('https://api.groq.com/openai/v1', limits)).toEqual(limits);
    expect(at('https://api.example.com', limits)).toEqual({ max_tokens: 9 });
    for (const upstreamModel of ['gpt-5.2', 'azure/o4-mini', 'chatgpt-4o-latest']) {
      expect(at('https://api.example.com', limits, {}, upstreamModel)).toEqual(limits);
    }
    expect(at('https://api.example.com', limits, { output_limit: 'max_completion_tokens' })).toEqual({
      max_completion_tokens: 9,
    });
    // Ignored under the other name, a limit would not hold, and only what it allows is paid for.
    expect(at('http://127.0.0.1:8080/v1', limits, { output_limit: 'max_tokens' })).toEqual({ max_tokens: 9 });
  }
});

test('a vendor that wants the thinking of its model back gets the member in every message of the model', () => {
  const said = [
    { role: 'assistant', content: 'a', reasoning_content: 'A' },
    { role: 'assistant', content: 'b', reasoning: 'B' },
    { role: 'assistant', content: 'c' },
    { role: 'user', content: 'd' },
  ];
  const thinkingAt = (baseUrl: string, upstreamModel: string): unknown[] => {
    const candidate = { ...candidateWith(), upstreamModel, provider: { baseUrl } } as unknown as Candidate;
    const body = JSON.parse(String(encodeChatRequest(requestOf({ messages: said }), candidate).body));
    return body.messages.map((message: JsonObject) => message.reasoning_content);
  };
  expect(thinkingAt('https://api.deepseek.com/v1', 'deepseek-v4-pro')).toEqual(['A', 'B', '', undefined]);
  for (const [baseUrl, name] of [
    ['https://api.example.com/v1', 'deepseek-v4-pro'],
    ['https://api.deepseek.com/v1', 'other'],
  ] as const) {
    expect(thinkingAt(baseUrl, name)).toEqual(['A', undefined, undefined, undefined]);
  }
});

test('what agents send to every provider is left out for vendors that refuse it', () => {
  const sentTo = (baseUrl: string): string[] => {
    const candidate = { ...candidateWith(), provider: { baseUrl } } as unknown as Candidate;
    const body = { model: 'm', messages, stream: true, store: false, prompt_cache_key: 'k', verbosity: 'low', seed: 7 };
    return Object.keys(JSON.parse(String(encodeChatRequest(requestOf(body), candidate).body)));
  };
  expect(sentTo('https://api.mistral.ai/v1')).toEqual(['model', 'messages', 'stream', 'seed']);
  for (const baseUrl of ['https://api.groq.com/openai/v1', 'https://api.cerebras.ai/v1']) {
    expect(sentTo(baseUrl)).toEqual(['model', 'messages', 'stream', 'seed', 'stream_options']);
  }
  expect(sentTo('https://api.example.com/v1')).toEqual(
    expect.arrayContaining(['store', 'prompt_cache_key', 'verbosity', 'stream_options']),
  );
});

test('an ordinary tier is left out for a vendor whose tiers have other names, and another one is its own', () => {
  const tierAt = (baseUrl: string, service_tier: string): unknown => {
    const candidate = {
      ...candidateWith({ keepsOpenAiOnlyFields: true }),
      provider: { baseUrl },
    } as unknown as Candidate;
    const request = requestOf({ model: 'm', messages, service_tier });
    return JSON.parse(String(encodeChatRequest(request, candidate).body)).service_tier;
  };
  for (const tier of ['auto', 'default']) {
    expect(tierAt('https://api.groq.com/openai/v1', tier)).toBeUndefined();
    expect(tierAt('https://api.openai.com/v1', tier)).toBe(tier);
  }
  expect(tierAt('https://api.groq.com/openai/v1', 'flex')).toBe('flex');
});

test('CHAT-16 CHAT-18 CHAT-22 TOOL-13 VER-06 sampling, reasoning and unknown fields arrive unchanged', () => {
  const body = {
    temperature: 0,
    top_p: 0.9,
    seed: 7,
    stop: ['x'],
    n: 2,
    reasoning: { effort: 'low', exclude: true },
    reasoning_effort: 'low',
    thinking: { type: 'enabled', budget_tokens: 100 },
    enable_thinking: false,
    structured_outputs: true,
    image_config: { strength: 0.5 },
    route: 'fallback',
    plugins: [{ id: 'web', max_results: 3 }],
    cache_control: { type: 'ephemeral' },
    something_new: { deep: [1, null] },
    something_else: null,
  };
  expect(encode(body)).toEqual({ model: 'coder-1-turbo', messages, ...body });
});

test('CHAT-27 CHAT-40 messages pass with their markers, a partial answer last', () => {
  const conversation = [
    { role: 'system', content: [{ type: 'text', text: 'Long.', cache_control: { type: 'ephemeral' } }] },
    { role: 'user', content: 'Hi', unknown: 1 },
    { role: 'assistant', content: 'The answer is' },
  ];
  expect(encode({ messages: conversation }).messages).toEqual(conversation);
});

test('ROUTE-23 wishes that the gateway fulfils itself do not travel, nor the name of a session', () => {
  const wishes = { models: ['a/b'], provider: { order: ['x'] }, transforms: [], usage: { include: true } };
  const body = { ...wishes, session_id: 'mine' };
  expect(encode(body)).toEqual({ model: 'coder-1-turbo', messages });
});

describe('CHAT-23 fields that only one family knows', () => {
  const body = {
    user: 'u-1',
    logprobs: true,
    top_logprobs: 3,
    logit_bias: { 7: 1 },
    parallel_tool_calls: false,
    service_tier: 'auto',
  };

  test('CHAT-23 AMB-09 all six are removed for other families', () => {
    expect(encode(body)).toEqual({ model: 'coder-1-turbo', messages });
  });

  test('CHAT-23 TOOL-09 the family that knows them receives them intact', () => {
    expect(encode(body, { keepsOpenAiOnlyFields: true })).toEqual({ model: 'coder-1-turbo', messages, ...body });
  });

  test('AMB-44 developer stays developer for that family and is system elsewhere', () => {
    const conversation = [{ role: 'developer', content: 'Be terse.', name: 'd' }, ...messages];
    expect(encode({ messages: conversation }, { keepsOpenAiOnlyFields: true }).messages).toEqual(conversation);
    expect(encode({ messages: conversation }).messages).toEqual([
      { role: 'system', content: 'Be terse.', name: 'd' },
      ...messages,
    ]);
  });
});

test('CHAT-07 AMB-24 only one token limit is forwarded, the newer name when both are there', () => {
  expect(encode({ max_tokens: 5 })).toMatchObject({ max_tokens: 5 });
  const both = encode({ max_tokens: 5, max_completion_tokens: 6 }, { keepsOpenAiOnlyFields: true });
  expect(both.max_completion_tokens).toBe(6);
  expect(both).not.toHaveProperty('max_tokens');
});

test('STRM-04 a stream always asks for its usage and keeps the other options', () => {
  expect(encode({ stream: true }).stream_options).toEqual({ include_usage: true });
  const options = { include_usage: false, include_obfuscation: false };
  expect(encode({ stream: true, stream_options: options }).stream_options).toEqual({
    include_usage: true,
    include_obfuscation: false,
  });
  expect(encode({ stream_options: options })).not.toHaveProperty('stream_options');
  const asked = encode({ stream: true, stream_options: { include_usage: true, Include_Usage: false } }).stream_options;
  expect(Object.keys(asked).at(-1)).toBe('include_usage');
});

test('CHAT-19 AMB-08 families with paid thinking are told to leave it unless asked', () => {
  const optIn = { isThinkingOptIn: true };
  expect(encode({}, optIn).enable_thinking).toBe(false);
  expect(encode({ enable_thinking: null }, optIn).enable_thinking).toBe(false);
  expect(encode({ enable_thinking: true }, optIn).enable_thinking).toBe(true);
  expect(encode({})).not.toHaveProperty('enable_thinking');
});

test('CHAT-21 a family that always thinks is not asked to stop', () => {
  const mandatory = { isReasoningMandatory: true };
  const off = { enable_thinking: false, thinking: { type: 'disabled' }, reasoning_effort: 'none' };
  expect(encode(off, mandatory)).toEqual({ model: 'coder-1-turbo', messages });
  expect(encode({ reasoning: { effort: 'none', exclude: true } }, mandatory).reasoning).toEqual({ exclude: true });
  expect(encode({ reasoning: { enabled: false, effort: 'low' } }, mandatory).reasoning).toEqual({ effort: 'low' });
  const on = {
    enable_thinking: true,
    thinking: { type: 'enabled' },
    reasoning_effort: 'low',
    reasoning: { effort: 'low' },
  };
  expect(encode(on, mandatory)).toMatchObject(on);
  expect(encode(off)).toMatchObject(off);
});

test('CHAT-09 an integer that a number cannot hold arrives digit by digit', () => {
  const body = encodeChatRequest(requestOf({ messages, seed: 9007199254740993n }), candidateWith()).body;
  expect(String(body)).toContain('"seed":9007199254740993');
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const member of Object.values(value)) deepFreeze(member);
  }
  return value;
}

test('ROUTE-09 encoding is pure: a frozen body gives the same text twice, for any traits and fields', () => {
  const known = fc.record(
    {
      stream: fc.boolean(),
      stream_options: fc.option(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })),
      enable_thinking: fc.option(fc.boolean()),
      thinking: fc.record({ type: fc.constantFrom('enabled', 'disabled') }),
      reasoning: fc.dictionary(fc.constantFrom('effort', 'enabled', 'exclude'), fc.constantFrom('none', 'low', false)),
      max_tokens: fc.option(fc.nat()),
      max_completion_tokens: fc.option(fc.nat()),
      messages: fc.array(fc.record({ role: fc.constantFrom('developer', 'user'), content: fc.string() })),
    },
    { requiredKeys: [] },
  );
  const name = fc.string().map((text) => `x_${text}`);
  const unknown = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
  const flags = fc.record({
    keepsOpenAiOnlyFields: fc.boolean(),
    isThinkingOptIn: fc.boolean(),
    isReasoningMandatory: fc.boolean(),
  });
  fc.assert(
    fc.property(known, unknown, flags, (fields, extra, change) => {
      const request = requestOf(deepFreeze({ ...fields, ...extra }));
      const first = String(encodeChatRequest(request, candidateWith(change)).body);
      expect(String(encodeChatRequest(request, candidateWith(change)).body)).toBe(first);
      expect(JSON.parse(first)).toMatchObject(JSON.parse(JSON.stringify(extra)));
    }),
    { numRuns: 500 },
  );
});

test('TOOL-07 a result that failed says so in words, and without a member that upstreams refuse', () => {
  const sent = (result: object) => encode({ messages: [...messages, { role: 'tool', ...result }] }).messages.at(-1);
  expect(sent({ content: 'No such file.', is_error: true })).toEqual({ role: 'tool', content: 'Error: No such file.' });
  expect(sent({ content: 'ENOENT error', is_error: false })).toEqual({ role: 'tool', content: 'ENOENT error' });
  expect(sent({ content: '', is_error: true })).toEqual({ role: 'tool', content: 'Error' });
  const texts = (...words: string[]) => words.map((text) => ({ type: 'text', text }));
  expect(sent({ content: texts('Gone.', 'Sorry.'), is_error: true })).toEqual({
    role: 'tool',
    content: texts('Error: Gone.', 'Sorry.'),
  });
});

test('CHAT-29 TOOL-07 what tools have photographed follows their results, which are text for these upstreams', () => {
  const picture = (name: string) => ({ type: 'image_url', image_url: { url: `https://x.test/${name}.png` } });
  const words = { type: 'text', text: 'Seen.' };
  const result = (id: string, ...content: object[]) => ({ role: 'tool', tool_call_id: id, content });
  const calls = ['1', '2'].map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } }));
  const called = { role: 'assistant', content: null, tool_calls: calls };
  const turn = [...messages, called, result('1', picture('a'), words), result('2', picture('b'))];
  const moved = [
    ...messages,
    called,
    result('1', words),
    { ...result('2'), content: 'The result is attached to the next message.' },
    { role: 'user', content: [picture('a'), picture('b')] },
  ];
  expect(encode({ messages: turn }).messages).toEqual(moved);
  expect(encode({ messages: [...turn, called] }).messages).toEqual([...moved, called]);
  const next = (content: unknown) => ({ role: 'user', name: 'ann', content });
  for (const content of ['And?', [{ type: 'text', text: 'And?' }]]) {
    expect(encode({ messages: [...turn, next(content)] }).messages).toEqual([
      ...moved.slice(0, -1),
      next([picture('a'), picture('b'), { type: 'text', text: 'And?' }]),
    ]);
  }
  expect(encode({ messages: [{ ...result('1', picture('a')), is_error: true }] }).messages).toEqual([
    result('1', { type: 'text', text: 'Error' }),
    { role: 'user', content: [picture('a')] },
  ]);
});
