// A whole answer from an upstream of this dialect and from any other: it has everything that clients rely on, and the
// model's words are unchanged.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { sourcedJson } from '../../../test/json-source.ts';
import type { Answer } from '../../canonical/answer.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { parseMessagesRequest } from './parse-request.ts';
import { renderMessagesAnswer } from './render-answer.ts';
import { renderMessagesResponse } from './render-response.ts';
import { isSealed } from './sealed-reasoning.ts';

const request = parseMessagesRequest({ model: 'a/b', max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] });
const context = { id: 'gen-1', modelId: 'acme/model', createdSeconds: 5, request };
const bill = {
  usage: { ...zeroUsage, promptTokens: 100, completionTokens: 20, cachedTokens: 60, cacheWriteTokens: 10 },
  costUsd: 0.25,
};
const usage = {
  input_tokens: 30,
  output_tokens: 20,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
  tollgate_cost: 0.25,
};

describe('from an upstream of this dialect', () => {
  const whole = readFileSync(new URL('./__fixtures__/whole-answer.json', import.meta.url), 'utf8');

  test('MSGS-07 MSGS-08 only the id, the model and the usage change, and the provider goes', () => {
    const json: JsonObject = JSON.parse(whole);
    const rendered = JSON.parse(String(renderMessagesResponse(sourcedJson(json), context, bill)));
    const { provider: _provider, usage: sent, ...others } = json;
    expect(rendered).toEqual({
      ...others,
      id: 'gen-1',
      model: 'acme/model',
      usage: { ...(sent as object), ...usage },
    });
    expect(json).toEqual(JSON.parse(whole));
  });

  test('MSGS-08 what the upstream says of money is not for the caller', () => {
    const paid = { input_tokens: 7, service_tier: 'standard', cost: 9, cost_details: { upstream: 1 }, is_byok: true };
    const rendered = JSON.parse(String(renderMessagesResponse(sourcedJson({ usage: paid }), context, bill)));
    expect(rendered.usage).toEqual({ service_tier: 'standard', ...usage });
  });

  test('members that clients need are there even when the upstream forgot them', () => {
    expect(JSON.parse(String(renderMessagesResponse(sourcedJson({}), context, bill)))).toEqual({
      id: 'gen-1',
      type: 'message',
      role: 'assistant',
      model: 'acme/model',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage,
    });
  });
});

describe('from an upstream of another format', () => {
  const answer: Answer = {
    parts: [
      { type: 'reasoning', text: 'Hm.', signature: 'EqQB' },
      { type: 'reasoning', text: '', redactedData: 'Emw' },
      { type: 'text', text: 'Let me look.' },
      { type: 'text', text: '' },
      { type: 'tool-call', id: 'call_1', name: 'look', argumentsText: '{"n": 12345678901234567890}' },
    ],
    finishReason: 'tool_calls',
    nativeFinishReason: 'tool_calls',
    stopSequence: null,
    usage: null,
  };
  const contentOf = (parts: Answer['parts']) =>
    JSON.parse(renderMessagesAnswer({ ...answer, parts }, context, bill)).content;

  test('MSGS-06 MSGS-07 MSGS-08 every kind of block', () => {
    const text = renderMessagesAnswer(answer, context, bill);
    expect(text).toContain('"input":{"n": 12345678901234567890}');
    expect(JSON.parse(text)).toMatchObject({
      id: 'gen-1',
      type: 'message',
      role: 'assistant',
      model: 'acme/model',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
        { type: 'redacted_thinking', data: 'Emw' },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_1', name: 'look' },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage,
    });
  });

  test.each([
    ['', {}],
    [' ', {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":', { INVALID_JSON: '{"a":' }],
    ['[1]', { INVALID_JSON: '[1]' }],
    ['{},"stop_reason":"x"', { INVALID_JSON: '{},"stop_reason":"x"' }],
  ])('arguments %j', (argumentsText, input) => {
    expect(contentOf([{ type: 'tool-call', id: 'a', name: 'f', argumentsText }])).toEqual([
      { type: 'tool_use', id: 'a', name: 'f', input },
    ]);
  });

  test('thinking without a signature can be told apart when it comes back', () => {
    const [block] = contentOf([{ type: 'reasoning', text: 'Hm.' }]);
    expect(isSealed(block.signature)).toBe(true);
  });

  test('an answer without content has one empty block', () => {
    expect(contentOf([])).toEqual([{ type: 'text', text: '' }]);
  });

  test('a stop sequence that was met is named', () => {
    const stopped: Answer = { ...answer, parts: [], finishReason: 'stop', stopSequence: 'END' };
    expect(JSON.parse(renderMessagesAnswer(stopped, context, bill))).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    });
  });
});
