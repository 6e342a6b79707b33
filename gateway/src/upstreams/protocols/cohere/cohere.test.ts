// The chat of this API both ways: what it is sent, what it answers whole and in pieces of any size, and what it
// refuses.

import { expect, test } from 'vitest';
import type { Conversation } from '../../../canonical/conversation.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { EmbeddingsRequest } from '../../../canonical/operation.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { decodeAnswer, toAnswer } from './decode-response.ts';
import { createCohereStreamDecoder } from './decode-stream.ts';
import { embeddingsCodec } from './embeddings-codec.ts';
import { encodeRequest } from './encode-request.ts';

const candidate = {
  upstreamModel: 'command-x',
  provider: { baseUrl: 'https://x.test' },
  model: { supportedParameters: null },
} as unknown as Candidate;
const usage = { billed_units: { input_tokens: 9, output_tokens: 4 }, tokens: { input_tokens: 90, output_tokens: 7 } };

test('TOOL-07 CHAT-09 a conversation with calls, results and settings', () => {
  const conversation: Conversation = {
    messages: [
      { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Tide?' }] },
      {
        role: 'assistant',
        parts: [
          { type: 'text', text: 'I will look.' },
          { type: 'tool-call', id: 'c1', name: 'tide', argumentsText: '{"port":"Brest"}' },
        ],
      },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'high' }], isError: false }],
      },
    ],
    tools: [{ name: 'tide', parameters: { type: 'object' } }],
    toolChoice: 'required',
    sampling: { temperature: 1.5, topP: 0.5, stop: ['END', ''] },
    outputTokensMax: 7,
  };
  const request = { isStream: true, body: {}, toConversation: () => conversation } as unknown as ConversationRequest;
  const call = encodeRequest(request, candidate);
  expect(call.path).toBe('/v2/chat');
  expect(JSON.parse(String(call.body))).toEqual({
    model: 'command-x',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Tide?' }] },
      {
        role: 'assistant',
        tool_plan: 'I will look.',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{"port":"Brest"}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'high' },
    ],
    tools: [{ type: 'function', function: { name: 'tide', parameters: { type: 'object' } } }],
    tool_choice: 'REQUIRED',
    max_tokens: 7,
    temperature: 1,
    p: 0.5,
    stop_sequences: ['END'],
    stream: true,
  });
});

function bodyOf(change: Partial<Conversation>, own: JsonObject = {}): JsonObject {
  const asked = { role: 'user', parts: [{ type: 'text', text: 'Tide?' }] } as const;
  const conversation: Conversation = { messages: [asked], tools: [], sampling: {}, ...change };
  const request = { isStream: false, body: own, toConversation: () => conversation };
  return JSON.parse(String(encodeRequest(request as unknown as ConversationRequest, candidate).body));
}

test('CHAT-09 settings within what the API takes: a share of probability, and one penalty', () => {
  for (const [topP, p] of [
    [1, 0.99],
    [0, 0.01],
    [0.5, 0.5],
  ] as const) {
    expect(bodyOf({ sampling: { topP } }).p).toBe(p);
  }
  const penaltiesOf = (frequencyPenalty: number, presencePenalty: number) => {
    const { frequency_penalty, presence_penalty } = bodyOf({ sampling: { frequencyPenalty, presencePenalty } });
    return [frequency_penalty, presence_penalty];
  };
  expect(penaltiesOf(0, 0)).toEqual([undefined, undefined]);
  expect(penaltiesOf(0.5, 0.4)).toEqual([0.5, undefined]);
  expect(penaltiesOf(-1, 2)).toEqual([undefined, 1]);
});

test('TOOL-11 beside tools and documents the form of the answer is said in words', () => {
  const responseFormat = { type: 'json-schema', name: 'n', schema: { title: 'Tide' } } as const;
  expect(bodyOf({ responseFormat })).toMatchObject({ response_format: { type: 'json_object' } });
  for (const sent of [
    bodyOf({ responseFormat, tools: [{ name: 'tide', parameters: {} }] }),
    bodyOf({ responseFormat }, { documents: ['Ebb.'] }),
  ]) {
    expect(sent).not.toHaveProperty('response_format');
    expect(sent.messages).toMatchObject([
      { role: 'system', content: expect.stringContaining('Tide') },
      { role: 'user' },
    ]);
  }
});

