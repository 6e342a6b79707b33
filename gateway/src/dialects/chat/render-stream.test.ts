// A stream that came in another format, as chat chunks: the order, the members and the end that clients rely on.

import { createParser } from 'eventsource-parser';
import { expect, test } from 'vitest';
import type { StreamPart } from '../../canonical/stream-part.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { StreamFinish } from '../stream-pipe.ts';
import { chatDialect } from './chat-dialect.ts';

const STOP: StreamFinish = { reason: 'stop', native: null, stopSequence: null };
const USAGE = { ...zeroUsage, promptTokens: 3, completionTokens: 4 };

function createRenderer(body: object = {}) {
  const request = chatDialect.parse({ model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], ...body });
  return chatDialect.createRenderer({ id: 'gen-1', modelId: 'acme/one', createdSeconds: 17, request });
}

function read(text: string) {
  const data: string[] = [];
  createParser({ onEvent: (event) => data.push(event.data) }).feed(text);
  return data;
}

function chunksOf(parts: readonly StreamPart[], finish: StreamFinish = STOP, body: object = {}) {
  const renderer = createRenderer(body);
  const text = parts.map((part) => renderer.render(part)).join('') + renderer.finale(finish, USAGE, 0.5);
  const data = read(text);
  expect(data.pop()).toBe('[DONE]');
  return data.map((json) => JSON.parse(json));
}

const deltasOf = (...args: Parameters<typeof chunksOf>) => chunksOf(...args).map(({ choices }) => choices[0].delta);

test('STRM-01 STRM-02 STRM-04 one envelope, the role first, finish and usage last', () => {
  const parts: StreamPart[] = [
    { type: 'text-start' },
    { type: 'text-delta', text: 'Grüß ' },
    { type: 'text-delta', text: '"dich"\n' },
    { type: 'text-end' },
  ];
  const envelope = { id: 'gen-1', object: 'chat.completion.chunk', created: 17, model: 'acme/one' };
  const choice = (delta: object) => ({ ...envelope, choices: [{ index: 0, delta, finish_reason: null }] });
  expect(chunksOf(parts, { ...STOP, native: 'end_turn' })).toEqual([
    choice({ role: 'assistant', content: 'Grüß ' }),
    choice({ content: '"dich"\n' }),
    {
      ...envelope,
      choices: [{ index: 0, delta: {}, finish_reason: 'stop', native_finish_reason: 'end_turn' }],
      usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7, cost: 0.5 }),
    },
  ]);
});

test('STRM-02 a stream without content still names its role', () => {
  const [chunk] = chunksOf([]);
  expect(chunk.choices).toEqual([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'stop' }]);
});

test('TOOL-08 interleaved calls: id, type and name once, then the arguments by index', () => {
  const parts: StreamPart[] = [
    { type: 'tool-input-start', index: 0, id: 'a', name: 'f' },
    { type: 'tool-input-start', index: 1, id: 'b', name: 'g' },
    { type: 'tool-input-delta', index: 1, text: '{"x":' },
    { type: 'tool-input-delta', index: 0, text: '{}' },
    { type: 'tool-input-delta', index: 1, text: '1}' },
    { type: 'tool-input-end', index: 0 },
    { type: 'tool-input-end', index: 1 },
  ];
  const start = (index: number, id: string, name: string) => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
  });
  const more = (index: number, text: string) => ({ tool_calls: [{ index, function: { arguments: text } }] });
  expect(deltasOf(parts, { ...STOP, reason: 'tool_calls' })).toEqual([
    { role: 'assistant', content: '', ...start(0, 'a', 'f') },
    start(1, 'b', 'g'),
    more(1, '{"x":'),
    more(0, '{}'),
    more(1, '1}'),
    {},
  ]);
});

