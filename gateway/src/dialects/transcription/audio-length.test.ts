// What is held for a recording: never less than it can cost, and not absurdly more where the file says how long it is.

import { expect, test } from 'vitest';
import { recording } from '../../../test/audio/audio-harness.ts';
import { audioMsMax } from './audio-length.ts';

test('AUD-03 plain samples are as long as they are', () => {
  const file = recording(10);
  expect(audioMsMax(file.length, file.subarray(0, 4_096))).toBe(10_000 + 3 + 1_000);
});

test('AUD-03 everything else may be compressed as far as speech goes', () => {
  expect(audioMsMax(100_000, Buffer.from('ID3'))).toBe(101_000);
  expect(audioMsMax(100_000, Buffer.alloc(0))).toBe(101_000);
});

test('NUM-1 a head that lies about its rates is bounded at both ends', () => {
  const file = recording(10);
  const lie = (change: (head: Buffer) => void): number => {
    const head = Buffer.from(file.subarray(0, 64));
    change(head);
    return audioMsMax(file.length, head);
  };
  expect(lie((head) => head.writeUInt32LE(0xffffffff, 24))).toBeGreaterThan(1_000);
  expect(lie((head) => head.writeUInt32LE(0, 24))).toBe(161_044);
  // Compressed sound in the same wrapping.
  expect(lie((head) => head.writeUInt16LE(0x55, 20))).toBe(161_044);
});
