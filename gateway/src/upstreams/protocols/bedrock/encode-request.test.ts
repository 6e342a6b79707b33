// What Converse is sent where it is stricter than other APIs: names of documents, the times of cache points, and what
// newer models of Anthropic's refuse.

import { expect, test, vi } from 'vitest';
import type { Conversation, FilePart } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { decodeError } from './decode-error.ts';
import { distinctNames, documentName } from './document-names.ts';
import { encodeRequest } from './encode-request.ts';

const candidate = {
  upstreamModel: 'anthropic.claude-x',
  provider: {},
  model: { completionTokensMax: null, traits: { isReasoningMandatory: false } },
} as unknown as Candidate;

const ASKED: Conversation['messages'] = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];

function encode(change: Partial<Conversation>, upstreamModel = candidate.upstreamModel): JsonObject {
  const conversation: Conversation = { messages: ASKED, tools: [], sampling: {}, ...change };
  const request = { isStream: false, toConversation: () => conversation } as unknown as ConversationRequest;
  return JSON.parse(String(encodeRequest(request, { ...candidate, upstreamModel }).body));
}

const file = (filename?: string): FilePart => ({
  type: 'file',
  source: { kind: 'base64', mediaType: 'application/pdf', data: 'QUJD' },
  filename,
});

test('CHAT-30 documents have names that are accepted, and each its own, in messages and in results', () => {
  const names = ['tide  _ table.pdf', 'Tide table.pdf', 'x'.repeat(300), 'x'.repeat(300)];
  const content = [file('tide-table.pdf'), file()];
  const sent = encode({
    messages: [
      { role: 'user', parts: [file(), file(), ...names.map(file)] },
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'read', argumentsText: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', content, isError: false }] },
    ],
  });
  const found: string[] = [];
  JSON.stringify(sent, (key, value) => {
    if (key === 'document') found.push(value.name);
    return value;
  });
  expect(found).toEqual([
    ...['document', 'document 2', 'tide table', 'Tide table 2', 'x'.repeat(200), `${'x'.repeat(190)} 2`],
    ...['tide-table', 'document 3'],
  ]);
});

test('CHAT-30 thousands of documents of one name, or of one beginning, are named without trying all numbers each time', () => {
  const long = 'x'.repeat(190);
  for (const nameOf of [() => undefined, (index: number) => `${long}${index % 2_000}`]) {
    const rename = distinctNames();
    const blocks = Array.from({ length: 20_000 }, (_, index) => ({
      document: { name: documentName(nameOf(index)) },
    }));
    const lookUps = countingLookUps(() => {
      const names = blocks.map((block) => String((rename(block).document as JsonObject).name).toLowerCase());
      expect(new Set(names).size).toBe(blocks.length);
    });
    expect(lookUps).toBeLessThan(10 * blocks.length);
  }
});

function countingLookUps(work: () => void): number {
  const has = vi.spyOn(Set.prototype, 'has');
  work();
  const count = has.mock.calls.length;
  has.mockRestore();
  return count;
}

test('the marker of a tool keeps its hour, because a shorter time before a longer one is refused', () => {
  const cacheControl = { type: 'ephemeral', ttl: '1h' };
  const sent = encode({
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.', cacheControl }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ],
    tools: [
      { name: 'a', parameters: {}, cacheControl: { type: 'ephemeral' } },
      { name: 'b', parameters: {}, cacheControl },
    ],
  });
  const hour = { cachePoint: { type: 'default', ttl: '1h' } };
  expect(sent.system).toEqual([{ text: 'Be brief.' }, hour]);
  expect((sent.toolConfig as JsonObject).tools).toEqual([
    { toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } },
    { cachePoint: { type: 'default' } },
    { toolSpec: { name: 'b', inputSchema: { json: { type: 'object' } } } },
    hour,
  ]);
});

