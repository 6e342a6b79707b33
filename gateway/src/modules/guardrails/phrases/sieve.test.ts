// What the sieve lets through is searched as before, so it must name every group that the search finds a phrase of: in
// every disguise, beside any noise, and wherever a text is cut.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readInjections, readPolicy } from '../guardrail-data.ts';
import { SCAN_LENGTH_MAX } from './letters.ts';
import { compileLexicon, type LexiconData } from './lexicon.ts';
import { buildTrie, eachPhrase, type PhraseTrie } from './phrase-trie.ts';
import { createSieve, type Sieve, siftGroups } from './sieve.ts';

/** Each phrase is a group of its own, so that nothing that is missed can hide behind another. */
type Subject = Readonly<{ name: string; phrases: readonly string[]; trie: PhraseTrie; sieve: Sieve }>;

function subjectOf(name: string, phrases: readonly string[]): Subject {
  const trie = buildTrie(phrases);
  return { name, phrases, trie, sieve: createSieve(trie, Int32Array.from(phrases.keys()), phrases.length) };
}

const phrasesOf = ({ groups }: LexiconData): readonly string[] => [...new Set(Object.values(groups).flat())];

const SUBJECTS = [
  subjectOf('policy', phrasesOf(readPolicy())),
  subjectOf('injections', phrasesOf(readInjections())),
  subjectOf('a few', ['am', 'b0mb', 'vx', '9mm', 'ß', '炸弹', 'how do i', 'c4*', 'ﬁre', 'бомба', 'a炸b']),
];

function missedIn({ phrases, trie, sieve }: Subject, text: string, from = 0, to = text.length): readonly string[] {
  siftGroups(sieve, { text, from, to });
  const missed: string[] = [];
  eachPhrase(trie, text, { from, to }, (phrase) => {
    if (sieve.named[phrase] === 0) missed.push(phrases[phrase] as string);
  });
  return missed;
}

const shifted = (letter: string, first: number): string =>
  /[a-z]/.test(letter) ? String.fromCodePoint(first + letter.charCodeAt(0) - 0x61) : letter;

const LOOKS: ReadonlyMap<string, string> = new Map(
  ['o0', 'i1', 'e3', 'a4', 's5', 't7', 'z2', 'g6'].map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);
const HOMOGLYPHS: ReadonlyMap<string, string> = new Map(
  ['aа', 'eе', 'oо', 'pр', 'cс', 'xх', 'iі', 'vν', 'kк'].map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

type Disguise = (letter: string) => string;

const DISGUISES: readonly Disguise[] = [
  (letter) => letter,
  (letter) => letter.toUpperCase(),
  (letter) => `${letter} `,
  (letter) => `${letter}.`,
  (letter) => `${letter} - `,
  (letter) => `${letter}\u200b`,
  (letter) => `\u00ad${letter}`,
  (letter) => `${letter}\u0301`,
  (letter) => LOOKS.get(letter) ?? letter,
  (letter) => HOMOGLYPHS.get(letter) ?? letter,
  (letter) => (letter === ' ' ? '' : letter),
  (letter) => (letter === ' ' ? '\u3000' : letter),
  (letter) => (letter === ' ' ? ' '.repeat(12) : letter),
  (letter) => shifted(letter, 0xff41),
  (letter) => shifted(letter, 0x1d41a),
  (letter) => shifted(letter, 0x1f130),
  (letter) => shifted(letter, 0xe0061),
];

const disguised = (phrases: readonly string[]): fc.Arbitrary<string> =>
  fc
    .record({
      phrase: fc.constantFrom(...phrases).map((phrase) => [...phrase.replace('*', '')]),
      one: fc.constantFrom(...DISGUISES),
      other: fc.constantFrom(...DISGUISES),
      mask: fc.nat(),
    })
    .map(({ phrase, one, other, mask }) =>
      phrase.map((letter, index) => (((mask >> (index % 31)) & 1) === 1 ? one : other)(letter)).join(''),
    );

const noise = fc.oneof(
  fc.constantFrom(' ', '\n', '. ', ', ', '-', '', 's', 'ed ', ' the ', ' 1', '0', '9', ' a ', 'ÿ', 'ñ', 'œ', 'д', 'ж'),
  fc.constantFrom(
    '…',
    '’',
    '™',
    '½',
    'ß',
    'ﬁ',
    '㏂',
    '㏘',
    '№',
    '🄐',
    '🆎',
    '🔥',
    '👩‍🚀',
    '炸',
    '世',
    'ไ',
    '한',
    '𠀀',
    '𓀀',
  ),
  fc.constantFrom('\u200b', '\u00ad', '\u0301', '\ufe0f', '\u0000', '\ud83d', '\udd25', '\ud835', '\udc1b', '１', '𝟎'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 4 }),
);

test.each(SUBJECTS)('every phrase that a search finds is named: $name', (subject) => {
  const piece = fc.oneof({ weight: 2, arbitrary: noise }, { weight: 1, arbitrary: disguised(subject.phrases) });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.nat(40), fc.nat(40), (pieces, before, after) => {
      const text = pieces.join('');
      expect(missedIn(subject, text)).toEqual([]);
      const from = Math.min(before, text.length);
      const to = Math.max(from, text.length - after);
      expect(missedIn(subject, text, from, to)).toEqual([]);
      expect(missedIn(subject, text.slice(from, to))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('every phrase of the policy is named, as it is and in each disguise', () => {
  const subject = SUBJECTS[0] as Subject;
  for (const phrase of subject.phrases) {
    for (const disguise of DISGUISES) {
      const text = `so ${[...phrase.replace('*', '')].map(disguise).join('')} now`;
      expect(missedIn(subject, text)).toEqual([]);
    }
  }
});

test('a letter that reads as two is no doubt about the whole text', () => {
  const { sieve } = SUBJECTS[0] as Subject;
  const text = 'durch einen großen dunklen Wald, mit heißem Kaffee und bloßen Füßen, ﬁnally';
  siftGroups(sieve, { text, from: 0, to: text.length });
  expect(sieve.named.reduce((sum, one) => sum + one, 0)).toBe(0);
});

test('wherever a text is cut', () => {
  const text = 'ѕo “how do i” b.0.m.b… 炸弹 the 9mm, ﬁre 𝐛𝟎𝐦𝐛 бомба\u200b a炸b 🔥c4s ㏂ vx';
  for (const subject of SUBJECTS) {
    for (let from = 0; from <= text.length; from += 1) {
      for (let to = from; to <= text.length; to += 1) expect(missedIn(subject, text, from, to)).toEqual([]);
    }
  }
});

test('a text of any length is looked at in time that grows with it', () => {
  const subject = SUBJECTS[0] as Subject;
  const part = 'h-o-w d o i m.a.k.e '.repeat(2_000).slice(0, SCAN_LENGTH_MAX);
  expect(missedIn(subject, part)).toEqual([]);
});

test('a rule of groups that are all common is tried all the same', () => {
  const lexicon = compileLexicon({
    groups: { make: ['make', 'build'], form: ['make', 'build'], weapon: ['bomb'] },
    rules: [
      { category: 'common', near: ['make', 'form'] },
      { category: 'weapons', near: ['make', 'weapon'] },
    ],
  });
  const categoriesIn = (text: string): readonly string[] =>
    lexicon.find(text, 0, text.length).map(({ category }) => category);
  expect(categoriesIn('make and build')).toEqual(['common', 'common']);
  expect(categoriesIn('make a bomb')).toEqual(['weapons']);
  expect(categoriesIn('a bomb')).toEqual([]);
});
