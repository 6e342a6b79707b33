// The sieve's tests hold that no phrase is missed. These hold that the code looks at characters as its tables say, that
// it is what its source says, and that it leaves little to be looked at again.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import startAssembler from 'wabt';
import { readPolicy } from '../guardrail-data.ts';
import { BeginningFinder, DIGIT, latinKind, SEPARATOR, STRANGE, WILD } from './find-beginnings.ts';
import { BEGINNINGS_CODE } from './find-beginnings-code.ts';
import { SCAN_LENGTH_MAX } from './letters.ts';
import { buildTrie } from './phrase-trie.ts';

test('the code is what its source says', async () => {
  const assembler = await startAssembler();
  const source = readFileSync(new URL('find-beginnings.wat', import.meta.url), 'utf8');
  const parsed = assembler.parseWat('find-beginnings.wat', source, { simd: true });
  expect(Buffer.from(parsed.toBinary({}).buffer).toString('base64')).toBe(BEGINNINGS_CODE);
});

/** Every word may begin a phrase, so that all beginnings are found. */
const ANYTHING = buildTrie([...'abcdefghijklmnopqrstuvwxyz0123456789']);

/** Of the plain characters, and of some others as if they were one of each kind. */
const KINDS_OF_CHARACTERS = Uint8Array.from({ length: 65_536 }, (_, unit) => {
  const character = String.fromCharCode(unit).toLowerCase();
  if (unit > 0x7e) return [SEPARATOR, 5, DIGIT, STRANGE, WILD][unit % 5] as number;
  if (unit < 0x20 && !/\s/.test(character)) return WILD;
  return /[0-9]/.test(character) ? DIGIT : latinKind(character.charCodeAt(0));
});

function placesIn(finder: BeginningFinder, text: string, from = 0, to = text.length): readonly number[] {
  return Array.from({ length: finder.find(text, from, to) }, (_, index) => finder.placeOf(index));
}

function beginningsOf(text: string): readonly number[] {
  const kinds = Array.from(
    { length: text.length },
    (_, place) => KINDS_OF_CHARACTERS[text.charCodeAt(place)] as number,
  );
  const isBehindWord = (place: number): boolean => [SEPARATOR, WILD].includes(kinds[place - 1] ?? SEPARATOR);
  return [...kinds.keys()].filter((place) => {
    const kind = kinds[place] as number;
    return kind === WILD || (isBehindWord(place) && kind !== SEPARATOR && kind !== STRANGE);
  });
}

test('words begin where the kinds of characters say, however a text is made', () => {
  const finder = new BeginningFinder(ANYTHING, KINDS_OF_CHARACTERS);
  const plain = fc.integer({ min: 0, max: 0x7f });
  const any = fc.oneof({ weight: 9, arbitrary: plain }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 0xffff }) });
  const text = fc
    .oneof(fc.array(plain, { maxLength: 60 }), fc.array(any, { maxLength: 60 }))
    .map((units) => String.fromCharCode(...units));
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(20), (whole, before, after) => {
      expect(placesIn(finder, whole)).toEqual(beginningsOf(whole));
      const from = Math.min(before, whole.length);
      const to = Math.max(from, whole.length - after);
      expect(placesIn(finder, whole, from, to)).toEqual(beginningsOf(whole.slice(from, to)));
    }),
    { numRuns: 3_000 },
  );
});

test('the longest text has room, with a word at each of its characters', () => {
  const finder = new BeginningFinder(ANYTHING, KINDS_OF_CHARACTERS);
  const wild = '\0'.repeat(SCAN_LENGTH_MAX);
  expect(placesIn(finder, 'a'.repeat(SCAN_LENGTH_MAX))).toEqual([0]);
  expect(placesIn(finder, wild)).toEqual([...Array(SCAN_LENGTH_MAX).keys()]);
  expect(placesIn(finder, 'a'.repeat(SCAN_LENGTH_MAX))).toEqual([0]);
});

test('of an ordinary text hardly a word has to be looked at again', () => {
  const text = readFileSync(new URL('../../../../../docs/architecture.md', import.meta.url), 'utf8').slice(0, 20_000);
  const trie = buildTrie([...new Set(Object.values(readPolicy().groups).flat())]);
  const finder = new BeginningFinder(trie, KINDS_OF_CHARACTERS);
  const words = placesIn(new BeginningFinder(ANYTHING, KINDS_OF_CHARACTERS), text).length;
  expect(words).toBeGreaterThan(2_000);
  expect(placesIn(finder, text).length).toBeLessThan(words / 8);
});
