// Says which groups of phrases a text may name, for a fraction of what a search for the phrases costs: it writes no
// letters down and does not look at what stands between them. It may name a group too many and never one too few, so
// a text is searched only where the groups together could mean something.

import { endianness } from 'node:os';
import { foldSlowly, foldUnit, hasNoWordBreaks, IGNORED, PUNCTUATION, SEVERAL, SPACE } from './fold-letters.ts';
import { LOOKS_OF_DIGITS, letterFor, SCAN_LENGTH_MAX } from './letters.ts';
import { NO_END, type PhraseTrie, PREFIX_END, stepFrom } from './phrase-trie.ts';

/** What a character is at first sight. The numbers from 1 to 26 are letters, and the tree's symbols for them. */
const SEPARATOR = 0;
const DIGIT = 27;
/** A letter that no phrase has. */
const STRANGE = 28;
/** Anything else, or not known yet: it may be any letter, several, or none. */
const WILD = 31;

const KIND_BITS = 5;
const KINDS = 2 ** KIND_BITS;

/** A bit for each kind of character behind which a word may begin. */
const ENDS_WORD = (1 << SEPARATOR) | (1 << WILD);
/** For those with which one may begin there. */
const BEGINS_WORD = ~((1 << SEPARATOR) | (1 << STRANGE));
/** For those with which one may begin anywhere: what reads as several letters may have a separator among them. */
const BEGINS_ANYWHERE = 1 << WILD;

/** As many characters are looked at together. */
const OPENING_LENGTH = 4;

export type Sieve = Readonly<{
  trie: PhraseTrie;
  /** One bit for each four kinds of characters with which the text of a phrase may begin. */
  openings: Int32Array;
  /** By state and kind of character, for separators and letters: the trie's steps, with each state's in one place. */
  steps: Uint16Array;
  /** By phrase. */
  groupOf: Int32Array;
  /** By UTF-16 unit. */
  kinds: Uint8Array;
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
  const openings = new Int32Array(KINDS ** OPENING_LENGTH / 32);
  markOpenings({ trie, openings }, [0], 0, 0);
  return { trie, openings, steps: stepsOf(trie), groupOf, kinds, named: new Uint8Array(groupCount) };
}

