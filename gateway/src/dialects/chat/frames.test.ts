// Our own frames are checked with an independent event-stream parser.

import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { expect, test } from 'vitest';
import { ApiError } from '../../errors/api-error.ts';
import { CHAT_DONE_FRAME, CHAT_KEEP_ALIVE_FRAME, chatErrorFrame } from './frames.ts';

function eventsOf(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createParser({ onEvent: (event) => events.push(event) }).feed(text);
  return events;
}

test('STRM-07 an error frame is the envelope without choices, then the end', () => {
  const frames = eventsOf(chatErrorFrame(new ApiError('insufficient_credits', 'Top up.')) + CHAT_DONE_FRAME);
  expect(frames.map((frame) => frame.event)).toEqual([undefined, undefined]);
  expect(JSON.parse(frames[0]?.data ?? '')).toEqual({
    error: { message: 'Top up.', type: 'billing_error', code: 'insufficient_credits' },
  });
  expect(frames[1]?.data).toBe('[DONE]');
});

test('STRM-13 a bare status goes out as a number', () => {
  const [frame] = eventsOf(chatErrorFrame(new ApiError('http_504', 'Too slow.')));
  expect(JSON.parse(frame?.data ?? '').error.code).toBe(504);
});

test('STRM-03 a keep-alive is a comment, which no client sees', () => {
  expect(eventsOf(CHAT_KEEP_ALIVE_FRAME)).toEqual([]);
  expect(CHAT_KEEP_ALIVE_FRAME.startsWith(':')).toBe(true);
});

test('an error frame is ASCII and one line, whatever the message holds', () => {
  const frame = chatErrorFrame(new ApiError('http_400', 'model «ü»\r\n\u2028 🎉 was refused'));
  expect(frame).toMatch(/^[\x20-\x7e]+\n\n$/);
  expect(JSON.parse(frame.slice('data: '.length)).error.message).toBe('model «ü»\r\n\u2028 🎉 was refused');
});
