// The letters of a text as they read, in one list of numbers, each with what stands before it. Words are searched in
// this list and not in the text, so that "i.g-n o r e" needs no second search. All scans share one list: a scan never
// waits, and code that needs a letter after the next scan must copy it.

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

/** The longest text that is read in one pass; callers cut longer ones. */
export const SCAN_LENGTH_MAX = 32_768;

/** The low bits of a letter are the UTF-16 unit that it reads as; those above say what stands before it. */
export const UNIT = 0xffff;
const PUNCTUATION_BREAK = 0x1_0000;
export const SPACE_BREAK = 0x2_0000;
/** A gap so large that the next letter no longer belongs to the ones before. */
export const GAP = 0x4_0000;
export const ANY_BREAK = PUNCTUATION_BREAK | SPACE_BREAK | GAP;
/** A word may begin here: after a break, and anywhere in scripts without spaces. */
const START = 0x8_0000;
const START_SHIFT = 19;
/** A full stop or similar; with a space after it a sentence ends. */
const STOP = 0x10_0000;
/** A line's end, or a full stop of a script that puts no space after it. */
const LINE = 0x20_0000;

const GAP_LENGTH_MIN = 10;
/** For the digits 0 to 7; a digit that looks like no letter stands for itself. */
export const LOOKS_OF_DIGITS = Array.from('oi2eas6t', (letter) => letter.charCodeAt(0));
const STOPS: ReadonlySet<number> = new Set(Array.from('.!?…', (stop) => stop.charCodeAt(0)));
const LINES: ReadonlySet<number> = new Set(Array.from('\n\r\u2028\u2029。！？．｡|;', (stop) => stop.charCodeAt(0)));

const LETTERS_MAX = SCAN_LENGTH_MAX * LETTERS_PER_CHARACTER_MAX;

/** The letters of the last reading, and one entry more for what stands after the last. */
export const letters = new Int32Array(LETTERS_MAX + 4);
/** The letters that are marked with `START`. */
export const starts = new Int32Array(LETTERS_MAX + 1);
/** How many of each there are. */
export const read = { letters: 0, starts: 0 };

/**
 * By UTF-16 unit, filled when a unit is first met: a Latin letter, what a separator adds before the next letter, or
 * `RARE`.
 */
const steps = new Int32Array(65_536);
const SEPARATOR = 0x4000_0000;
const BEFORE = ANY_BREAK | START | STOP | LINE;
const UNKNOWN = 0;
const RARE = -1;

function learnStep(code: number): number {
  const unit = foldUnit(code);
  const isBetween = unit === SPACE || unit === PUNCTUATION;
  steps[code] = isBetween ? SEPARATOR | separatorOf(unit, code) : isLatin(unit) ? unit : RARE;
  return steps[code] as number;
}

function separatorOf(unit: number, code: number): number {
  const kind = unit === SPACE ? SPACE_BREAK : PUNCTUATION_BREAK;
  return kind | START | (STOPS.has(code) ? STOP : 0) | (LINES.has(code) ? LINE : 0);
}

/** What stands before the next letter, and how many of its separators were counted. */
let pending = 0;
let separators = 0;

/** Reads the text between the two places. */
export function readLetters(text: string, from: number, to: number): void {
  read.letters = 0;
  read.starts = 0;
  // The beginning of a text begins a word, but after a cut the first letters may be the second half of one.
  pending = from === 0 ? SPACE_BREAK | START | LINE : LINE;
  separators = 0;
  let offset = readPlain(text, from, to);
  while (offset < to) offset = readPlain(text, offset + readRare(text, offset), to);
  letters[read.letters] = to === text.length ? SPACE_BREAK | START : pending;
}

/**
 * Reads up to the first character that is neither a Latin letter nor a separator; answers its place. Letters and
 * separators take the same steps without a branch: a processor cannot predict where words end, and a wrong prediction
 * at every word would cost more than all the rest.
 */
