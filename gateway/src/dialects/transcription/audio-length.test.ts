// What is held for a recording: never less than it can cost, and not far more where the file states its length.

import { expect, test } from 'vitest';
import { recording } from '../../../test/audio/audio-harness.ts';
import { audioMsMax } from './audio-length.ts';

/** Sixteen thousand bytes a second for ten seconds, and the head. */
const AT_LOWEST_RATE_MS = Math.ceil((160_044 * 1_000) / 750) + 1_000;

test('AUD-03 plain samples are as long as they are', () => {
  const file = recording(10);
  expect(audioMsMax(file.length, file.subarray(0, 4_096))).toBe(10_000 + 3 + 1_000);
});

test('AUD-03 also with the notes that programs put before the samples, and without a known end', () => {
  const file = recording(10);
  const note = Buffer.concat([Buffer.from('LIST'), Buffer.from([4, 0, 0, 0]), Buffer.from('INFO')]);
  const noted = Buffer.concat([file.subarray(0, 36), note, file.subarray(36)]);
  noted.writeUInt32LE(0xffffffff, 36 + note.length + 4);
  expect(audioMsMax(noted.length, noted.subarray(0, 4_096))).toBeLessThan(11_010);
});

test('AUD-03 everything else may be compressed as far as its format goes', () => {
  expect(audioMsMax(100_000, Buffer.from('ID3'))).toBe(101_000);
  expect(audioMsMax(75_000, Buffer.alloc(0))).toBe(101_000);
  expect(audioMsMax(75_000, Buffer.from('OggS'))).toBe(101_000);
});

test('AUD-03 what a file of silence says of its length counts upwards', () => {
  const head = Buffer.alloc(64);
  head.write('fLaC', 0);
  // 8,000 samples a second, and an hour of them.
  head.writeUIntBE(8_000 << 4, 18, 3);
  head.writeUInt32BE(8_000 * 3_600, 22);
  expect(audioMsMax(2_000, head)).toBe(3_600_000 + 1_000);
  head.writeUInt32BE(1, 22);
  expect(audioMsMax(75_000, head)).toBe(101_000);
});

test.each<[string, (head: Buffer) => void]>([
  ['a rate that the bytes of a second do not agree with', (head) => head.writeUInt32LE(192_000, 24)],
  ['no rate', (head) => head.writeUInt32LE(0, 24)],
  ['an absurd rate, everywhere', (head) => head.fill(0x7f, 24, 32)],
  ['a block of another size', (head) => head.writeUInt16LE(16, 32)],
  ['channels that the block has no room for', (head) => head.writeUInt16LE(8, 22)],
  ['bits that the block has no room for', (head) => head.writeUInt16LE(32, 34)],
  ['compressed sound in the same wrapping', (head) => head.writeUInt16LE(0xff, 20)],
  ['an extended format, which may name any coding', (head) => head.writeUInt16LE(0xfffe, 20)],
  ['something else before the samples', (head) => head.write('slnt', 36)],
  ['more samples than there are bytes', (head) => head.writeUInt32LE(170_000, 40)],
])('NUM-1 a head that lies gains nothing: %s', (_name, change) => {
  const file = recording(10);
  const head = Buffer.from(file.subarray(0, 64));
  change(head);
  expect(audioMsMax(file.length, head)).toBe(AT_LOWEST_RATE_MS);
});

test.each<[string, (head: Buffer) => void, bytesPerSecond: number]>([
  ['samples of ten a second', (head) => plain(head, 10), 20],
  ['ten a second, and bytes for thousands', (head) => head.writeUInt32LE(10, 24), 20],
  ['a coding of any rate, at a low one', (head) => anyCoding(head, 50), 50],
  ['an MP3', (head) => head.writeUInt16LE(0x55, 20), 1_000],
])('NUM-1 a WAV counts as long as a decoder may find it: %s', (_name, change, bytesPerSecond) => {
  const file = recording(10);
  const head = Buffer.from(file.subarray(0, 64));
  change(head);
  expect(audioMsMax(file.length, head)).toBe(Math.ceil((file.length * 1_000) / bytesPerSecond) + 1_000);
});

function plain(head: Buffer, rate: number): void {
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
}

function anyCoding(head: Buffer, bytesPerSecond: number): void {
  head.writeUInt16LE(0xff, 20);
  head.writeUInt32LE(bytesPerSecond, 28);
}