test('CHAT-16 a newer model of Anthropic s gets an effort in place of a budget, and no sampling', () => {
  const asked = { reasoning: { effort: 'high' }, sampling: { temperature: 0.5, topK: 5 }, outputTokensMax: 8_000 };
  expect(encode(asked, 'us.anthropic.claude-opus-4-7')).toMatchObject({
    inferenceConfig: { maxTokens: 8_000 },
    additionalModelRequestFields: {
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    },
  });
  const plain = { sampling: asked.sampling, outputTokensMax: 8_000 };
  expect(encode(plain, 'us.anthropic.claude-opus-4-7')).toEqual({
    messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    inferenceConfig: { maxTokens: 8_000 },
  });
  expect(encode(plain, 'us.anthropic.claude-sonnet-4-5')).toMatchObject({
    inferenceConfig: { temperature: 0.5 },
    additionalModelRequestFields: { top_k: 5 },
  });
});

test('CHAT-18 a model that thinks by itself is told not to, in the word that it takes', () => {
  const fieldsOf = (name: string) =>
    encode({ reasoning: { isEnabled: false } }, `us.anthropic.${name}`).additionalModelRequestFields;
  expect(fieldsOf('claude-opus-5')).toEqual({ thinking: { type: 'disabled' } });
  expect(fieldsOf('claude-haiku-5-5')).toEqual({ thinking: { type: 'disabled' } });
  expect(fieldsOf('claude-sonnet-5-5')).toEqual({ thinking: { type: 'between_tools' } });
  for (const name of ['claude-opus-5-5', 'claude-opus-4-7', 'claude-sonnet-4-5', 'claude-3-haiku-20240307']) {
    expect(fieldsOf(name), name).toBeUndefined();
  }
});

test('only models with a cache get cache points, and an hour only those that know it', () => {
  const cacheControl = { type: 'ephemeral', ttl: '1h' };
  const content = [{ type: 'text' as const, text: 'high', cacheControl }];
  const asked: Partial<Conversation> = {
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.', cacheControl }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi', cacheControl }] },
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'a', argumentsText: '{}' }] },
      { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', content, isError: false }] },
    ],
    tools: [{ name: 'a', parameters: {}, cacheControl }],
  };
  const pointsOf = (name: string): unknown => {
    const { system, toolConfig, messages } = encode(asked, name);
    const lists = [toolConfig, { system }, ...(messages as JsonObject[])].map((it) => JSON.stringify(it));
    return lists.map((text) => (text.includes('"1h"') ? 'hour' : text.includes('cachePoint') ? 'point' : ''));
  };
  const hours = ['hour', 'hour', 'hour', '', 'hour'];
  const points = ['point', 'point', 'point', '', 'point'];
  const none = ['', '', '', '', ''];
  for (const [name, expected] of [
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', hours],
    ['us.anthropic.claude-opus-5', hours],
    ['anthropic.claude-sonnet-4-20250514-v1:0', points],
    ['anthropic.claude-3-5-sonnet-20241022-v2:0', points],
    ['anthropic.claude-3-5-sonnet-20240620-v1:0', none],
    ['anthropic.claude-3-haiku-20240307-v1:0', none],
    ['us.amazon.nova-pro-v1:0', ['', 'point', 'point', '', 'point']],
    ['us.meta.llama4-maverick-17b-instruct-v1:0', none],
    ['nvidia.nemotron-super-3-120b', none],
    ['arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', none],
  ] as const) {
    expect(pointsOf(name), name).toEqual(expected);
  }
  // Inside a result it would be refused.
  expect((encode(asked).messages as { content: unknown }[]).at(-1)?.content).toEqual([
    { toolResult: { toolUseId: 'c', content: [{ text: 'high' }] } },
    { cachePoint: { type: 'default', ttl: '1h' } },
  ]);
});

test('a model that has no cache, or that the account may not use, is no sign of a bad key', () => {
  const said = (message: string) =>
    decodeError(403, { 'x-amzn-errortype': 'AccessDeniedException' }, Buffer.from(JSON.stringify({ message }))).kind;
  expect(
    said('You invoked an unsupported model or your request did not allow prompt caching. See the documentation'),
  ).toBe('unsupported');
  expect(said("You don't have access to the model with the specified model ID.")).toBe('model_missing');
  expect(said("This model doesn't support the stopSequences field. Remove stopSequences and try again.")).toBe(
    'unsupported',
  );
  expect(said('User is not authorized to perform: bedrock:InvokeModel')).toBe('auth_failed');
});

