// Finds many phrases in one pass over a text (Aho and Corasick's automaton, as a dense table). It runs over letters
// alone: whatever stands between them is remembered as a break and judged only where all letters of a phrase were found.
// So "i.g-n o r e" costs nothing extra to see through, and ordinary text pays a few nanoseconds a character.

import {
  foldSlowly,
  foldUnit,
  hasNoWordBreaks,
  IGNORED,
  LETTERS_PER_CHARACTER_MAX,
  PUNCTUATION,
  SEVERAL,
  SPACE,
} from './fold-letters.ts';

/** The longest text that is scanned in one go; longer ones are cut by whoever calls. */
export const SCAN_LENGTH_MAX = 32_768;

/** What stands before a letter. */
const NO_BREAK = 0;
const PUNCTUATION_BREAK = 1;
const SPACE_BREAK = 2;
/** So much that what follows has nothing to do with it any more. */
const GAP = 3;
const GAP_LENGTH_MIN = 10;

export type PhraseHit = Readonly<{
  /** The place in the list of phrases. */
  phrase: number;
  /** Of the letters that were scanned, from and up to. */
  firstLetter: number;
  endLetter: number;
  /** In the text. */
  start: number;
  end: number;
}>;

type Phrase = Readonly<{
  units: readonly number[];
  /** Where words begin, the first one included. */
  wordStarts: readonly boolean[];
  /** `explosiv*`: goes on in the text. */
  isPrefix: boolean;
}>;

/** Of 0 to 7; those that look like no letter stand for themselves. */
const LOOKS_OF_DIGITS = Array.from('oi2eas6t', (letter) => letter.charCodeAt(0));

const LETTER_SYMBOLS = 26;
const LATIN_SYMBOLS = 37;
const HALF = 32;

/** Letters are symbols 1 to 26, digits 27 to 36; any other letter that a phrase has is two symbols above that. */
type Alphabet = Readonly<{ size: number; indexes: ReadonlyMap<number, number> }>;

export type PhraseAutomaton = Readonly<{
  phrases: readonly Phrase[];
  alphabet: Alphabet;
  /** By state and symbol. */
  next: Int32Array;
  /** The phrase that ends in a state, or -1; phrases that read the same share their first. */
  ending: Int32Array;
  /** The next shorter ending of the same letters, or 0. */
  shorter: Int32Array;
  /** By phrase: the next one that reads the same, or -1. */
  twin: Int32Array;
  /** By state: 1 where a phrase ends, in whole or in the last of its letters. */
  isEnd: Uint8Array;
}>;

export function buildAutomaton(texts: readonly string[]): PhraseAutomaton {
  const phrases = texts.map(readPhrase);
  const alphabet = alphabetOf(phrases);
  const { size } = alphabet;
  const spelled = phrases.map(({ units: letters }) => letters.flatMap((unit) => symbolsOf(unit, alphabet)));
  /** As if no two phrases began alike. */
  const children = new Int32Array((1 + spelled.reduce((sum, { length }) => sum + length, 0)) * size);
  const endings: number[] = [-1];
  const twin = new Int32Array(phrases.length).fill(-1);
  for (const [index, symbols] of spelled.entries()) {
    let state = 0;
    for (const symbol of symbols) {
      const place = state * size + symbol;
      if (children[place] === 0) children[place] = endings.push(-1) - 1;
      state = children[place] as number;
    }
    if (state === 0) continue;
    twin[index] = endings[state] as number;
    endings[state] = index;
  }
  return { phrases, alphabet, twin, ...linkStates(children, endings, size) };
}