test('CHAT-24 a message without a word is left out', () => {
  const blank = { type: 'text', text: '' } as const;
  const user = { role: 'user', parts: [{ type: 'text', text: 'Tide?' }] } as const;
  const messages = [{ role: 'system', parts: [blank] }, user, { role: 'user', parts: [blank] }] as const;
  expect(bodyOf({ messages }).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Tide?' }] }]);
});

test('TOOL-07 a picture that a tool returned follows the results, because a result can only be text', () => {
  const picture = { type: 'image', source: { kind: 'url', url: 'https://x.test/a.png' } } as const;
  const result = { type: 'tool-result', callId: 'c1', content: [picture], isError: false } as const;
  const conversation: Conversation = { messages: [{ role: 'tool', parts: [result] }], tools: [], sampling: {} };
  const request = { isStream: false, body: {}, toConversation: () => conversation } as unknown as ConversationRequest;
  expect(JSON.parse(String(encodeRequest(request, candidate).body)).messages).toEqual([
    { role: 'tool', tool_call_id: 'c1', content: '' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] },
  ]);
});

test('TOOL-07 the result of a tool that failed says so, and a call without arguments has an empty object', () => {
  const messages = [
    { role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', name: 'tide', argumentsText: '' }] },
    {
      role: 'tool',
      parts: [{ type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'no such port' }], isError: true }],
    },
  ];
  const request = {
    isStream: false,
    body: {},
    toConversation: () => ({ messages, tools: [], sampling: {} }),
  } as unknown as ConversationRequest;
  expect(JSON.parse(String(encodeRequest(request, candidate).body)).messages).toEqual([
    { role: 'assistant', tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: 'Error: no such port' },
  ]);
});

test('CHAT-24 documents, how to cite them and how careful to be are the caller’s own; a plan goes back as one', () => {
  const parts = [
    { type: 'reasoning', text: 'I will look.' },
    { type: 'tool-call', id: 'c1', name: 'tide', argumentsText: '{}' },
  ];
  const body = {
    documents: ['Ebb.', { id: 'd1', title: 'T', snippet: 'S' }, { id: 'd2', data: { text: 'x' } }, 7],
    citation_options: { mode: 'accurate' },
    safety_mode: 'STRICT',
  };
  const request = {
    isStream: false,
    body,
    toConversation: () => ({ messages: [{ role: 'assistant', parts }], tools: [], sampling: {} }),
  } as unknown as ConversationRequest;
  expect(JSON.parse(String(encodeRequest(request, candidate).body))).toMatchObject({
    messages: [{ role: 'assistant', tool_plan: 'I will look.', tool_calls: [{ id: 'c1' }] }],
    documents: ['Ebb.', { id: 'd1', data: { title: 'T', snippet: 'S' } }, { id: 'd2', data: { text: 'x' } }],
    citation_options: { mode: 'accurate' },
    safety_mode: 'STRICT',
  });
});

