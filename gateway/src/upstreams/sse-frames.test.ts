// Guarantees: the same frames however the bytes are split, exactly those that a client's own parser would see, and
// bounded memory for an upstream that never ends a line.

import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseFrame, SseFrames } from './sse-frames.ts';

const MEBIBYTE = 1024 * 1024;

function readAll(pieces: readonly Buffer[]): { frames: SseFrame[]; isOversize: boolean } {
  const reader = new SseFrames();
  const frames = pieces.flatMap((piece) => [...reader.push(piece)]);
  frames.push(...reader.end());
  return { frames, isOversize: reader.isOversize };
}

const framesOf = (text: string): SseFrame[] => readAll([Buffer.from(text)]).frames;

/** Every place at which two reads can meet, and one byte at a time. */
function expectSameForEverySplit(bytes: Buffer): void {
  const whole = readAll([bytes]);
  for (let offset = 0; offset <= bytes.length; offset += 1) {
    expect(readAll([bytes.subarray(0, offset), bytes.subarray(offset)])).toEqual(whole);
  }
  expect(readAll([...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
}

test.each(['\n', '\r\n', '\r'])('lines may end with %j', (newline) => {
  const lines = ['event: a', 'data: 1', '', ': comment', '', 'data: {"text":"grüß 🙂"}', '', 'data: [DONE]', '', ''];
  const text = lines.join(newline);
  expect(framesOf(text)).toEqual([
    { event: 'a', data: '1' },
    { event: null, data: '{"text":"grüß 🙂"}' },
    { event: null, data: '[DONE]' },
  ]);
  expectSameForEverySplit(Buffer.from(text));
});

test('a byte order mark, comments, other fields and a missing last blank line do no harm', () => {
  const text = '\ufeffdata:a\ndata: b\nid: 7\n: note\ndata\n\nretry: 3\nevent: only\n\ndata:  c\nevent:e';
  expect(framesOf(text)).toEqual([
    { event: null, data: 'a\nb\n' },
    { event: 'e', data: ' c' },
  ]);
  expectSameForEverySplit(Buffer.from(text));
});

test('a CRLF between two reads is one line end', () => {
  const pieces = ['data: 1\r', '\ndata: 2\r\n', '\r', '\n'].map((piece) => Buffer.from(piece));
  expect(readAll(pieces).frames).toEqual([{ event: null, data: '1\n2' }]);
});

test('any stream gives what a client would read from it', () => {
  const line = fc.constantFrom(
    'data: x',
    'data:{"a":"ü"}',
    'data',
    ': c',
    'event: e',
    'id: 1',
    'other',
    '',
    '',
    'data: 🙂',
  );
  const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')), { maxLength: 30 });
  fc.assert(
    fc.property(stream, fc.array(fc.nat(60), { maxLength: 8 }), (lines, cuts) => {
      // The input ends with a blank line, because a frame that is cut off counts here and does not count in the other
      // parser.
      const text = `${lines.map(([field, newline]) => field + newline).join('')}\n\n`;
      const expected: SseFrame[] = [];
      const oracle = createParser({
        onEvent: ({ event, data }) => {
          if (data !== '') expected.push({ event: event ?? null, data });
        },
      });
      oracle.feed(text);
      const bytes = Buffer.from(text);
      const offsets = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length];
      const pieces = offsets.slice(1).map((offset, index) => bytes.subarray(offsets[index], offset));
      expect(readAll(pieces).frames).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('a frame of one mebibyte passes, one byte more does not', () => {
  const fits = Buffer.from(`data: ${'x'.repeat(MEBIBYTE - 6)}`);
  expect(readAll([fits, Buffer.from('\n\n')])).toMatchObject({ isOversize: false, frames: [{ event: null }] });
  const over = Buffer.concat([fits, Buffer.from('x')]);
  for (const pieces of [[over], [over, Buffer.from('\n\ndata: 1\n\n')], [over.subarray(0, 9), over.subarray(9)]]) {
    expect(readAll(pieces)).toEqual({ frames: [], isOversize: true });
  }
});

test('the limit is each frame’s own', () => {
  const half = `data: ${'x'.repeat(600 * 1024)}\n\n`;
  expect(readAll([Buffer.from(half.repeat(4))])).toMatchObject({ isOversize: false, frames: { length: 4 } });
});

test('neither many lines nor empty data lines get around the limit', () => {
  const lines = Buffer.from(`data: ${'y'.repeat(1000)}\n`.repeat(1100));
  expect(readAll([lines]).isOversize).toBe(true);
  expect(readAll([Buffer.from('data:\n'.repeat(250_000))]).isOversize).toBe(true);
});

test('frames before an oversize one still count', () => {
  const bytes = Buffer.from(`data: 1\n\ndata: ${'x'.repeat(MEBIBYTE)}`);
  expect(readAll([bytes])).toEqual({ frames: [{ event: null, data: '1' }], isOversize: true });
});

test('one byte at a time costs no more than the bytes', () => {
  const reader = new SseFrames();
  const byte = Buffer.from('x');
  const before = process.cpuUsage();
  reader.push(Buffer.from('data: '));
  for (let count = 0; count < 500_000; count += 1) reader.push(byte);
  expect(reader.end()[0]?.data.length).toBe(500_000);
  // A fifth of a second of computing; copying all earlier bytes for each new byte would take minutes.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
});

test('comments without end do not fill a frame', () => {
  const reader = new SseFrames();
  for (let count = 0; count < 3_000; count += 1) reader.push(Buffer.from(`: ${'k'.repeat(1000)}\n`));
  expect(reader.push(Buffer.from('data: 1\n\n'))).toEqual([{ event: null, data: '1' }]);
  expect(reader.isOversize).toBe(false);
});