function kindOf(trie: PhraseTrie, unit: number): number {
  const letter = foldUnit(unit);
  if (isBetween(letter)) return SEPARATOR;
  if (letter >= 0x61 && letter <= 0x7a) return letter - 0x60;
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

type Opening = Pick<Sieve, 'trie' | 'openings'>;

/** Marks what may follow the characters of `key`, of which there are `length`, after a walk to one of the states. */
function markOpenings(sieve: Opening, states: readonly number[], key: number, length: number): void {
  if (length === OPENING_LENGTH || states.some((state) => sieve.trie.endKind[state] !== NO_END)) {
    markAll(sieve, key, length);
    return;
  }
  for (let kind = 0; kind < STRANGE; kind += 1) {
    const reached = statesAfter(sieve.trie, states, kind, length === 0);
    if (reached.length > 0) markOpenings(sieve, reached, key * KINDS + kind, length + 1);
  }
  markAll(sieve, key * KINDS + WILD, length + 1);
}

/** Whatever follows the characters of `key`. */
function markAll({ openings }: Opening, key: number, length: number): void {
  const count = KINDS ** (OPENING_LENGTH - length);
  for (let marked = key * count; marked < (key + 1) * count; marked += 1) {
    openings[marked >> KIND_BITS] = (openings[marked >> KIND_BITS] as number) | (1 << (marked % KINDS));
  }
}

const DIGITS = Array.from('0123456789', (digit) => digit.charCodeAt(0));
/** A digit may stand for the letter that it looks like, but not at the beginning of a word. */
const READ_AS_DIGITS = [...DIGITS, ...LOOKS_OF_DIGITS];

function statesAfter(trie: PhraseTrie, states: readonly number[], kind: number, isFirst: boolean): readonly number[] {
  if (kind === SEPARATOR) return isFirst ? [] : states;
  const units = kind < DIGIT ? [kind + 0x60] : isFirst ? DIGITS : READ_AS_DIGITS;
  const reached: number[] = [];
  for (const state of states) {
    for (const unit of units) {
      const next = stepFrom(trie, state, unit);
      if (next !== 0) reached.push(next);
    }
  }
  return reached;
}

/** What is looked at, with separators after it: a list of numbers is read twice as fast as a string. */
const scratch = Buffer.allocUnsafeSlow(2 * (SCAN_LENGTH_MAX + OPENING_LENGTH + 1));
const codes = new Uint16Array(scratch.buffer);
/** Of this processor; what is written has the other order then. */
const IS_BIG_ENDIAN = endianness() === 'BE';
/** Where words may begin. */
const begins = new Int32Array(SCAN_LENGTH_MAX + 1);

/** A word may begin inside a character; then a search has to say. */
let isUnsure = false;

/** Fills `named`. */
export function siftGroups(sieve: Sieve, slice: Slice): void {
  const { text, from, to } = slice;
  const { kinds } = sieve;
  const length = to - from;
  scratch.write(length === text.length ? text : text.slice(from, to), 'utf16le');
  if (IS_BIG_ENDIAN) scratch.swap16();
  codes.fill(0x20, length, length + OPENING_LENGTH + 1);
  sieve.named.fill(0);
  const count = chooseBeginnings(sieve, findBeginnings(kinds, length));
  isUnsure = false;
  for (let index = 0; index < count && !isUnsure; index += 1) walkFrom(sieve, begins[index] as number, slice);
}

/** By the kinds of a character and the one before it: 1 where a word may begin between them. */
const beginnings = Uint8Array.from({ length: KINDS * KINDS }, (_, pair) => {
  const kind = pair % KINDS;
  return (((ENDS_WORD >>> (pair >> KIND_BITS)) & (BEGINS_WORD >>> kind)) | (BEGINS_ANYWHERE >>> kind)) & 1;
});

/** Without a branch, as letters are read. */
function findBeginnings(kinds: Uint8Array, length: number): number {
  const list = codes;
  const found = begins;
  let count = 0;
  let before = SEPARATOR << KIND_BITS;
  for (let place = 0; place < length; place += 1) {
    const kind = kinds[list[place] as number] as number;
    found[count] = place;
    count += beginnings[before | kind] as number;
    before = kind << KIND_BITS;
  }
  return count;
}

/** Keeps those of the beginnings with which a phrase may begin; answers how many. */
function chooseBeginnings({ kinds, openings }: Sieve, count: number): number {
  const list = codes;
  const found = begins;
  let chosen = 0;
  for (let index = 0; index < count; index += 1) {
    const place = found[index] as number;
    const one = kinds[list[place] as number] as number;
    const two = kinds[list[place + 1] as number] as number;
    const three = kinds[list[place + 2] as number] as number;
    const four = kinds[list[place + 3] as number] as number;
    const five = kinds[list[place + 4] as number] as number;
    const others = (((one << KIND_BITS) | two) << KIND_BITS) | three;
    // A word of three letters says little without the beginning of the next. Without a branch: five, if four is none.
    const last = four | (five & ((four - 1) >> 31));
    found[chosen] = place;
    chosen += ((openings[others] as number) >>> last) & 1;
  }
  return chosen;
}

function walkFrom(sieve: Sieve, first: number, { text, from, to }: Slice): void {
  const { kinds, steps } = sieve;
  const { endKind } = sieve.trie;
  const list = codes;
  const length = to - from;
  let state = 0;
  for (let place = first; place < length; place += 1) {
    const kind = kinds[list[place] as number] as number;
    state =
      kind < DIGIT ? (steps[(state << KIND_BITS) | kind] as number) : stepRarely(sieve, state, text, from + place);
    // Words behind what is no letter have beginnings of their own.
    if (state === 0) return;
    const end = endKind[state] as number;
    if (end === NO_END) continue;
    const goesOn = kind < DIGIT && isLetter(kinds[list[place + 1] as number] as number);
    if (!goesOn || end === PREFIX_END) nameGroups(sieve, state);
  }
}

/** Surely a letter, with which the word in front of it goes on. */
const isLetter = (kind: number): boolean => kind !== SEPARATOR && kind !== WILD;

function nameGroups({ trie: { ending, twin }, groupOf, named }: Sieve, state: number): void {
  for (let id = ending[state] as number; id !== -1; id = twin[id] as number) named[groupOf[id] as number] = 1;
}

function stepRarely(sieve: Sieve, state: number, text: string, place: number): number {
  const { trie, kinds } = sieve;
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