test('CHAT-38 citations with their place and their sources, whole and streamed', () => {
  const text = '🌊 Ebb at noon.';
  // The vendor counts signs, of which the wave is one.
  const cited = (start: number, end: number, said: string, sources: readonly JsonObject[]): JsonObject => ({
    ...{ start, end, text: said, type: 'TEXT_CONTENT', content_index: 0, sources },
  });
  const citations = [
    cited(2, 5, 'Ebb', [
      { type: 'document', id: 'doc:1', document: { id: 'doc:1', title: 'Tides', snippet: 'Ebb is at noon.' } },
      { type: 'tool', id: 'tide_x:0', tool_output: { url: 'https://t.test/1', title: 'T', text: 'noon' } },
    ]),
    cited(9, 13, 'not there', [{ type: 'tool', id: 'tide_x:0', tool_output: { content: 'noon' } }]),
    { ...cited(0, 3, 'Hm.', [{ type: 'document', id: 'doc:0' }]), type: 'THINKING_CONTENT' },
  ];
  const expected = [
    {
      ...{ url: null, title: 'Tides', citedText: 'Ebb is at noon.', documentIndex: 1 },
      range: { start: 3, end: 6 },
    },
    { url: 'https://t.test/1', title: 'T', citedText: 'noon', documentIndex: null, range: { start: 3, end: 6 } },
    { url: null, title: 'tide_x:0', citedText: 'noon', documentIndex: 0, range: null },
  ];
  const message = { content: [{ type: 'text', text }], citations };
  expect(toAnswer({ message, finish_reason: 'COMPLETE' }).parts).toEqual([{ type: 'text', text, citations: expected }]);
  const list = [
    { type: 'content-delta', index: 0, delta: { message: { content: { text } } } },
    ...citations.map((it) => ({ type: 'citation-start', delta: { message: { citations: it } } })),
    { type: 'content-end', index: 0 },
    { type: 'message-end', delta: { finish_reason: 'COMPLETE', usage } },
  ];
  const told = partsOf(list, 13).flatMap((part) => (part.type === 'citation' ? [part.citation] : []));
  expect(told).toEqual(expected);
});

test('CHAT-34 a whole answer with a plan and a call', () => {
  const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{}' } }];
  const json = { finish_reason: 'TOOL_CALL', message: { tool_plan: 'I will look.', tool_calls }, usage };
  expect(decodeAnswer(Buffer.from(JSON.stringify(json)))).toMatchObject({ kind: 'answer', finishReason: 'tool_calls' });
  expect(toAnswer(json).parts).toMatchObject([
    { type: 'reasoning', text: 'I will look.' },
    { type: 'tool-call', id: 'c1', name: 'tide', argumentsText: '{}' },
  ]);
  for (const body of ['{}', '[]', 'x', '{"message":{"tool_calls":[{"id":""}]}}']) {
    expect(decodeAnswer(Buffer.from(body)).kind).toBe('failure');
  }
});

const events: readonly JsonObject[] = [
  { type: 'message-start', id: 'm', delta: { message: { role: 'assistant' } } },
  { type: 'content-start', index: 0, delta: { message: { content: { type: 'thinking', thinking: '' } } } },
  { type: 'content-delta', index: 0, delta: { message: { content: { thinking: 'Hm.' } } } },
  { type: 'content-end', index: 0 },
  { type: 'content-delta', index: 1, delta: { message: { content: { text: 'Hé' } } } },
  { type: 'content-end', index: 1 },
  {
    type: 'tool-call-start',
    index: 0,
    delta: { message: { tool_calls: { id: 'c1', function: { name: 'f', arguments: '' } } } },
  },
  { type: 'tool-call-delta', index: 0, delta: { message: { tool_calls: { function: { arguments: '{"a":1}' } } } } },
  { type: 'tool-call-end', index: 0 },
  { type: 'a-word-of-next-year' },
  { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage } },
];

function partsOf(list: readonly JsonObject[], length: number): StreamPart[] {
  const bytes = Buffer.from(
    list.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
  );
  const decoder = createCohereStreamDecoder();
  const parts: StreamPart[] = [];
  for (let at = 0; at < bytes.length; at += length) parts.push(...decoder.push(bytes.subarray(at, at + length)));
  return [...parts, ...decoder.end()];
}

test.each([1, 13, 10_000])('CHAT-38 TOOL-08 BILL-09 a stream in pieces of %i bytes', (length) => {
  expect(partsOf(events, length)).toEqual([
    { type: 'reasoning-start' },
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'reasoning-end' },
    { type: 'text-start' },
    { type: 'text-delta', text: 'Hé' },
    { type: 'text-end' },
    { type: 'tool-input-start', index: 0, id: 'c1', name: 'f' },
    { type: 'tool-input-delta', index: 0, text: '{"a":1}' },
    { type: 'tool-input-end', index: 0 },
    { type: 'finish', reason: 'tool_calls', native: 'TOOL_CALL', stopSequence: null },
    { type: 'usage', usage: expect.objectContaining({ promptTokens: 9, completionTokens: 4 }) },
    { type: 'done' },
  ]);
});