test('a call of a tool that takes plain text', () => {
  const start = { type: 'tool-input-start', index: 0, id: 'a', name: 'patch' } as const;
  const delta = (text: string) => ({ type: 'tool-input-delta', index: 0, text }) as const;
  const end = { type: 'tool-input-end', index: 0 } as const;
  const opening = {
    role: 'assistant',
    content: '',
    tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'patch', input: '' } }],
  };
  const more = (input: string) => ({ tool_calls: [{ index: 0, custom: { input } }] });
  const plain = [{ ...start, isPlain: true }, delta('+"'), delta('\n'), end];
  expect(deltasOf(plain, STOP)).toEqual([opening, more('+"'), more('\n'), {}]);
  // An index may be used again, for a function.
  const again = [...plain, { ...start, id: 'b', name: 'look' }, delta('{}'), end];
  expect(deltasOf(again, STOP).slice(3)).toEqual([
    { tool_calls: [{ index: 0, id: 'b', type: 'function', function: { name: 'look', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    {},
  ]);
});

const THOUGHTS: readonly StreamPart[] = [
  { type: 'reasoning-start' },
  { type: 'reasoning-delta', text: 'h' },
  { type: 'reasoning-delta', text: 'm' },
  { type: 'reasoning-end', signature: 'sig' },
  { type: 'reasoning-start' },
  { type: 'reasoning-end', redactedData: 'red' },
  { type: 'reasoning-start', itemId: 'rs_1' },
  { type: 'reasoning-delta', text: 'short' },
  { type: 'reasoning-end', encryptedContent: 'enc' },
  { type: 'text-start' },
  { type: 'text-delta', text: 'x' },
  { type: 'text-end' },
];

test('thinking has its text beside its details, and the opaque half closes it', () => {
  const item = { id: 'rs_1', format: 'openai-responses-v1', index: 2 };
  expect(deltasOf(THOUGHTS).slice(0, -2)).toEqual([
    {
      role: 'assistant',
      content: '',
      reasoning: 'h',
      reasoning_details: [{ type: 'reasoning.text', text: 'h', index: 0 }],
    },
    { reasoning: 'm', reasoning_details: [{ type: 'reasoning.text', text: 'm', index: 0 }] },
    { reasoning_details: [{ type: 'reasoning.text', text: '', signature: 'sig', index: 0 }] },
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'red', index: 1 }] },
    { reasoning: 'short', reasoning_details: [{ type: 'reasoning.summary', summary: 'short', ...item }] },
    { reasoning_details: [{ type: 'reasoning.encrypted', data: 'enc', ...item }] },
  ]);
});

test('CHAT-17 hidden thinking is not sent', () => {
  expect(deltasOf(THOUGHTS, STOP, { reasoning: { exclude: true } })).toEqual([{ role: 'assistant', content: 'x' }, {}]);
});

test('STRM-07 a failure is one error frame and the end mark', () => {
  const frames = read(createRenderer().failure(new ApiError('upstream_unavailable', 'It broke.')));
  expect(frames).toHaveLength(2);
  expect(JSON.parse(frames[0] ?? '')).toEqual({ error: expect.objectContaining({ message: 'It broke.' }) });
  expect(frames[1]).toBe('[DONE]');
});

test('STRM-03 a keep-alive is a comment', () => {
  expect(createRenderer().keepAliveFrame).toMatch(/^: .*\n\n$/);
  expect(read(createRenderer().keepAliveFrame)).toEqual([]);
});

test('citations come when their text has ended, with its place in the answer', () => {
  const page = { url: 'https://a.example', title: 'A', citedText: 'Quoted.', documentIndex: null, range: null };
  const place = { url: null, title: 'facts.txt', citedText: null, documentIndex: 2, range: null };
  const deltas = deltasOf([
    { type: 'text-start' },
    { type: 'text-delta', text: 'One.' },
    { type: 'text-end' },
    { type: 'text-start' },
    { type: 'citation', citation: page },
    { type: 'text-delta', text: 'Two.' },
    { type: 'citation', citation: place },
    { type: 'text-end' },
  ]);
  expect(deltas.flatMap((delta) => delta.annotations ?? [])).toEqual([
    {
      type: 'url_citation',
      url_citation: { url: 'https://a.example', title: 'A', start_index: 4, end_index: 8, content: 'Quoted.' },
    },
    { type: 'url_citation', url_citation: { url: 'document:2', title: 'facts.txt', start_index: 4, end_index: 8 } },
  ]);
});
