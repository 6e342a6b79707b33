// Peculiarities of upstreams that copy this protocol, as they were seen on the wire: with each of them the client still
// gets its answer.

import { describe, expect, test } from 'vitest';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import { createChatStreamDecoder } from './decode-stream.ts';

const frame = (choice: object, others: object = {}): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-1', choices: [{ index: 0, ...choice }], ...others })}\n\n`;
const FINISH = frame({ delta: {}, finish_reason: 'stop' });
const DONE = 'data: [DONE]\n\n';

function decodeText(...frames: string[]): StreamPart[] {
  const decoder = createChatStreamDecoder();
  return [...decoder.push(Buffer.from(frames.join(''))), ...decoder.end()];
}

const faultOf = (parts: readonly StreamPart[]) => parts.find((part) => part.type === 'error')?.fault;

describe('habits seen in recordings', () => {
  const types = (parts: readonly StreamPart[]) => parts.map(({ type }) => type);
  const said = frame({ delta: { content: 'Hi' } });

  test('STRM-01 an end mark that only a line break parts from the last frame', () => {
    const last = frame({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 3, completion_tokens: 1 } });
    const parts = decodeText(said, `${last.trimEnd()}\ndata: [DONE]\n\n`);
    expect(types(parts)).toEqual(['text-start', 'text-delta', 'text-end', 'finish', 'usage', 'done']);
  });

  test('STRM-07 a frame that finishes and has an error as well keeps its reason and its usage', () => {
    const error = { error: { code: 502, message: 'sk-secret' }, usage: { prompt_tokens: 3, completion_tokens: 1 } };
    const parts = decodeText(said, frame({ delta: {}, finish_reason: 'length' }, error), DONE);
    expect(parts).toContainEqual({ type: 'finish', reason: 'length', native: 'length', stopSequence: null });
    expect(types(parts)).toContain('usage');
    expect(faultOf(parts)).toBeUndefined();
  });

  test('sources in a list beside the answer, and in annotations', () => {
    const lists = {
      citations: ['https://a.example/1', 'https://b.example/2'],
      search_results: [{ url: 'https://b.example/2', title: 'Two', snippet: 'Of two.' }],
    };
    const listed = decodeText(frame({ delta: { content: 'Hi [1][2]' } }, lists), FINISH, DONE);
    expect(listed.flatMap((part) => (part.type === 'citation' ? [part.citation] : []))).toEqual([
      { url: 'https://a.example/1', title: null, citedText: null, documentIndex: null, range: null },
      { url: 'https://b.example/2', title: 'Two', citedText: 'Of two.', documentIndex: null, range: null },
    ]);
    expect(types(listed).indexOf('citation')).toBeLessThan(types(listed).indexOf('text-end'));
    const page = { url: 'https://c.example', title: 'C', start_index: 0, end_index: 2, content: 'See.' };
    const file = { type: 'file', file: { name: 'a.pdf', content: [{ type: 'text', text: 'Page one.' }] } };
    const annotations = [{ type: 'url_citation', url_citation: page }, file, { type: 'odd' }, 7];
    const parts = decodeText(said, frame({ delta: { annotations } }), FINISH, DONE);
    expect(parts.flatMap((part) => (part.type === 'citation' ? [part.citation] : []))).toEqual([
      { url: 'https://c.example', title: 'C', citedText: 'See.', documentIndex: null, range: { start: 0, end: 2 } },
      { url: null, title: 'a.pdf', citedText: 'Page one.', documentIndex: 1, range: null },
    ]);
  });

  test('CHAT-12 how likely its tokens were comes with the text', () => {
    const other = { token: 'Ha', logprob: -2, bytes: [72, 97] };
    const content = [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [other, { token: 7 }] }];
    const parts = decodeText(frame({ delta: { content: 'Hi' }, logprobs: { content } }), FINISH, DONE);
    expect(parts.find(({ type }) => type === 'logprobs')).toEqual({
      type: 'logprobs',
      tokens: [{ token: 'Hi', logprob: -0.5, others: [{ token: 'Ha', logprob: -2 }] }],
    });
  });
});
