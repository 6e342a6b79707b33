// Finds many phrases in a text: a tree of their letters as a dense table, walked from every beginning of a word. Nearly
// every word of an ordinary text leaves the tree after one to three letters, and hits go into lists of numbers that all
// scans share, so that a text without phrases costs no memory.

import { assert } from '../../../platform/assert.ts';
import { hasNoWordBreaks } from './fold-letters.ts';
import {
  ANY_BREAK,
  GAP,
  letters,
  locateLetters,
  placeOf,
  read,
  readLetters,
  SPACE_BREAK,
  starts,
  UNIT,
} from './letters.ts';

/** Bounds a walk, whatever a text repeats; longer phrases are found in another way. */
export const PHRASE_LETTERS_MAX = 64;

type Phrase = Readonly<{
  units: readonly number[];
  /** Where words begin, the first one included. */
  wordStarts: readonly boolean[];
  /** `explosiv*`: the word may go on in the text. */
  isPrefix: boolean;
}>;

const LATIN_SYMBOLS = 37;
const HALF = 32;

/** Letters are symbols 1 to 26, digits 27 to 36; any other letter that a phrase has is two symbols above that. */
type Alphabet = Readonly<{ size: number; indexes: ReadonlyMap<number, number> }>;

export type PhraseTrie = Readonly<{
  phrases: readonly Phrase[];
  alphabet: Alphabet;
  /**
   * By state and symbol; 0 where no phrase goes on. States near the root come first and stay in the processor's cache.
   */
  next: Uint16Array;
  /** The phrase that ends in a state, or -1; phrases that read the same share their last. */
  ending: Int32Array;
  /** By phrase: the next one that reads the same, or -1. */
  twin: Int32Array;
  /** By state: whether a phrase ends there, and whether one that goes on in the text. */
  endKind: Uint8Array;
  /** One bit for each hash of four first letters of phrases: most words are seen from it not to begin any. */
  openings: Uint8Array;
}>;

export const NO_END = 0;
const WORD_END = 1;
export const PREFIX_END = 2;

const STATES_MAX = 65_536;

export function buildTrie(texts: readonly string[]): PhraseTrie {
  const phrases = texts.map(readPhrase);
  const alphabet = alphabetOf(phrases);
  const { size } = alphabet;
  const spelled = phrases.map(({ units }) => units.flatMap((unit) => symbolsOf(unit, alphabet)));
  const depth = spelled.reduce((most, { length }) => Math.max(most, length), 0);
  const reached = new Uint16Array(phrases.length);
  const rows: Uint16Array[] = [new Uint16Array(size)];
  for (let step = 0; step < depth; step += 1) {
    for (const [index, symbols] of spelled.entries()) {
      const symbol = symbols[step];
      if (symbol === undefined) continue;
      const row = rows[reached[index] as number] as Uint16Array;
      if (row[symbol] === 0) row[symbol] = rows.push(new Uint16Array(size)) - 1;
      reached[index] = row[symbol] as number;
    }
  }
  assert(rows.length <= STATES_MAX, 'the phrases of a set have at most 65,536 letters that differ');
  const next = new Uint16Array(rows.length * size);
  for (const [state, row] of rows.entries()) next.set(row, state * size);
  return { phrases, alphabet, next, openings: openingsOf(phrases), ...endingsOf(phrases, reached, rows.length) };
}

const OPENING_LETTERS = 4;
const OPENING_BITS = 17;

/** A hash of four letters with this many bits; different letters may have the same. */
const openingOf = (one: number, two: number, three: number, four: number): number =>
  Math.imul(one ^ Math.imul(two, 0x2f) ^ Math.imul(three, 0xb5b) ^ Math.imul(four, 0x2_6ac3), 0x9e37_79b1) >>>
  (32 - OPENING_BITS);

/** After a phrase of fewer letters any Latin letter or digit may follow, or nothing. */
const ANY_UNIT = [0, ...Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (letter) => letter.charCodeAt(0))];

function openingsOf(phrases: readonly Phrase[]): Uint8Array {
  const bits = new Uint8Array(2 ** (OPENING_BITS - 3));
  const add = (units: readonly number[]): void => {
    if (units.length < OPENING_LETTERS) {
      for (const unit of ANY_UNIT) add([...units, unit]);
      return;
    }
    const [one = 0, two = 0, three = 0, four = 0] = units;
    const opening = openingOf(one, two, three, four);
    bits[opening >> 3] = (bits[opening >> 3] as number) | (1 << (opening & 7));
  };
  for (const { units } of phrases) if (units.length > 0) add(units);
  return bits;
}

