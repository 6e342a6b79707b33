// An answer keeps all of the upstream's members except those that the gateway itself writes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { jsonSource, sourcedJson } from '../../../test/json-source.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { type ChatRendering, renderChatResponse } from './render-response.ts';

const fixture = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`./__fixtures__/${name}.json`, import.meta.url), 'utf8'));
const rendering: ChatRendering = {
  id: 'gen-1',
  modelId: 'acme/coder-1',
  usage: { ...zeroUsage, promptTokens: 1_200, completionTokens: 48 },
  costUsd: 0.002,
  hidesReasoning: false,
  createdSeconds: 1_800_000_000,
};
const render = (json: JsonObject, change: Partial<ChatRendering> = {}) =>
  JSON.parse(String(renderChatResponse(sourcedJson(json), { ...rendering, ...change })));

test('CHAT-33 CHAT-36 CHAT-38 CHAT-39 id, model, usage and provider change, nothing else does', () => {
  const upstream = fixture('upstream-text-answer');
  const before = structuredClone(upstream);
  const { provider, ...others } = before;
  const response = render(upstream);
  expect(provider).toBeDefined();
  expect(response).toEqual({ ...others, id: 'gen-1', model: 'acme/coder-1', usage: response.usage });
  expect(response.usage).toMatchObject({
    prompt_tokens: 1_200,
    completion_tokens: 48,
    total_tokens: 1_248,
    cost: 0.002,
  });
});

test('CHAT-33 object and created are there even when the upstream forgot them', () => {
  const response = render({ choices: [{ message: { content: 'x' } }] });
  expect(response).toMatchObject({ object: 'chat.completion', created: 1_800_000_000 });
  for (const created of ['soon', -1, 0, 1_700_000_000.5, 1_700_000_000_000]) {
    expect(render({ created, choices: [{ message: {} }] }).created).toBe(1_800_000_000);
  }
});

test('CHAT-34 choices get what clients rely on', () => {
  const { choices } = render({ choices: [{ message: { content: 'a' } }, { index: 'x', message: { role: 'model' } }] });
  expect(choices).toEqual([
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } },
    { index: 1, finish_reason: 'stop', message: { role: 'assistant', content: null } },
  ]);
});

test('CHAT-08 all choices are returned with their index', () => {
  const choices = [0, 1, 2].map((index) => ({ index, message: { content: `${index}` }, finish_reason: 'stop' }));
  expect(render({ choices }).choices.map((choice: JsonObject) => choice.index)).toEqual([0, 1, 2]);
});

test('TOOL-06 tool calls pass untouched and decide the finish reason', () => {
  const upstream = fixture('upstream-tool-answer');
  const [choice] = render(upstream).choices;
  const [original] = upstream.choices as [{ message: JsonObject }];
  expect(choice.message.tool_calls).toEqual(original.message.tool_calls);
  expect(choice.message.content).toBeNull();
  expect(choice).toMatchObject({ finish_reason: 'tool_calls', native_finish_reason: 'stop' });
});

test('CHAT-17 hidden reasoning leaves no trace, and otherwise passes', () => {
  const upstream = fixture('upstream-tool-answer');
  expect(render(upstream).choices[0].message).toHaveProperty('reasoning_content');
  const [choice] = render(upstream, { hidesReasoning: true }).choices;
  expect(Object.keys(choice.message).sort()).toEqual(['content', 'role', 'tool_calls']);
});

test("STRM-08 an error on a choice keeps its status and loses the upstream's words", () => {
  const error = { code: 503, message: 'node-17.internal is out of memory' };
  const [choice] = render({ choices: [{ message: { content: '' }, finish_reason: 'error', error }] }).choices;
  expect(choice.finish_reason).toBe('error');
  expect(choice.error).toEqual({ code: 503, message: 'The upstream model failed while answering.' });
  const [other] = render({ choices: [{ message: {}, error: { code: 'oom' } }] }).choices;
  expect(other.error.code).toBe(502);
  for (const nothing of [{}, '', false, { code: 0, message: '' }]) {
    const whole = { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop', error: nothing };
    expect(render({ choices: [whole] }).choices[0]).not.toHaveProperty('error');
  }
  for (const words of ['out of memory', ['out of memory']]) {
    const message = { role: 'assistant', content: '' };
    const [spoken] = render({ choices: [{ index: 0, message, finish_reason: 'error', error: words }] }).choices;
    expect(spoken.error).toEqual({ code: 502, message: 'The upstream model failed while answering.' });
  }
});

test('CHAT-34 a finish that is empty is read from the answer', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };
  const messages = [{ content: 'Hi' }, { content: '', tool_calls: [call] }];
  const { choices } = render({ choices: messages.map((message, index) => ({ index, finish_reason: '', message })) });
  expect(choices.map((choice: JsonObject) => choice.finish_reason)).toEqual(['stop', 'tool_calls']);
});

describe('what the upstream wrote', () => {
  const choice =
    '{ "index":0, "message":{"role":"assistant","content":"caf\\u00e9", "x":1.0},"y":[12345678901234567890]';
  const renderText = (text: string): string => {
    const source = jsonSource(text);
    return String(renderChatResponse({ json: source.json, source }, rendering));
  };

  test('CHAT-34 reaches the client to the byte where nothing in it has to change', () => {
    const choices = `"choices": [ ${choice},"finish_reason":"stop"} ]`;
    const text = renderText(`{"id":"up","model":"m", ${choices}, "unheard_of" : {"n":98765432109876543210}}`);
    expect(text).toContain(choices);
    expect(text).toContain('"unheard_of" : {"n":98765432109876543210}');
    expect(JSON.parse(text)).toMatchObject({ id: 'gen-1', model: 'acme/coder-1', object: 'chat.completion' });
  });

  test('CHAT-34 keeps its large integers where something beside them has to change', () => {
    const text = renderText(`{"choices":[${choice},"finish_reason":"end_turn"}]}`);
    expect(text).toContain('"y":[12345678901234567890]');
    expect(JSON.parse(text).choices[0]).toMatchObject({ finish_reason: 'stop', native_finish_reason: 'end_turn' });
  });
});