test('what the model s own server says is read behind the words of the service', () => {
  const said = (message: string) =>
    decodeError(
      400,
      { 'x-amzn-errortype': 'ValidationException' },
      Buffer.from(JSON.stringify({ message: `The model returned the following errors: ${message}` })),
    );
  expect(
    said('input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length'),
  ).toMatchObject({ kind: 'rejected', code: 'context_too_long' });
  expect(said("tools.0: Input tag 'web_search_20250305' found using 'type'")).toMatchObject({ kind: 'unsupported' });
  expect(said('messages.1.content.0: Invalid `signature` in `thinking` block')).toMatchObject({
    isReasoningForeign: true,
  });
});

test('TOOL-07 ids of calls are short, of letters that the model takes, and each its own', () => {
  const call = (id: string) => ({ type: 'tool-call' as const, id, name: 'a', argumentsText: '{}' });
  const result = (callId: string) => ({ type: 'tool-result' as const, callId, content: [], isError: false });
  const ids = ['functions.a:0', 'x'.repeat(80), 'functions.a:0'];
  const messages = [
    ...ASKED,
    ...ids.flatMap((id): Conversation['messages'] => [
      { role: 'assistant', parts: [call(id)] },
      { role: 'tool', parts: [result(id)] },
    ]),
  ];
  const idsAt = (name: string): string[] => {
    const text = JSON.stringify(encode({ messages }, name));
    return [...text.matchAll(/"toolUseId":"([^"]+)"/g)].map(([, id]) => String(id));
  };
  const [first, answer, second, , third] = idsAt('us.anthropic.claude-opus-5');
  expect([first, answer, third]).toEqual(['functions_2ea_3a0', 'functions_2ea_3a0', 'functions_2ea_3a0_2']);
  expect(second).toMatch(/^[0-9a-f]{56}$/);
  expect(idsAt('moonshotai.kimi-k2')[0]).toBe('functions.a:0');
});

test('TOOL-07 a call that a model made up is offered and made under one name that is taken', () => {
  const call = { type: 'tool-call' as const, id: 'c', name: 'default_api:read', argumentsText: '{}' };
  const result = { type: 'tool-result' as const, callId: 'c', content: [], isError: true };
  const text = JSON.stringify(
    encode({ messages: [...ASKED, { role: 'assistant', parts: [call] }, { role: 'tool', parts: [result] }] }),
  );
  expect(text.match(/"name":"default_api_read"/g)).toHaveLength(2);
});

test('CHAT-24 thinking that is proven goes to models of Anthropic alone', () => {
  const parts = [
    { type: 'reasoning' as const, text: 'Hm.', signature: 'c2ln' },
    { type: 'text' as const, text: 'Yes.' },
  ];
  const messages: Conversation['messages'] = [...ASKED, { role: 'assistant', parts }, ...ASKED];
  const saidAt = (name: string) => (encode({ messages }, name).messages as { content: unknown[] }[])[1]?.content;
  expect(saidAt('us.anthropic.claude-opus-5')).toHaveLength(2);
  expect(saidAt('us.amazon.nova-pro-v1:0')).toEqual([{ text: 'Yes.' }]);
});

test('a model of Anthropic s gets a temperature or a share of probability, never both', () => {
  const sampling = { temperature: 0.5, topP: 0.9 };
  expect(encode({ sampling }, 'us.anthropic.claude-sonnet-4-5').inferenceConfig).toEqual({ temperature: 0.5 });
  expect(encode({ sampling: { topP: 0.9 } }, 'us.anthropic.claude-sonnet-4-5').inferenceConfig).toEqual({ topP: 0.9 });
  expect(encode({ sampling }, 'us.amazon.nova-pro-v1:0').inferenceConfig).toEqual(sampling);
});

test('CHAT-16 models of other vendors get an effort that they know', () => {
  const fieldsOf = (effort: string, name: string) =>
    encode({ reasoning: { effort } }, name).additionalModelRequestFields;
  for (const [asked, sent] of [
    ['minimal', 'low'],
    ['medium', 'medium'],
    ['xhigh', 'high'],
    ['max', 'high'],
  ] as const) {
    expect(fieldsOf(asked, 'openai.gpt-oss-120b-1:0')).toEqual({ reasoning_effort: sent });
    // The highest refuses a limit of the answer, which every call has.
    const most = sent === 'high' ? 'medium' : sent;
    expect(fieldsOf(asked, 'us.amazon.nova-2-lite-v1:0')).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: most },
    });
  }
});