function endingsOf(
  phrases: readonly Phrase[],
  reached: Uint16Array,
  states: number,
): Pick<PhraseTrie, 'ending' | 'twin' | 'endKind'> {
  const ending = new Int32Array(states).fill(-1);
  const twin = new Int32Array(reached.length).fill(-1);
  const endKind = new Uint8Array(states);
  for (const [index, state] of reached.entries()) {
    if (state === 0) continue;
    twin[index] = ending[state] as number;
    ending[state] = index;
    endKind[state] = Math.max(endKind[state] as number, phrases[index]?.isPrefix ? PREFIX_END : WORD_END);
  }
  return { ending, twin, endKind };
}

/** Read like a text, so that both are folded in the same way. */
function readPhrase(text: string): Phrase {
  const isPrefix = text.endsWith('*');
  const spoken = isPrefix ? text.slice(0, -1) : text;
  readLetters(spoken, 0, spoken.length);
  assert(read.letters <= PHRASE_LETTERS_MAX, 'a phrase has at most 64 letters');
  const own = [...letters.subarray(0, read.letters)];
  return {
    units: own.map((letter) => letter & UNIT),
    wordStarts: own.map((letter) => (letter & ANY_BREAK) !== 0),
    isPrefix,
  };
}

/** How many letters a phrase is read as; 0 where there is nothing to search for. */
export function lettersIn(phrase: string): number {
  readLetters(phrase, 0, phrase.length);
  return read.letters;
}

function alphabetOf(phrases: readonly Phrase[]): Alphabet {
  const indexes = new Map<number, number>();
  for (const unit of phrases.flatMap(({ units }) => units)) {
    if (latinSymbol(unit) === 0 && !indexes.has(unit)) indexes.set(unit, indexes.size);
  }
  const size = indexes.size === 0 ? LATIN_SYMBOLS : LATIN_SYMBOLS + HALF + Math.ceil(indexes.size / HALF);
  return { size, indexes };
}

function latinSymbol(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return unit - 0x60;
  return unit >= 0x30 && unit <= 0x39 ? unit - 0x30 + 27 : 0;
}

function symbolsOf(unit: number, { indexes }: Alphabet): readonly number[] {
  const latin = latinSymbol(unit);
  if (latin !== 0) return [latin];
  const index = indexes.get(unit) ?? 0;
  return [LATIN_SYMBOLS + HALF + Math.floor(index / HALF), LATIN_SYMBOLS + (index % HALF)];
}

const HITS_FIRST = 8_192;

/**
 * The hits of the last scan, in the order of their first letters: the phrase, its first letter and the one after it.
 */
export const hits = {
  count: 0,
  phrase: new Int32Array(HITS_FIRST),
  first: new Int32Array(HITS_FIRST),
  end: new Int32Array(HITS_FIRST),
};

/** No hit is dropped, because a text could otherwise hide the decisive phrase behind thousands of others. */
function growHits(): void {
  for (const name of ['phrase', 'first', 'end'] as const) {
    const larger = new Int32Array(hits[name].length * 2);
    larger.set(hits[name]);
    hits[name] = larger;
  }
}

/** Fills `hits` with the phrases between the two places, which are at most `SCAN_LENGTH_MAX` apart. */
export function scanPhrases(trie: PhraseTrie, text: string, from: number, to: number): void {
  readLetters(text, from, to);
  hits.count = 0;
  const { next, endKind, openings, alphabet } = trie;
  const { size } = alphabet;
  const list = letters;
  const count = read.letters;
  const startCount = chooseStarts(openings);
  for (let start = 0; start < startCount; start += 1) {
    const first = starts[start] as number;
    let letter = first;
    let state = 0;
    while (letter < count) {
      const packed = list[letter] as number;
      const unit = packed & UNIT;
      if (unit >= 0x61 && unit <= 0x7a) state = next[state * size + unit - 0x60] as number;
      else if (unit >= 0x30 && unit <= 0x39) state = next[state * size + unit - 0x30 + 27] as number;
      else state = stepTwice(trie, state, unit);
      if (state === 0) break;
      if ((packed & GAP) !== 0 && letter > first) break;
      letter += 1;
      const kind = endKind[state] as number;
      if (kind === NO_END) continue;
      if (kind === PREFIX_END || isEnd(letter)) note(trie, state, first, letter);
    }
  }
}