test('STRM-07 an end with an error, and none at all, are no ends', () => {
  const failed = [{ type: 'message-end', delta: { error: 'boom', finish_reason: 'ERROR' } }];
  expect(partsOf(failed, 50)).toMatchObject([{ type: 'error', fault: { kind: 'upstream-error' } }]);
  expect(partsOf(events.slice(0, -1), 50).map(({ type }) => type)).not.toContain('finish');
});

test.each([-1, 0.5, '7', Number.MAX_SAFE_INTEGER])('BILL-11 a count of %s makes the record worthless', (count) => {
  expect(readUsage({ billed_units: { input_tokens: count, output_tokens: 1 } })).toBeNull();
});

test.each([
  [400, 'invalid request: message must be at least 1 token', 'rejected'],
  [400, 'too many tokens: total number of tokens in the prompt exceeds the limit', 'rejected'],
  [401, 'invalid api token', 'auth_failed'],
  [498, 'token', 'auth_failed'],
  [404, 'model not found', 'model_missing'],
  [429, 'rate', 'rate_limited'],
  [503, 'down', 'unavailable'],
])('ERR-56 ERR-57 ERR-58 %i "%s" is %s', (status, message, kind) => {
  expect(decodeError(status, {}, Buffer.from(JSON.stringify({ message }))).kind).toBe(kind);
});

test.each([
  [5, 5],
  [99, 20],
  [-1, 0],
  [undefined, 0],
])('of its tokens, %s of thinking are %i', (reasoning_tokens, reasoningTokens) => {
  const usage = {
    billed_units: { input_tokens: 10, output_tokens: 20 },
    tokens: { input_tokens: 70, reasoning_tokens },
  };
  expect(readUsage(usage)).toMatchObject({ promptTokens: 10, completionTokens: 20, reasoningTokens });
});

test('EMB-01 vectors of texts', () => {
  const parts = [{ type: 'text', text: 'a' }];
  const inputs = [{ parts, texts: ['a'], tokensEstimate: 1, isExact: false }];
  const request = { inputs, body: { dimensions: 2 }, needs: { imageInput: false } } as unknown as EmbeddingsRequest;
  const call = embeddingsCodec.encode(request, candidate);
  expect([call.path, JSON.parse(String(call.body))]).toEqual([
    '/v2/embed',
    {
      model: 'command-x',
      texts: ['a'],
      input_type: 'search_document',
      embedding_types: ['float'],
      output_dimension: 2,
    },
  ]);
  const answer = { embeddings: { float: [[0.5, 1]] }, meta: { billed_units: { input_tokens: 3 } } };
  const reply = { headers: {}, body: Buffer.from(JSON.stringify(answer)) };
  expect(embeddingsCodec.decode?.(reply, request, candidate)).toMatchObject({
    answer: { vectors: [[0.5, 1]] },
    usage: { promptTokens: 3 },
  });
  expect(
    embeddingsCodec.decode?.({ headers: {}, body: Buffer.from('{"embeddings":{"float":[]}}') }, request, candidate)
      ?.kind,
  ).toBe('failure');
});

test.each([
  // The template, which is read first and billed to nobody, is what the cache saves first.
  [{ billed: 50, read: 1_537, cached: 1_408 }, 0],
  [{ billed: 900, read: 1_000, cached: 700 }, 600],
  [{ billed: 900, read: 1_000, cached: 5_000 }, 900],
  [{ billed: 900, read: 1_000, cached: -1 }, 0],
])('of %j so many came from the cache', ({ billed, read, cached }, cachedTokens) => {
  const usage = {
    billed_units: { input_tokens: billed, output_tokens: 1 },
    ...{ tokens: { input_tokens: read, output_tokens: 1 }, cached_tokens: cached },
  };
  expect(readUsage(usage)).toMatchObject({ promptTokens: billed, cachedTokens });
});