test('TOOL-04 a model that cannot be made to call a tool is told in words', () => {
  const asked = { tools: [{ name: 'a', parameters: {} }], toolChoice: 'required' } as const;
  const choiceOf = (body: JsonObject) => (body.toolConfig as JsonObject).toolChoice;
  const told = encode(asked, 'us.anthropic.claude-opus-5-5');
  expect(choiceOf(told)).toEqual({ auto: {} });
  expect(told.system).toEqual([{ text: expect.stringContaining('must call') }]);
  const made = encode(asked, 'us.anthropic.claude-opus-5');
  expect([choiceOf(made), made.system]).toEqual([{ any: {} }, undefined]);
});

test('CHAT-24 the user begins, and has the last word where a model continues no answer', () => {
  const answer: Conversation['messages'] = [{ role: 'assistant', parts: [{ type: 'text', text: 'Well.' }] }];
  const roles = (messages: Conversation['messages'], name?: string) =>
    (encode({ messages }, name).messages as { role: string }[]).map(({ role }) => role);
  expect(roles([...answer, ...ASKED])).toEqual(['user', 'assistant', 'user']);
  for (const name of ['us.anthropic.claude-opus-4-6-v1', 'us.meta.llama4-maverick-17b-instruct-v1:0']) {
    expect(roles([...ASKED, ...answer], name), name).toEqual(['user', 'assistant', 'user']);
  }
  expect(roles([...ASKED, ...answer], 'anthropic.claude-sonnet-4-5')).toEqual(['user', 'assistant']);
});

test('CHAT-30 a document does not stand alone, and a text of any type is a text', () => {
  const text: FilePart = {
    type: 'file',
    source: { kind: 'base64', mediaType: 'application/json', data: Buffer.from('{}').toString('base64') },
    filename: 'a.json',
  };
  expect(encode({ messages: [{ role: 'user', parts: [text] }] }).messages).toEqual([
    {
      role: 'user',
      content: [{ text: expect.any(String) }, { document: { format: 'txt', name: 'a', source: { bytes: 'e30=' } } }],
    },
  ]);
});

test('TOOL-07 models of other vendors get results as texts, with pictures beside them and failures in words', () => {
  const picture = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'QUJD' } } as const;
  const content = [{ type: 'text', text: 'gone' } as const, picture];
  const messages: Conversation['messages'] = [
    ...ASKED,
    { role: 'assistant', parts: [{ type: 'tool-call', id: 'c', name: 'a', argumentsText: '{}' }] },
    { role: 'tool', parts: [{ type: 'tool-result', callId: 'c', content, isError: true }] },
  ];
  const lastOf = (name: string) => (encode({ messages }, name).messages as { content: unknown }[]).at(-1)?.content;
  const image = { image: { format: 'png', source: { bytes: 'QUJD' } } };
  expect(lastOf('us.openai.gpt-5.6-sol')).toEqual([
    { toolResult: { toolUseId: 'c', content: [{ text: 'Error: gone' }] } },
    image,
  ]);
  for (const name of ['us.amazon.nova-pro-v1:0', 'us.anthropic.claude-opus-5']) {
    expect(lastOf(name), name).toEqual([
      { toolResult: { toolUseId: 'c', content: [{ text: 'gone' }, image], status: 'error' } },
    ]);
  }
});

test.each([
  ['us.amazon.nova-pro-v1:0', 'required', { any: {} }],
  ['us.amazon.nova-pro-v1:0', { name: 'a' }, { tool: { name: 'a' } }],
  ['mistral.mistral-large-3', 'required', { any: {} }],
  ['mistral.mistral-large-3', { name: 'a' }, undefined],
  ['us.meta.llama4-maverick-17b-instruct-v1:0', 'required', undefined],
  ['openai.gpt-oss-120b-1:0', 'auto', undefined],
] as const)('TOOL-04 %s: the choice %o', (name, toolChoice, sent) => {
  const body = encode({ tools: [{ name: 'a', parameters: {} }], toolChoice }, name);
  expect((body.toolConfig as JsonObject).toolChoice).toEqual(sent);
  const isTold = sent === undefined && toolChoice !== 'auto';
  expect(JSON.stringify(body.system ?? '').includes('must call')).toBe(isTold);
});