/**
 * Keeps the starts that may begin a phrase; answers how many. After the last letter the list still has letters of an
 * earlier reading, which at worst are walked for nothing.
 */
function chooseStarts(openings: Uint8Array): number {
  const list = letters;
  const begins = starts;
  const count = read.starts;
  let chosen = 0;
  for (let start = 0; start < count; start += 1) {
    const first = begins[start] as number;
    const one = (list[first] as number) & UNIT;
    const two = (list[first + 1] as number) & UNIT;
    const three = (list[first + 2] as number) & UNIT;
    const four = (list[first + 3] as number) & UNIT;
    const opening = openingOf(one, two, three, four);
    const isForeign = (0x7f - (one | two | three | four)) >>> 31;
    begins[chosen] = first;
    chosen += (((openings[opening >> 3] as number) >> (opening & 7)) & 1) | isForeign;
  }
  return chosen;
}

/** The state after a letter; 0 where no phrase goes on. */
export function stepFrom(trie: PhraseTrie, state: number, unit: number): number {
  const symbol = latinSymbol(unit);
  return symbol === 0 ? stepTwice(trie, state, unit) : (trie.next[state * trie.alphabet.size + symbol] as number);
}

function stepTwice({ alphabet: { size, indexes }, next }: PhraseTrie, state: number, unit: number): number {
  const index = indexes.get(unit);
  if (index === undefined) return 0;
  const high = next[state * size + LATIN_SYMBOLS + HALF + Math.floor(index / HALF)] as number;
  return high === 0 ? 0 : (next[high * size + LATIN_SYMBOLS + (index % HALF)] as number);
}

/** A word may end before a letter. */
const isEnd = (letter: number): boolean =>
  ((letters[letter] as number) & ANY_BREAK) !== 0 || isFree(letter - 1) || isFree(letter);

const isFree = (letter: number): boolean => {
  const unit = (letters[letter] as number) & UNIT;
  return unit > 0x7f && hasNoWordBreaks(unit);
};

/** Notes phrases whose words are words of the text, and not the beginnings of longer words. */
function note({ phrases, ending, twin }: PhraseTrie, state: number, first: number, end: number): void {
  const isOpenEnd = isEnd(end);
  let inside = 0;
  for (let letter = first + 1; letter < end; letter += 1) inside |= letters[letter] as number;
  for (let id = ending[state] as number; id !== -1; id = twin[id] as number) {
    const phrase = phrases[id] as Phrase;
    if (!isOpenEnd && !phrase.isPrefix) continue;
    if ((inside & ANY_BREAK) !== 0 && !wordsAreWhole(phrase, first)) continue;
    if (hits.count === hits.phrase.length) growHits();
    hits.phrase[hits.count] = id;
    hits.first[hits.count] = first;
    hits.end[hits.count] = end;
    hits.count += 1;
  }
}

/** Inside a word there may be punctuation, or a break after every single letter; a plain space makes two words. */
function wordsAreWhole({ wordStarts }: Phrase, first: number): boolean {
  let spaces = 0;
  let insides = 0;
  let unbroken = 0;
  for (let index = 1; index < wordStarts.length; index += 1) {
    if (wordStarts[index]) continue;
    const before = letters[first + index] as number;
    insides += 1;
    if ((before & SPACE_BREAK) !== 0 && !isFree(first + index)) spaces += 1;
    if ((before & ANY_BREAK) === 0) unbroken += 1;
  }
  return spaces === 0 || (unbroken === 0 && insides > 1);
}

/** Names every phrase between the two places, with where it stands in the whole text. */
export function eachPhrase(
  trie: PhraseTrie,
  text: string,
  slice: Readonly<{ from: number; to: number }>,
  visit: (phrase: number, place: Readonly<{ start: number; end: number }>) => void,
): void {
  scanPhrases(trie, text, slice.from, slice.to);
  if (hits.count === 0) return;
  locateLetters(text, slice.from, slice.to);
  for (let hit = 0; hit < hits.count; hit += 1) {
    visit(hits.phrase[hit] as number, placeOf(text, hits.first[hit] as number, hits.end[hit] as number));
  }
}

/** Of a text of at most `SCAN_LENGTH_MAX`. */
export function hasPhrase(trie: PhraseTrie, text: string): boolean {
  scanPhrases(trie, text, 0, text.length);
  return hits.count > 0;
}
