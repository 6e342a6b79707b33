// Upstreams that write every member, empty or not, are understood by clients that check what they get.

import { expect, test } from 'vitest';
import { sourcedJson } from '../../../test/json-source.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { parseChatRequest } from './parse-request.ts';
import { renderChatResponse } from './render-response.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

const EMPTY = { role: null, content: null, reasoning_content: null, tool_calls: null };
const TOOLS = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];

function deltasOf(...deltas: object[]): object[] {
  const body = { model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }], tools: TOOLS };
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 5, request: parseChatRequest(body) };
  const splicer = new ChatStreamSplicer(context, () => zeroUsage);
  let output = '';
  for (const delta of deltas) {
    const choices = [{ index: 0, delta, finish_reason: null }];
    const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices };
    output += splicer.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
  }
  const frames = output.split('\n\n').filter((frame) => frame !== '');
  return frames.map((frame) => JSON.parse(frame.slice('data: '.length)).choices[0].delta);
}

test.each([null, ''])('CHAT-34 STRM-02 the first delta has a role, also where it came as %j', (role) => {
  expect(deltasOf({ ...EMPTY, role, content: 'He' }, { role, content: 'y' }, { content: '.' })).toEqual([
    { role: 'assistant', content: 'He', reasoning_content: null },
    { content: 'y' },
    { content: '.' },
  ]);
});

test('CHAT-34 STRM-02 empty members are left out after deltas without them, too', () => {
  const deltas = [{ role: 'assistant', content: 'a' }, { content: 'b' }, { content: 'c' }];
  expect(deltasOf(...deltas, { ...EMPTY, content: 'd', audio: null, reasoning_details: null })).toEqual([
    ...deltas,
    { content: 'd', reasoning_content: null },
  ]);
});

test('CHAT-34 STRM-02 what a text says of empty members stays as it is', () => {
  const content = 'Write "tool_calls": null, or "role":"".';
  expect(deltasOf({ role: 'assistant', content: 'a' }, { content: 'b' }, { content })[2]).toEqual({ content });
});

test.each([null, ''])('TOOL-06 the rest of a call does not take its name away with %j', (blank) => {
  const begun = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } };
  const rest = { index: 0, id: blank, type: blank, function: { name: blank, arguments: '{}' } };
  expect(
    deltasOf(
      { role: 'assistant', content: '' },
      { ...EMPTY, tool_calls: [begun] },
      { tool_calls: [rest] },
      { tool_calls: [{ index: 0, id: blank, function: { arguments: ' ' } }] },
    ).slice(1),
  ).toEqual([
    { content: null, reasoning_content: null, tool_calls: [begun] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ' ' } }] },
  ]);
});

test('CHAT-34 a whole answer has no empty lists or objects', () => {
  const message = { ...EMPTY, content: 'Hi', refusal: null, audio: null, images: null, annotations: null };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const rendering = { id: 'gen-1', modelId: 'acme/one', usage: zeroUsage, costUsd: 0, hidesReasoning: false };
  const answer = String(renderChatResponse(sourcedJson({ created: 1_700_000_000, choices }), rendering));
  const expected = { role: 'assistant', content: 'Hi', reasoning_content: null, refusal: null };
  expect(JSON.parse(answer).choices[0].message).toEqual(expected);
});