function readPlain(text: string, from: number, to: number): number {
  let before = pending;
  let run = separators;
  let count = read.letters;
  let startCount = read.starts;
  let offset = from;
  for (; offset < to; offset += 1) {
    const step = steps[text.charCodeAt(offset)] as number;
    if (step <= 0) break;
    /** All ones for a separator, else 0. */
    const between = (step << 1) >> 31;
    // What a separator writes here is overwritten by the next letter.
    letters[count] = step | before;
    starts[startCount] = count;
    startCount += (before >> START_SHIFT) & (1 + between);
    count += 1 + between;
    run = (run + 1) & between;
    before = (before | step | (((GAP_LENGTH_MIN - 1 - run) >> 31) & GAP)) & between & BEFORE;
  }
  pending = before;
  separators = run;
  read.letters = count;
  read.starts = startCount;
  return offset;
}

/**
 * Reads digits, other alphabets, and characters that read as several letters or none; answers how many units it took.
 */
function readRare(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  if (steps[code] === UNKNOWN && learnStep(code) !== RARE) return 0;
  const unit = foldUnit(code);
  if (unit === IGNORED) return 1;
  if (unit !== SEVERAL) {
    const isDigit = unit >= 0x30 && unit <= 0x37 && (pending & ANY_BREAK) === 0 && read.letters > 0;
    note(isDigit ? letterFor(unit, text, offset) : unit);
    return 1;
  }
  const codePoint = text.codePointAt(offset) ?? 0;
  for (const one of foldSlowly(codePoint)) {
    if (one === SPACE || one === PUNCTUATION) pending |= separatorOf(one, 0);
    else note(one);
  }
  return codePoint > 0xffff ? 2 : 1;
}

function note(unit: number): void {
  const isFree = hasNoWordBreaks(unit);
  const letter = unit | pending | (isFree ? START : 0);
  letters[read.letters] = letter;
  starts[read.starts] = read.letters;
  read.starts += (letter >> START_SHIFT) & 1;
  read.letters += 1;
  pending = isFree ? START : 0;
  separators = 0;
}

/** A digit between two letters stands for the letter that it looks like. */
export function letterFor(digit: number, text: string, offset: number): number {
  const isBetween = isLatin(text.charCodeAt(offset - 1) | 0x20) && isLatin(text.charCodeAt(offset + 1) | 0x20);
  return isBetween ? (LOOKS_OF_DIGITS[digit - 0x30] as number) : digit;
}

const isLatin = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;

/** Whether a sentence begins at a letter: after a new line, or after a full stop and a space. */
export function beginsSentence(letter: number): boolean {
  const before = letters[letter] as number;
  return (before & LINE) !== 0 || (before & (STOP | SPACE_BREAK)) === (STOP | SPACE_BREAK);
}

/** Where each letter of the last reading stands in the text; filled only after something was found. */
const places = new Int32Array(LETTERS_MAX);

/** Call before `placeOf`, with the text of the last reading. */
export function locateLetters(text: string, from: number, to: number): void {
  let count = 0;
  for (let offset = from; offset < to; offset += 1) {
    const unit = foldUnit(text.charCodeAt(offset));
    if (unit === SPACE || unit === PUNCTUATION || unit === IGNORED) continue;
    if (unit !== SEVERAL) {
      places[count] = offset;
      count += 1;
      continue;
    }
    const codePoint = text.codePointAt(offset) ?? 0;
    for (const one of foldSlowly(codePoint)) {
      if (one === SPACE || one === PUNCTUATION) continue;
      places[count] = offset;
      count += 1;
    }
    if (codePoint > 0xffff) offset += 1;
  }
}

/** The part of the text that reads as these letters, the last one not included. */
export function placeOf(text: string, first: number, end: number): Readonly<{ start: number; end: number }> {
  const last = places[end - 1] as number;
  // A letter outside the basic plane takes two places.
  return { start: places[first] as number, end: last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1) };
}
