// Streams are cut into the same events however their bytes arrive, and hostile streams are noticed.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WholeEvents } from './whole-events.ts';

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

test('FUZZ-2 wherever the stream is cut, no byte is lost and no event is held back once it has ended', () => {
  const stream = Buffer.from('data: a\n\ndata: bb\r\n\r\ndata: ccc\r\rdata: d\ndata: e\n\n');
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((left, right) => left - right), stream.length];
      const events = new WholeEvents(1_000);
      let passed = '';
      for (let index = 1; index < places.length; index += 1) {
        passed += events.push(stream.subarray(places[index - 1], places[index]));
        const seen = stream.toString('latin1', 0, places[index]).replace(/\r\n?/g, '\n');
        expect(passed).toBe(seen.includes('\n\n') ? seen.slice(0, seen.lastIndexOf('\n\n') + 2) : '');
      }
      expect(passed).toBe(stream.toString().replace(/\r\n?/g, '\n'));
    }),
  );
});

test('DOS-1 an event that is over its limit is noticed, with or without line ends', () => {
  for (const piece of ['x'.repeat(101), `data: ${'x'.repeat(95)}\n`]) {
    const events = new WholeEvents(100);
    expect([events.push(Buffer.from(piece)), events.isOversize]).toEqual(['', true]);
  }
});

test('comments do not fill an event, and data beside them does', () => {
  const events = new WholeEvents(100);
  for (let count = 0; count < 50; count += 1) expect(events.push(Buffer.from(': still here\n'))).toBe('');
  expect([events.push(Buffer.from('data: 1\n\n')).endsWith('data: 1\n\n'), events.isOversize]).toEqual([true, false]);
  for (let count = 0; count < 50; count += 1) events.push(Buffer.from(': still here\ndata: 1\n'));
  expect(events.isOversize).toBe(true);
});

test('an event is complete with the CR of its blank line', () => {
  const events = new WholeEvents(100);
  expect(events.push(Buffer.from('data: 1\r\r'))).toBe('data: 1\n\n');
  expect(events.push(Buffer.from('\ndata: 2\r\n\r'))).toBe('data: 2\n\n');
  expect(events.push(Buffer.from('\ndata: 3\n\n'))).toBe('data: 3\n\n');
});

test('DOS-1 many short lines of one event cost no more than their bytes', () => {
  const events = new WholeEvents(1024 * 1024);
  const line = Buffer.from('x\n');
  const before = process.cpuUsage();
  for (let count = 0; count < 500_000; count += 1) events.push(line);
  expect(events.end().length).toBe(1_000_001);
  // A fifth of a second of computing; copying all earlier lines for each new one would take minutes.
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
});
