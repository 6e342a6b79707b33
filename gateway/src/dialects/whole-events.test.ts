// Streams that are passed on are cut into the same events however their bytes arrive, and hostile streams are noticed.

import { expect, test } from 'vitest';
import { parseEventData, readEvent, WholeEvents } from './whole-events.ts';

const STREAM = 'event: a\r\ndata: {"x":"\u00fc"}\r\n\r\n: comment\n\ndata: 1\rdata: 2\r\rdata: last';

function cut(pieceBytes: number): string {
  const bytes = Buffer.from(STREAM, 'utf8');
  const events = new WholeEvents(1_000);
  let text = '';
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    text += events.push(bytes.subarray(start, start + pieceBytes));
  }
  return Buffer.from(text + events.end(), 'latin1').toString('utf8');
}

test('the same events come out, whatever the reads and the line ends', () => {
  const whole = 'event: a\ndata: {"x":"\u00fc"}\n\n: comment\n\ndata: 1\ndata: 2\n\ndata: last\n\n';
  for (const pieceBytes of [1, 2, 3, 7, 1_000]) expect(cut(pieceBytes), String(pieceBytes)).toBe(whole);
});

test('an event that is over its limit is noticed, with or without line ends', () => {
  for (const piece of ['x'.repeat(101), `data: ${'x'.repeat(95)}\n`]) {
    const events = new WholeEvents(100);
    expect([events.push(Buffer.from(piece)), events.isOversize]).toEqual(['', true]);
  }
});

test('an event is its name and the lines of its data; comments are none', () => {
  expect(readEvent('\u00ef\u00bb\u00bfevent: e\ndata:1\ndata: 2')).toEqual({ name: 'e', data: '1\n2' });
  expect(readEvent('data: [DONE] ')).toEqual({ name: '', data: '[DONE]' });
  expect([readEvent(': ping'), readEvent('data: '), readEvent('')]).toEqual([null, null, null]);
});

test('data that nests without end is refused before it is parsed', () => {
  const nested = (levels: number): string => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  expect(parseEventData(nested(100))).not.toBeNull();
  expect(parseEventData(nested(200))).toBeNull();
  expect(parseEventData('[1]')).toBeNull();
});
