// Says which groups of phrases a text may name, for a fraction of what a search for the phrases costs: it writes no
// letters down and does not look at what stands between them. It may name a group too many and never one too few, so
// a text is searched only where the groups together could mean something.

import { BeginningFinder, DIGIT, KINDS, latinKind, SEPARATOR, STRANGE, WILD } from './find-beginnings.ts';
import { foldSlowly, foldUnit, hasNoWordBreaks, IGNORED, PUNCTUATION, SEVERAL, SPACE } from './fold-letters.ts';
import { letterFor } from './letters.ts';
import { NO_END, type PhraseTrie, PREFIX_END, stepFrom } from './phrase-trie.ts';

export type Sieve = Readonly<{
  trie: PhraseTrie;
  beginnings: BeginningFinder;
  /** By state and kind of character, for separators and letters: the trie's steps, with each state's in one place. */
  steps: Uint16Array;
  /** By phrase. */
  groupOf: Int32Array;
  /** By group: 1 where the last text may name it. */
  named: Uint8Array;
}>;

/** The part of a text between two places, which are at most `SCAN_LENGTH_MAX` apart. */
type Slice = Readonly<{ text: string; from: number; to: number }>;

/** Letters of Latin alphabets; other characters are looked at when they are first met. */
const COMMON_MAX = 0x024f;

export function createSieve(trie: PhraseTrie, groupOf: Int32Array, groupCount: number): Sieve {
  const kinds = new Uint8Array(65_536).fill(WILD);
  for (let unit = 0; unit <= COMMON_MAX; unit += 1) kinds[unit] = kindOf(trie, unit);
  const beginnings = new BeginningFinder(trie, kinds);
  return { trie, beginnings, steps: stepsOf(trie), groupOf, named: new Uint8Array(groupCount) };
}

function kindOf(trie: PhraseTrie, unit: number): number {
  const letter = foldUnit(unit);
  if (isBetween(letter)) return SEPARATOR;
  if (latinKind(letter) !== 0) return latinKind(letter);
  if (letter >= 0x30 && letter <= 0x39) return DIGIT;
  if (letter === SEVERAL) return !isSurrogate(unit) && foldSlowly(unit).every(isBetween) ? SEPARATOR : WILD;
  if (letter === IGNORED || trie.alphabet.indexes.has(letter)) return WILD;
  // Behind such a letter a word may begin, as behind a separator.
  return hasNoWordBreaks(letter) ? SEPARATOR : STRANGE;
}

/** Half of a character. */
const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdfff;

const isBetween = (letter: number): boolean => letter === SPACE || letter === PUNCTUATION;

/** A separator makes no step. */
function stepsOf({ next, endKind, alphabet: { size } }: PhraseTrie): Uint16Array {
  const steps = new Uint16Array(endKind.length * KINDS);
  for (let state = 0; state < endKind.length; state += 1) {
    steps.set(next.subarray(state * size + 1, state * size + DIGIT), state * KINDS + 1);
    steps[state * KINDS + SEPARATOR] = state;
  }
  return steps;
}

/** A word may begin inside a character; then a search has to say. */
let isUnsure = false;
let hasNamed = false;

/** Fills `named`; false where no group is named. */
export function siftGroups(sieve: Sieve, slice: Slice): boolean {
  const { beginnings, named } = sieve;
  const { text, from, to } = slice;
  named.fill(0);
  isUnsure = false;
  hasNamed = false;
  const count = beginnings.find(text, from, to);
  for (let index = 0; index < count && !isUnsure; index += 1) {
    walkFrom(sieve, from + beginnings.placeOf(index), slice);
  }
  return hasNamed;
}

function walkFrom(sieve: Sieve, first: number, { text, to }: Slice): void {
  const { steps, beginnings } = sieve;
  const { kinds } = beginnings;
  const { endKind } = sieve.trie;
  let state = 0;
  for (let place = first; place < to; place += 1) {
    const kind = kinds[text.charCodeAt(place)] as number;
    state = kind < DIGIT ? (steps[state * KINDS + kind] as number) : stepRarely(sieve, state, text, place);
    // Words behind what is no letter have beginnings of their own.
    if (state === 0) return;
    const end = endKind[state] as number;
    if (end === NO_END) continue;
    const goesOn = kind < DIGIT && place + 1 < to && isLetter(kinds[text.charCodeAt(place + 1)] as number);
    if (!goesOn || end === PREFIX_END) nameGroups(sieve, state);
  }
}

/** Surely a letter, with which the word in front of it goes on. */
const isLetter = (kind: number): boolean => kind !== SEPARATOR && kind !== WILD;

function nameGroups({ trie: { ending, twin }, groupOf, named }: Sieve, state: number): void {
  for (let id = ending[state] as number; id !== -1; id = twin[id] as number) {
    named[groupOf[id] as number] = 1;
    hasNamed = true;
  }
}

function stepRarely(sieve: Sieve, state: number, text: string, place: number): number {
  const { trie, beginnings } = sieve;
  const { kinds } = beginnings;
  const code = text.charCodeAt(place);
  if (kinds[code] === WILD) kinds[code] = kindOf(trie, code);
  const unit = readAt(text, place);
  if (unit === IGNORED || isBetween(unit)) return state;
  return unit === SEVERAL
    ? stepThrough(sieve, state, foldSlowly(text.codePointAt(place) ?? 0))
    : stepFrom(trie, state, unit);
}

/** Phrases that end among the letters are named, and where a word may begin among them a search has to say. */
function stepThrough(sieve: Sieve, first: number, letters: readonly number[]): number {
  if (letters.some(isBetween)) {
    isUnsure = true;
    hasNamed = true;
    sieve.named.fill(1);
    return 0;
  }
  let state = first;
  for (const letter of letters) {
    state = stepFrom(sieve.trie, state, letter);
    if (state === 0) return 0;
    nameGroups(sieve, state);
  }
  return state;
}

/** What the character at a place reads as; `SEVERAL` only where that is several letters. */
function readAt(text: string, place: number): number {
  const unit = foldUnit(text.charCodeAt(place));
  if (unit >= 0x30 && unit <= 0x37) return letterFor(unit, text, place);
  if (unit !== SEVERAL) return unit;
  const letters = foldSlowly(text.codePointAt(place) ?? 0);
  if (letters.every(isBetween)) return PUNCTUATION;
  return letters.length === 1 ? (letters[0] as number) : SEVERAL;
}
