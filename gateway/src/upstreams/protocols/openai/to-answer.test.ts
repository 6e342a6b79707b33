// A whole answer holds the same as its stream would, in the same order.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deepFreeze } from '../../../../test/translation/deep-freeze.ts';
import type { JsonObject } from '../../../canonical/json.ts';
import { toAnswer } from './to-answer.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`__fixtures__/${name}`, import.meta.url), 'utf8'));
const answerOf = (message: object, choice: object = {}) =>
  toAnswer(deepFreeze({ id: 'chatcmpl-1', choices: [{ index: 0, message, finish_reason: 'stop', ...choice }] }));

test('CHAT-34 a text answer', () => {
  const answer = toAnswer(deepFreeze(fixture('chat-text.json')));
  expect(answer.parts).toEqual([{ type: 'text', text: expect.stringMatching(/./) }]);
  expect(answer).toMatchObject({ finishReason: 'stop', nativeFinishReason: 'stop', stopSequence: null });
  expect(answer.usage?.promptTokens).toBeGreaterThan(0);
});

test('TOOL-06 tool calls, their arguments to the byte', () => {
  const json = fixture('chat-tool-calls.json');
  const answer = toAnswer(deepFreeze(json));
  const [choice] = json.choices as [{ message: { tool_calls: { id: string; function: JsonObject }[] } }];
  const expected = choice.message.tool_calls.map(({ id, function: callee }) => ({
    type: 'tool-call',
    id,
    name: callee.name,
    argumentsText: callee.arguments,
  }));
  expect(answer.parts.filter(({ type }) => type === 'tool-call')).toEqual(expected);
  expect(answer.finishReason).toBe('tool_calls');
});

test('a call of a tool that takes plain text, also where the other kind of call stands beside each', () => {
  const custom = { id: 'a', type: 'custom', custom: { name: 'patch', input: '+ "x"' } };
  const callee = { id: 'b', type: 'function', function: { name: 'f', arguments: '{}' } };
  const expected = [
    { type: 'tool-call', id: 'a', name: 'patch', argumentsText: '{"input":"+ \\"x\\""}', plainInput: '+ "x"' },
    { type: 'tool-call', id: 'b', name: 'f', argumentsText: '{}' },
  ];
  expect(answerOf({ tool_calls: [custom, callee] }).parts).toEqual(expected);
  const nothing = { name: '', input: '', arguments: '' };
  const both = [
    { ...custom, function: nothing },
    { ...callee, custom: nothing },
  ];
  expect(answerOf({ tool_calls: both }).parts).toEqual(expected);
});

test('two calls with one id or index are still two', () => {
  const call = (text: string) => ({ id: 'a', index: 0, function: { name: 'f', arguments: text } });
  expect(answerOf({ content: null, tool_calls: [call('{"n":1}'), call('{"n":2}')] }).parts).toEqual([
    { type: 'tool-call', id: 'a', name: 'f', argumentsText: '{"n":1}' },
    { type: 'tool-call', id: 'a', name: 'f', argumentsText: '{"n":2}' },
  ]);
});

describe('thinking', () => {
  test.each(['reasoning', 'reasoning_content'])('as %s', (member) => {
    expect(answerOf({ content: 'a', [member]: 'hm' }).parts).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
    ]);
  });

  test('as details, each with its opaque half', () => {
    const details = [
      { type: 'reasoning.text', text: 'one', signature: 's1', index: 0 },
      { type: 'reasoning.encrypted', data: 'r', index: 1 },
      { type: 'reasoning.text', text: 'two', signature: 's2', index: 2 },
    ];
    expect(answerOf({ content: 'a', reasoning: 'onetwo', reasoning_details: details }).parts).toEqual([
      { type: 'reasoning', text: 'one', signature: 's1' },
      { type: 'reasoning', text: '', redactedData: 'r' },
      { type: 'reasoning', text: 'two', signature: 's2' },
      { type: 'text', text: 'a' },
    ]);
  });
});

test('content as parts, and a refusal as text', () => {
  expect(
    answerOf({
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    }).parts,
  ).toEqual([{ type: 'text', text: 'ab' }]);
  expect(answerOf({ content: null, refusal: 'I cannot.' }).parts).toEqual([{ type: 'text', text: 'I cannot.' }]);
});

test('CHAT-35 the upstream’s own word is kept', () => {
  expect(answerOf({ content: 'a' }, { finish_reason: 'MAX_TOKENS' })).toMatchObject({
    finishReason: 'length',
    nativeFinishReason: 'MAX_TOKENS',
  });
  expect(answerOf({ content: 'a' }, { native_finish_reason: 'end_turn' }).nativeFinishReason).toBe('end_turn');
  expect(answerOf({ content: 'a' }, { finish_reason: null })).toMatchObject({
    finishReason: 'stop',
    nativeFinishReason: null,
  });
});

test('any JSON becomes an answer', () => {
  const json = fc.oneof(
    fc.dictionary(fc.constantFrom('id', 'choices', 'usage'), fc.jsonValue()),
    fc.record({ choices: fc.array(fc.record({ message: fc.jsonValue(), finish_reason: fc.jsonValue() })) }),
  );
  fc.assert(
    fc.property(json, (value) => {
      expect(Array.isArray(toAnswer(deepFreeze(value)).parts)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