/** Read as texts are, so that whatever is folded there is folded here. */
function readPhrase(text: string): Phrase {
  const isPrefix = text.endsWith('*');
  const spoken = (isPrefix ? text.slice(0, -1) : text).slice(0, SCAN_LENGTH_MAX);
  const count = readLetters(spoken, 0, spoken.length);
  const letters = Array.from({ length: count }, (_, letter) => letter);
  return {
    units: letters.map((letter) => units[letter] as number),
    wordStarts: letters.map((letter) => breaks[letter] !== NO_BREAK),
    isPrefix,
  };
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

/** Breadth first, so that the state for the letters without the first is always finished before it is needed. */
function linkStates(
  children: Int32Array,
  endings: readonly number[],
  size: number,
): Pick<PhraseAutomaton, 'next' | 'ending' | 'shorter' | 'isEnd'> {
  const next = children.slice(0, endings.length * size);
  const suffix = new Int32Array(endings.length);
  const shorter = new Int32Array(endings.length);
  const queue = [0];
  for (const state of queue) {
    const link = suffix[state] as number;
    shorter[state] = endings[link] === -1 ? (shorter[link] as number) : link;
    for (let symbol = 0; symbol < size; symbol += 1) {
      const child = next[state * size + symbol] as number;
      const fallback = state === 0 ? 0 : (next[link * size + symbol] as number);
      if (child === 0) next[state * size + symbol] = fallback;
      else {
        suffix[child] = fallback;
        queue.push(child);
      }
    }
  }
  const isEnd = Uint8Array.from(endings, (phrase, state) => (phrase === -1 && shorter[state] === 0 ? 0 : 1));
  return { next, ending: Int32Array.from(endings), shorter, isEnd };
}

const LETTERS_MAX = SCAN_LENGTH_MAX * LETTERS_PER_CHARACTER_MAX;
/** Scans never overlap, so all of them share their paper. */
const places = new Int32Array(LETTERS_MAX + 1);
const breaks = new Uint8Array(LETTERS_MAX + 1);
const units = new Uint16Array(LETTERS_MAX + 1);

/** The phrases between `from` and `to`. Places are those of the whole text. */
export function findPhrases(automaton: PhraseAutomaton, text: string, from: number, to: number): PhraseHit[] {
  const count = readLetters(text, from, to);
  const found: number[] = [];
  const { alphabet, next, ending, shorter } = automaton;
  const { size, indexes } = alphabet;
  let state = 0;
  for (let letter = 0; letter < count; letter += 1) {
    const unit = units[letter] as number;
    if (unit >= 0x61 && unit <= 0x7a) state = next[state * size + unit - 0x60] as number;
    else if (unit >= 0x30 && unit <= 0x39) state = next[state * size + unit - 0x30 + 27] as number;
    else {
      const index = indexes.get(unit);
      state = index === undefined ? 0 : stepTwice(automaton, state, index);
    }
    if (state === 0) continue;
    let end = ending[state] === -1 ? (shorter[state] as number) : state;
    while (end !== 0) {
      found.push(ending[end] as number, letter + 1);
      end = shorter[end] as number;
    }
  }
  return found.length === 0 ? [] : judge(automaton, found, text);
}

/** Symbols by UTF-16 unit, learned as they are met, in what most texts are made of; else one of the two marks. */
const symbols = new Uint8Array(65_536).fill(255);
const NOT_LEARNED = 255;
const NOT_SIMPLE = 254;

function learnSymbol(code: number): number {
  const unit = foldUnit(code);
  const isBetween = unit === SPACE || unit === PUNCTUATION || unit === IGNORED;
  const latin = latinSymbol(unit);
  const symbol = isBetween ? 0 : latin === 0 || unit === SEVERAL ? NOT_SIMPLE : latin;
  symbols[code] = symbol;
  return symbol;
}

/**
 * A first look that notes nothing down and lets most texts go: tells the states in which the letters of phrases end, be
 * they words or parts of words. Null when the text has letters that only the thorough way can read.
 */
export function glance(automaton: PhraseAutomaton, text: string, from: number, to: number): readonly number[] | null {
  const { next, isEnd } = automaton;
  const { size } = automaton.alphabet;
  const ends: number[] = [];
  let state = 0;
  for (let offset = from; offset < to; offset += 1) {
    const code = text.charCodeAt(offset);
    let symbol = symbols[code] as number;
    if (symbol === 0) continue;
    if (symbol >= NOT_SIMPLE) {
      if (symbol === NOT_LEARNED) symbol = learnSymbol(code);
      if (symbol === NOT_SIMPLE) return null;
      if (symbol === 0) continue;
    }
    if (symbol > LETTER_SYMBOLS && offset > from && code <= 0x37) {
      symbol = latinSymbol(letterFor(code, text, offset));
    }
    state = next[state * size + symbol] as number;
    if (isEnd[state] === 1 && !ends.includes(state)) ends.push(state);
  }
  return ends;
}

/** The phrases whose letters end in a state. */
export function phrasesAt({ ending, shorter, twin }: PhraseAutomaton, state: number): readonly number[] {
  const found: number[] = [];
  for (let end = state; end !== 0; end = shorter[end] as number) {
    for (let id = ending[end] as number; id !== -1; id = twin[id] as number) found.push(id);
  }
  return found;
}

function stepTwice({ alphabet: { size }, next }: PhraseAutomaton, state: number, index: number): number {
  const high = next[state * size + LATIN_SYMBOLS + HALF + Math.floor(index / HALF)] as number;
  return next[high * size + LATIN_SYMBOLS + (index % HALF)] as number;
}

/** Writes down the letters, where they are and what stands before each; answers how many there are. */
function readLetters(text: string, from: number, to: number): number {
  let count = 0;
  // A text begins a word, but what goes before a cut may be the other half of one.
  let pending = from === 0 ? SPACE_BREAK : NO_BREAK;
  let separators = 0;
  for (let offset = from; offset < to; offset += 1) {
    let unit = foldUnit(text.charCodeAt(offset));
    if (unit >= 0x30 && unit <= 0x37 && pending === NO_BREAK && count > 0) unit = letterFor(unit, text, offset);
    if (unit === SPACE || unit === PUNCTUATION) {
      separators += 1;
      pending =
        separators >= GAP_LENGTH_MIN ? GAP : Math.max(pending, unit === SPACE ? SPACE_BREAK : PUNCTUATION_BREAK);
    } else if (unit === SEVERAL) {
      const codePoint = text.codePointAt(offset) ?? 0;
      for (const one of foldSlowly(codePoint)) {
        if (one === SPACE || one === PUNCTUATION) {
          pending = Math.max(pending, one === SPACE ? SPACE_BREAK : PUNCTUATION_BREAK);
          continue;
        }
        count = note(count, one, offset, pending);
        pending = NO_BREAK;
        separators = 0;
      }
      if (codePoint > 0xffff) offset += 1;
    } else if (unit !== IGNORED) {
      count = note(count, unit, offset, pending);
      pending = NO_BREAK;
      separators = 0;
    }
  }
  breaks[count] = to === text.length ? SPACE_BREAK : pending;
  return count;
}

/** A digit between two letters stands for the letter that it looks like. */
function letterFor(digit: number, text: string, offset: number): number {
  const isBetween = isLatin(text.charCodeAt(offset - 1)) && isLatin(text.charCodeAt(offset + 1));
  return isBetween ? (LOOKS_OF_DIGITS[digit - 0x30] as number) : digit;
}

const isLatin = (unit: number): boolean => (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);

function note(count: number, unit: number, place: number, pending: number): number {
  units[count] = unit;
  places[count] = place;
  breaks[count] = pending;
  return count + 1;
}

/** Leaves those whose letters are words of the text, and not the accidental ends and beginnings of others. */
function judge(automaton: PhraseAutomaton, found: readonly number[], text: string): PhraseHit[] {
  const hits: PhraseHit[] = [];
  for (let index = 0; index < found.length; index += 2) {
    const endLetter = found[index + 1] as number;
    for (let id = found[index] as number; id !== -1; id = automaton.twin[id] as number) {
      const phrase = automaton.phrases[id] as Phrase;
      const firstLetter = endLetter - phrase.units.length;
      if (!isSpoken(phrase, firstLetter, endLetter)) continue;
      const last = places[endLetter - 1] as number;
      // A letter outside the basic plane takes two places.
      const end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
      hits.push({ phrase: id, firstLetter, endLetter, start: places[firstLetter] as number, end });
    }
  }
  return hits;
}

function isSpoken(phrase: Phrase, firstLetter: number, endLetter: number): boolean {
  if (breaks[firstLetter] === NO_BREAK && !isFree(firstLetter) && !isFree(firstLetter - 1)) return false;
  const isOpenEnd = phrase.isPrefix || breaks[endLetter] !== NO_BREAK || isFree(endLetter - 1) || isFree(endLetter);
  return isOpenEnd && wordsAreWhole(phrase, firstLetter);
}

const isFree = (letter: number): boolean => letter >= 0 && hasNoWordBreaks(units[letter] as number);

/** Inside a word there may be punctuation, or a break after every single letter; a plain space makes two words of it. */
function wordsAreWhole({ wordStarts }: Phrase, firstLetter: number): boolean {
  let spaces = 0;
  let insides = 0;
  let unbroken = 0;
  for (let index = 1; index < wordStarts.length; index += 1) {
    const before = breaks[firstLetter + index] as number;
    if (before === GAP) return false;
    if (wordStarts[index]) continue;
    insides += 1;
    if (before === SPACE_BREAK && !isFree(firstLetter + index)) spaces += 1;
    if (before === NO_BREAK) unbroken += 1;
  }
  return spaces === 0 || (unbroken === 0 && insides > 1);
}
