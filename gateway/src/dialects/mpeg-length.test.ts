// How long an MP3 may be: what its frames hold, and never less than a decoder may find.

import { expect, test } from 'vitest';
import { mpegMsMax } from './mpeg-length.ts';

function frames(head: readonly number[], byteLength: number, count: number): Buffer {
  const frame = Buffer.alloc(byteLength);
  Buffer.from(head).copy(frame);
  return Buffer.concat(Array<Buffer>(count).fill(frame));
}

/** Of 8,000 samples and 8 kilobits a second: 72 bytes for 72 ms. */
const SLOW = frames([0xff, 0xe3, 0x18, 0], 72, 100);
/** Of 44,100 samples and 128 kilobits a second: 417 bytes for 26 ms. */
const USUAL = frames([0xff, 0xfb, 0x90, 0], 417, 100);
const TAG = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x01\x02', 'latin1'), Buffer.alloc(130)]);
const msMax = (...parts: readonly Buffer[]) => {
  const file = Buffer.concat(parts);
  return mpegMsMax(file, file.length);
};

test('a file is as long as its frames, at the lowest rate too', () => {
  expect(msMax(SLOW)).toBeCloseTo(7_200);
  expect(msMax(USUAL)).toBeCloseTo((100 * 1_152_000) / 44_100);
  expect(msMax(TAG, USUAL, SLOW)).toBeCloseTo((100 * 1_152_000) / 44_100 + 7_200);
});

test('what is no frame, or has not been looked at, counts at the lowest rate', () => {
  expect(msMax(USUAL, Buffer.alloc(1_000))).toBeCloseTo((100 * 1_152_000) / 44_100 + 1_000);
  expect(mpegMsMax(USUAL, USUAL.length + 50_000)).toBeCloseTo((100 * 1_152_000) / 44_100 + 50_000);
});

test('a last frame that is cut counts whole', () => {
  expect(msMax(SLOW.subarray(0, -60))).toBeCloseTo(7_200);
});

test.each<[string, Buffer]>([
  ['AAC, which begins alike', frames([0xff, 0xf1, 0x50, 0x80], 100, 9)],
  ['a rate of its own', frames([0xff, 0xe3, 0x08, 0], 72, 9)],
  ['FLAC after a title', Buffer.concat([TAG, Buffer.from('fLaC')])],
  ['a title alone', TAG],
  ['nothing', Buffer.alloc(0)],
])('of %s nothing is known', (_, file) => {
  expect(msMax(file)).toBeNull();
});
