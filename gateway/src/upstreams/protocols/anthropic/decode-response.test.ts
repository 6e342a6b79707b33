// A whole message is recognised as one or becomes a failure, and keeps everything on its way to the neutral form.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeMessage } from './decode-response.ts';
import { toAnswer } from './to-answer.ts';

const fixture = readFileSync(new URL('./__fixtures__/message-thinking-tools.json', import.meta.url));
const decode = (value: unknown) =>
  decodeMessage(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)));
const failureOf = (value: unknown) => {
  const decoded = decode(value);
  if (decoded.kind !== 'failure') throw new Error('expected a failure');
  return decoded.failure;
};

const usage = {
  promptTokens: 1_210,
  completionTokens: 90,
  cachedTokens: 1_000,
  cacheWriteTokens: 200,
  reasoningTokens: 40,
  promptAudioTokens: 0,
  completionImageTokens: 0,
};

test('MSGS-07 CHAT-41 a message is passed on as it came, with its usage and finish read', () => {
  expect(decodeMessage(fixture)).toMatchObject({
    kind: 'answer',
    source: { json: JSON.parse(fixture.toString('utf8')), bytes: fixture },
    usage,
    finishReason: 'tool_calls',
  });
});

test('TOOL-06 CHAT-35 MSGS-06 thinking, text and calls become parts in their order, with their opaque halves', () => {
  expect(toAnswer(JSON.parse(fixture.toString('utf8')))).toEqual({
    parts: [
      { type: 'reasoning', text: 'Two cities.', signature: 'EqQBCkYIBxgCKkBz==' },
      { type: 'reasoning', text: '', redactedData: 'EmwKAhgBEgy3va==' },
      { type: 'text', text: 'Let me look.' },
      {
        type: 'block',
        block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      },
      {
        ...{ type: 'tool-call', id: 'toolu_A', name: 'get_weather', argumentsText: '{"city":"Zürich","days":[1,2]}' },
        own: { caller: { type: 'direct' } },
      },
      { type: 'tool-call', id: 'toolu_B', name: 'now', argumentsText: '{}' },
    ],
    finishReason: 'tool_calls',
    nativeFinishReason: 'tool_use',
    stopSequence: null,
    usage,
  });
});

test.each([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
  ['something_new', 'stop'],
])('CHAT-34 CHAT-35 %s ends as %s and keeps its own word', (native, reason) => {
  const message = { content: [], stop_reason: native, stop_sequence: 'END' };
  expect(decode(message)).toMatchObject({ kind: 'answer', finishReason: reason });
  expect(toAnswer(message)).toMatchObject({ finishReason: reason, nativeFinishReason: native, stopSequence: 'END' });
});

test('an empty answer is an answer, without a usage when there is none', () => {
  expect(decode({ content: [] })).toMatchObject({
    kind: 'answer',
    source: { json: { content: [] } },
    usage: null,
    finishReason: null,
  });
});

describe('what is no answer', () => {
  test('F20 bodies that are not messages', () => {
    const bodies = ['', 'oops', '[]', 'null', '{"content":', '{}', '{"content":"text"}', '{"content":[null]}'];
    for (const body of bodies) expect(failureOf(body).kind).toBe('malformed');
    expect(failureOf({ content: [{ text: 'no type' }] }).kind).toBe('malformed');
    expect(failureOf({ content: [{ type: 'tool_use', name: 'f', input: {} }] }).kind).toBe('malformed');
    expect(failureOf({ content: [{ type: 'tool_use', id: 'a', name: 5, input: {} }] }).kind).toBe('malformed');
  });

  test('F20 nesting without end', () => {
    expect(failureOf(`{"content":${'['.repeat(300_000)}`).kind).toBe('malformed');
  });

  test('an error under a good status', () => {
    const envelope = (type: string) => ({ type: 'error', error: { type, message: 'sk-ant-api03-SECRETSECRET' } });
    expect(failureOf(envelope('rate_limit_error'))).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: null });
    expect(failureOf(envelope('api_error')).kind).toBe('unavailable');
    expect(failureOf(envelope('api_error')).detail).not.toContain('SECRET');
    expect(failureOf({ type: 'error' }).kind).toBe('unavailable');
  });
});

test('whatever a stranger sends, there is a value and never an exception', () => {
  const block = fc.dictionary(
    fc.constantFrom('type', 'text', 'id', 'name', 'input', 'thinking', 'signature', 'data'),
    fc.oneof(fc.constantFrom('text', 'thinking', 'redacted_thinking', 'tool_use'), fc.jsonValue({ maxDepth: 1 })),
  );
  const message = fc.record(
    {
      content: fc.oneof(fc.array(fc.oneof(block, fc.jsonValue())), fc.jsonValue()),
      usage: fc.jsonValue(),
      stop_reason: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(message, (json) => {
      const decoded = decode(json);
      if (decoded.kind === 'failure') return;
      for (const part of toAnswer(decoded.source.json).parts) {
        if (part.type === 'tool-call') expect(part.argumentsText).not.toBe('');
      }
    }),
    { numRuns: 1_000 },
  );
});
