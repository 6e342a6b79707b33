// What reviewers let through arrives whole: also the summary that a provider has made of a conversation, whose text is
// reviewed and whose proofs hold only for the text as it came.

import { createParser } from 'eventsource-parser';
import { describe, expect, test } from 'vitest';
import type { OutputReview } from '../canonical/answer.ts';
import type { JsonObject } from '../canonical/json.ts';
import { zeroUsage } from '../canonical/usage.ts';
import { createMessageStreamDecoder } from '../upstreams/protocols/anthropic/decode-stream.ts';
import { toAnswer } from '../upstreams/protocols/anthropic/to-answer.ts';
import { messagesDialect } from './messages/messages-dialect.ts';
import type { StreamPipe } from './stream-pipe.ts';

const redact = (text: string): string => text.replaceAll('heron', '[REDACTED]');
const whole = (texts: readonly string[]) => ({ texts: texts.map(redact), refusal: null });

/** Keeps all of a text back to its end. */
function openWindow() {
  let kept = '';
  return {
    refusal: null,
    push(text: string): string {
      kept += text;
      return '';
    },
    end: () => redact(kept),
  };
}

const reviews: readonly (readonly [string, OutputReview])[] = [
  ['in a window', { whole, openWindow }],
  ['as a whole', { whole, openWindow: null }],
];

const messages = [{ role: 'user', content: 'Hi' }];
const request = messagesDialect.parse({ model: 'a/b', max_tokens: 9, messages });
const context = { id: 'gen-1', modelId: 'a/b', createdSeconds: 5, request };
const proofs = { encrypted_content: 'sealed', signature: 'signed', tool_changes: [] };
const summary = (content: string | null) => ({ type: 'compaction', content, ...proofs });

function streamOf(content: string | null): Buffer {
  const { encrypted_content, ...begun } = { ...summary(null), ...proofs };
  const events: JsonObject[] = [
    { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } },
    { type: 'content_block_start', index: 0, content_block: begun },
    { type: 'content_block_delta', index: 0, delta: { type: 'compaction_delta', content, encrypted_content } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hello' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'compaction', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ];
  return Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));
}

async function eventsOf(pipe: StreamPipe, bytes: Buffer): Promise<readonly JsonObject[]> {
  const first = String(pipe.push(bytes)) + String(pipe.end());
  expect((await pipe.complete?.()) ?? null).toBeNull();
  const events: JsonObject[] = [];
  createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) }).feed(first + pipe.finale(zeroUsage, 0));
  return events;
}

/** The blocks as Anthropic's SDK puts them together. */
function blocksOf(events: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: JsonObject[] = [];
  for (const { type, index, content_block: block, delta } of events) {
    const place = Number(index);
    const { type: kind, ...members } = (delta ?? {}) as JsonObject;
    if (type === 'content_block_start') blocks[place] = block as JsonObject;
    else if (kind === 'compaction_delta') blocks[place] = { ...blocks[place], ...members };
    else if (kind === 'text_delta') blocks[place] = { type: 'text', text: members.text };
  }
  return blocks;
}

describe.each(reviews)('a stream that is reviewed %s', (_title, review) => {
  test.each([
    ['a summary', 'They spoke of birds.', summary('They spoke of birds.')],
    ['a summary that is redacted', 'A heron.', { type: 'compaction', content: 'A [REDACTED].' }],
    ['a summary that failed', null, summary(null)],
  ])('keeps %s', async (_name, content, expected) => {
    const source = {
      format: 'messages',
      readUsage: () => null,
      createStreamDecoder: createMessageStreamDecoder,
    } as const;
    const pipe = messagesDialect.openPipe?.(source, { ...context, review });
    const events = await eventsOf(pipe as StreamPipe, streamOf(content));
    expect(blocksOf(events)).toEqual([expected, { type: 'text', text: 'Hello' }]);
    expect(events.at(-2)).toMatchObject({ type: 'message_delta', delta: { stop_reason: 'compaction' } });
  });
});

test.each([
  ['as it came', (text: string) => text, summary('A heron.')],
  ['without its proofs where its text was changed', redact, { type: 'compaction', content: 'A [REDACTED].' }],
])('a whole answer that is written anew has a summary %s', (_title, change, expected) => {
  const answer = toAnswer({ content: [summary('A heron.')], stop_reason: 'compaction' });
  expect(answer.parts).toMatchObject([{ type: 'summary', text: 'A heron.' }]);
  const parts = answer.parts.map((part) => ('text' in part ? { ...part, text: change(part.text) } : part));
  const bill = { usage: zeroUsage, costUsd: 0 };
  expect(JSON.parse(messagesDialect.renderAnswer({ ...answer, parts }, context, bill))).toMatchObject({
    content: [expected],
    stop_reason: 'compaction',
  });
});
