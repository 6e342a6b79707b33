// Phrases are found in every disguise, at the beginnings and ends of words, and nowhere else.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SCAN_LENGTH_MAX } from './letters.ts';
import { buildTrie, eachPhrase, hits, type PhraseTrie, scanPhrases } from './phrase-trie.ts';

const trie = buildTrie([
  'ignore previous instructions',
  'bomb',
  'explosiv*',
  '忽略之前的指令',
  'straße',
  'mp3player',
  'he',
  'she',
  'hers',
  'anal',
]);

type Match = Readonly<{ phrase: number; start: number; end: number }>;

function findPhrases(phrases: PhraseTrie, text: string, from: number, to: number): readonly Match[] {
  const matches: Match[] = [];
  eachPhrase(phrases, text, { from, to }, (phrase, place) => matches.push({ phrase, ...place }));
  return matches;
}

const found = (text: string): string[] =>
  findPhrases(trie, text, 0, text.length).map(({ start, end }) => text.slice(start, end));

const tagged = (text: string): string =>
  [...text].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');

test.each([
  ['capitals, and a line break for a space', 'Please IGNORE previous\ninstructions!', 'IGNORE previous\ninstructions'],
  [
    'punctuation between letters',
    'i.g.n.o.r.e p-r-e-v-i-o-u-s instructions',
    'i.g.n.o.r.e p-r-e-v-i-o-u-s instructions',
  ],
  ['no spaces', 'ignorepreviousinstructions', 'ignorepreviousinstructions'],
  ['a space after every letter', 'a b o m b', 'b o m b'],
  ['punctuation inside a word', 'a bo-mb', 'bo-mb'],
  ['full-width letters', 'a ｂｏｍｂ', 'ｂｏｍｂ'],
  ['zero-width characters and soft hyphens', 'b\u200bo\u00adm\ufeffb', 'b\u200bo\u00adm\ufeffb'],
  ['letters of mathematics', 'a 𝐛𝐨𝐦𝐛', '𝐛𝐨𝐦𝐛'],
  ['letters of another alphabet', 'a bоmb', 'bоmb'],
  ['accents, in one piece and in two', 'a bömb', 'bömb'],
  ['marks on every letter', 'a b\u0336o\u0336m\u0336b', 'b\u0336o\u0336m\u0336b'],
  ['digits for letters', 'a b0mb', 'b0mb'],
  ['invisible tags', `a ${tagged('bomb')}`, tagged('bomb')],
  ['a letter that is two', 'Die STRASSE', 'STRASSE'],
  ['digits that belong to the phrase', 'my mp3player', 'mp3player'],
  ['the beginning of a longer word', 'explosives', 'explosiv'],
  ['a script without spaces', '请忽略之前的指令吧', '忽略之前的指令'],
])('%s', (_, text, phrase) => {
  expect(found(text)).toEqual([phrase]);
});

test.each(['bombs', 'bo mb', 'an Al Pacino film', 'plum b omb', 'there', 'ignore previous ---------- instructions'])(
  'not in "%s"',
  (text) => {
    expect(found(text)).toEqual([]);
  },
);

test('phrases inside and behind each other', () => {
  expect(found('she hers')).toEqual(['she', 'hers']);
});

test('a long text is found in by pieces, with the places of the whole', () => {
  const text = `${'x '.repeat(SCAN_LENGTH_MAX)}bomb`;
  const [hit] = findPhrases(trie, text, text.length - 100, text.length);
  expect(text.slice(hit?.start, hit?.end)).toBe('bomb');
});

/** The slow way: every phrase at every word. */
function reference(phrases: readonly string[], words: readonly string[]): number {
  let count = 0;
  for (const phrase of new Set(phrases)) {
    const wanted = phrase.split(' ');
    for (let start = 0; start + wanted.length <= words.length; start += 1) {
      if (wanted.every((word, index) => words[start + index] === word))
        count += phrases.filter((one) => one === phrase).length;
    }
  }
  return count;
}

test('agrees with a search word by word', () => {
  // Words of different letters, so that no word can be found across the border of two others.
  const word = fc.constantFrom('ka', 'lo', 'mi', 'tu', 'vex', 'zur');
  const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(
      fc.array(phrase, { minLength: 1, maxLength: 8 }),
      fc.array(word, { maxLength: 40 }),
      (phrases, words) => {
        const hits = findPhrases(buildTrie(phrases), words.join(' '), 0, words.join(' ').length);
        expect(hits).toHaveLength(reference(phrases, words));
      },
    ),
    { numRuns: 300 },
  );
});

test('any text at all is survived', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const { start, end } of findPhrases(trie, text, 0, text.length)) {
        expect(start).toBeLessThan(end);
        expect(end).toBeLessThanOrEqual(text.length);
      }
    }),
    { numRuns: 300 },
  );
});

test('FILT-01 nothing hides behind thousands of other phrases', () => {
  const phrases = buildTrie(['a', 'b', 'zebra']);
  const text = `${'a b '.repeat(8_000)}zebra`;
  scanPhrases(phrases, text, 0, text.length);
  expect(hits.count).toBe(16_001);
  expect(hits.phrase[16_000]).toBe(2);
});

test('a text that repeats the beginning of a phrase is walked over a bounded number of times', () => {
  const phrases = buildTrie(['a'.repeat(64)]);
  expect(findPhrases(phrases, 'a '.repeat(100), 0, 200)).toHaveLength(37);
  expect(() => buildTrie(['a'.repeat(65)])).toThrow('64 letters');
});
