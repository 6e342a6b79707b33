// A model's words reach clients as a text and its thinking beside it, also where its vendor gives both as parts.

import { expect, test } from 'vitest';
import { sourcedJson } from '../../../test/json-source.ts';
import { zeroUsage } from '../../canonical/usage.ts';
import { parseChatRequest } from './parse-request.ts';
import { renderChatResponse } from './render-response.ts';
import { ChatStreamSplicer } from './splice-stream.ts';

const text = (words: string): object => ({ type: 'text', text: words });
const thinking = (words: string): object => ({ type: 'thinking', thinking: [text(words)] });

function whole(content: unknown, hidesReasoning = false): object {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' };
  const rendering = { id: 'gen-1', modelId: 'acme/one', usage: zeroUsage, costUsd: 0, hidesReasoning };
  const answer = renderChatResponse(sourcedJson({ created: 1_700_000_000, choices: [choice] }), rendering);
  return JSON.parse(String(answer)).choices[0].message;
}

test.each<[string, unknown, object]>([
  ['thinking and text', [thinking('Hm'), thinking('.'), text('Y'), text('es.')], { content: 'Yes.', reasoning: 'Hm.' }],
  ['thinking as a text', [{ type: 'thinking', thinking: 'Hm.' }, text('Yes.')], { content: 'Yes.', reasoning: 'Hm.' }],
  ['texts alone', [text('Yes')], { content: 'Yes' }],
  ['thinking alone', [thinking('Hm.')], { content: null, reasoning: 'Hm.' }],
  ['nothing', [], { content: null }],
  ['something else as well', [text('a'), { type: 'sound' }], { content: [text('a'), { type: 'sound' }] }],
])('CHAT-34 a whole answer of %s', (_of, content, expected) => {
  expect(whole(content)).toEqual({ role: 'assistant', ...expected });
});

test('CHAT-17 thinking in parts is left out of an answer that is to have none', () => {
  expect(whole([thinking('Hm.'), text('Yes.')], true)).toEqual({ role: 'assistant', content: 'Yes.' });
});

test('STRM-02 CHAT-34 parts in a stream, before and after texts', () => {
  const body = { model: 'acme/one', messages: [{ role: 'user', content: 'Hi' }] };
  const context = { id: 'gen-1', modelId: 'acme/one', createdSeconds: 5, request: parseChatRequest(body) };
  const splicer = new ChatStreamSplicer(context, () => zeroUsage);
  const contents = [
    [thinking('Hm')],
    [thinking('.')],
    [text('Y')],
    'e',
    's',
    '.',
    [thinking('Ah')],
    [text('No.')],
    '!',
  ];
  let output = '';
  for (const content of contents) {
    const choices = [{ index: 0, delta: { content }, finish_reason: null }];
    const chunk = { id: 'u', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', choices };
    output += splicer.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`));
  }
  const deltas = output
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => JSON.parse(frame.slice('data: '.length)).choices[0].delta);
  const all = (name: string): string => deltas.map((delta) => delta[name] ?? '').join('');
  expect([all('content'), all('reasoning')]).toEqual(['Yes.No.!', 'Hm.Ah']);
});
