// The gatherer must not change the bytes that pass, only when they pass.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameGatherer } from './frame-gatherer.ts';

const stream = Buffer.from('data: a\n\ndata: bb\r\n\r\ndata: ccc\r\rdata: d\ndata: e\n\n');

test('FUZZ-2 wherever the stream is cut, no byte is lost and no frame is held back once it has ended', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.toSorted((left, right) => left - right), stream.length];
      const gatherer = new FrameGatherer(1_000);
      let passed = '';
      for (let index = 1; index < places.length; index += 1) {
        passed += gatherer.push(stream.subarray(places[index - 1], places[index]))?.toString() ?? '';
        const seen = stream.toString('latin1', 0, places[index]);
        const lastEnd = Math.max(...['\n\n', '\r\n\r\n', '\r\r'].map((end) => seen.lastIndexOf(end)));
        expect(passed.length).toBeGreaterThan(lastEnd);
      }
      expect(passed + gatherer.take().toString()).toBe(stream.toString());
    }),
  );
});

test('DOS-1 more than a frame may have is handed on, for whoever judges it', () => {
  const gatherer = new FrameGatherer(10);
  expect(gatherer.push(Buffer.from('12345'))).toBeNull();
  expect(gatherer.push(Buffer.from('123456'))?.toString()).toBe('12345123456');
});
