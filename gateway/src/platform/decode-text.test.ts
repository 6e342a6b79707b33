// Bytes are decoded as Buffer decodes them, also those that are no text.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { characterEnd, decodeText } from './decode-text.ts';

const CHARACTERS = ['a', '\0', 'é', 'ÿ', '漢', '\ufeff', '😀'].map((character) => [...Buffer.from(character)]);
const BROKEN = [[0x80], [0xbf], [0xc3], [0xc0, 0x80], [0xe2, 0x82], [0xed, 0xa0, 0x80], [0xf0, 0x9f], [0xff]];

const bytesOf = (parts: number[][]) =>
  fc
    .tuple(fc.array(fc.constantFrom(...parts), { maxLength: 30 }), fc.constantFrom(1, 40, 400))
    .map(([given, times]) => Buffer.concat(Array.from({ length: times }, () => Buffer.from(given.flat()))));

test('every text, and what is none', () => {
  for (const parts of [CHARACTERS, [...CHARACTERS, ...BROKEN]]) {
    fc.assert(
      fc.property(bytesOf(parts), (bytes) => decodeText(bytes) === bytes.toString()),
      { numRuns: 500 },
    );
  }
});

test('a text that is cut between its characters is the same in pieces', () => {
  fc.assert(
    fc.property(bytesOf(CHARACTERS), fc.nat(), (bytes, place) => {
      const end = characterEnd(bytes, Math.min(bytes.length, place));
      expect(bytes.subarray(0, end).toString() + bytes.subarray(end).toString() === bytes.toString()).toBe(true);
      expect(Math.min(bytes.length, place) - end).toBeLessThanOrEqual(3);
    }),
    { numRuns: 500 },
  );
});
