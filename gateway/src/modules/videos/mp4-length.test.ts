// The length of a stranger's file: found wherever it is in the file, and never believed beyond the bytes that are
// there.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { movie } from '../../../test/videos/movie.ts';
import { findLength } from './mp4-length.ts';

test('VID-13 the length is read wherever the movie stands', () => {
  expect(findLength(movie(3), 0)).toEqual({ kind: 'found', durationMs: 3_000 });
  const late = movie(2.5, { isMovieLast: true, filler: 5_000 });
  const search = findLength(late.subarray(0, 1_000), 0);
  expect(search).toEqual({ kind: 'at', offset: late.length - 116 });
  expect(findLength(late.subarray(late.length - 116), late.length - 116)).toEqual({ kind: 'found', durationMs: 2_500 });
});

test('VID-13 the second form of the header, and boxes with long sizes', () => {
  const header = Buffer.alloc(112);
  header[0] = 1;
  header.writeUInt32BE(90_000, 20);
  header.writeBigUInt64BE(450_001n, 24);
  const box = (type: string, content: Buffer): Buffer => {
    const head = Buffer.alloc(16);
    head.writeUInt32BE(1, 0);
    head.write(type, 4, 'latin1');
    head.writeBigUInt64BE(BigInt(content.length + 16), 8);
    return Buffer.concat([head, content]);
  };
  const file = Buffer.concat([box('ftyp', Buffer.alloc(8)), box('moov', box('mvhd', header))]);
  expect(findLength(file, 0)).toEqual({ kind: 'found', durationMs: 5_001 });
});

test('VID-13 anything else is no video, and nothing makes it fail', () => {
  expect(findLength(Buffer.from('<html>'), 0)).toBeNull();
  expect(findLength(movie(0), 0)).toBeNull();
  expect(findLength(movie(100_000), 0)).toBeNull();
  const file = movie(3);
  fc.assert(
    fc.property(fc.nat(file.length), fc.nat(file.length - 1), fc.nat(255), (length, position, value) => {
      const bent = Buffer.from(file);
      bent[position] = value;
      const found = findLength(bent.subarray(0, length), 0);
      if (found?.kind === 'found') expect(found.durationMs).toBeGreaterThan(0);
      if (found?.kind === 'at') expect(found.offset).toBeGreaterThan(0);
    }),
    { numRuns: 1_000 },
  );
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void findLength(Buffer.from(bytes), 8)));
});
