// The shape of a text, apart from its words: its size, questions, numbers, lists, code, tables. One pass; every figure
// is a plain count, and the signals made of it decide what a count means.

import { type Characters, IDEOGRAPH, SEPARATOR, UNITS, WORD_PART } from './characters.ts';

export type TextShape = {
  /** An ideograph counts as one. */
  words: number;
  numbers: number;
  questions: number;
  /** Commas and similar signs, with which people list what they want. */
  commas: number;
  /** Brackets, semicolons, underscores and other characters that are rare in prose. */
  codeMarks: number;
  codeFences: number;
  /** `camelCase` and `snake_case`. */
  identifiers: number;
  /** `^`, `=`, `+`, `√`: formulas. */
  mathMarks: number;
  percents: number;
  /** Lines divided into as many fields as the line before: a table, whatever its format. */
  tableLines: number;
  listLines: number;
  /** `10:30`. */
  clockTimes: number;
  hashtags: number;
  /** `$WORD`. */
  tickers: number;
  /** `name@host`. */
  addresses: number;
  /** `://`. */
  links: number;
};

const KIND = 3;
const QUESTION = 4;
const COMMA = 8;
const CODE_MARK = 16;
const MATH_MARK = 32;
const DIVIDER = 64;
const UPPER_CASE = 128;
/** Has a meaning only together with its neighbours. */
const CONTEXTUAL = 256;
const PERCENT = 512;
const LINE_END = 1024;

const MARKS: readonly (readonly [characters: string, mark: number])[] = [
  ['?？', QUESTION],
  [',;、，；', COMMA],
  ['{}()[]<>;_\\`=&|$*/', CODE_MARK],
  ['^=+√∑∫≤≥×÷π', MATH_MARK],
  ['|,\t;', DIVIDER],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER_CASE],
  ['#$@:`_', CONTEXTUAL],
  ['%％', PERCENT],
  ['\n', LINE_END],
];

const unitOf = (character: string): number => character.charCodeAt(0);
const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;
const isLowerCase = (unit: number): boolean => unit >= 0x61 && unit <= 0x7a;
const isLetter = (unit: number): boolean => isLowerCase(unit) || (unit >= 0x41 && unit <= 0x5a);

const [SPACE, HASH, DOLLAR, AT, COLON, UNDERSCORE, FENCE, SLASH] = [' ', '#', '$', '@', ':', '_', '`', '/'].map(unitOf);
const BULLETS: ReadonlySet<number> = new Set(['-', '*', '•'].map(unitOf));
const AFTER_NUMBER: ReadonlySet<number> = new Set(['.', ')'].map(unitOf));

/** Fewer dividers than this are punctuation. */
const ROW_DIVIDERS_MIN = 2;

type ShapeReader = Readonly<{ measure(units: Uint16Array, length: number): TextShape }>;

export function createShapeReader({ kinds }: Characters): ShapeReader {
  const traits = new Uint16Array(UNITS);
  traits.set(kinds);
  for (const [characters, mark] of MARKS) {
    for (const character of characters) traits[unitOf(character)] = (traits[unitOf(character)] ?? 0) | mark;
  }
  return {
    measure(units, length) {
      const shape = emptyShape();
      const line = { start: 0, dividers: 0, dividersBefore: 0 };
      let kindBefore = SEPARATOR;
      for (let index = 0; index < length; index += 1) {
        const trait = traits[units[index] ?? 0] ?? 0;
        // Most of a text is the inside of words.
        if (trait === WORD_PART && kindBefore === WORD_PART) continue;
        const kind = trait & KIND;
        if (kind === IDEOGRAPH || (kind === WORD_PART && kindBefore === SEPARATOR)) {
          shape.words += 1;
          if (isDigit(units[index] ?? 0)) shape.numbers += 1;
        }
        if (trait > KIND) countMark(shape, trait, units, index);
        if ((trait & DIVIDER) !== 0) line.dividers += 1;
        if ((trait & LINE_END) !== 0) endLine(shape, units, line, index);
        kindBefore = kind;
      }
      endLine(shape, units, line, length);
      return shape;
    },
  };
}

const emptyShape = (): TextShape => ({
  words: 0,
  numbers: 0,
  questions: 0,
  commas: 0,
  codeMarks: 0,
  codeFences: 0,
  identifiers: 0,
  mathMarks: 0,
  percents: 0,
  tableLines: 0,
  listLines: 0,
  clockTimes: 0,
  hashtags: 0,
  tickers: 0,
  addresses: 0,
  links: 0,
});

function countMark(shape: TextShape, trait: number, units: Uint16Array, index: number): void {
  if ((trait & QUESTION) !== 0) shape.questions += 1;
  if ((trait & COMMA) !== 0) shape.commas += 1;
  if ((trait & CODE_MARK) !== 0) shape.codeMarks += 1;
  if ((trait & MATH_MARK) !== 0) shape.mathMarks += 1;
  if ((trait & PERCENT) !== 0) shape.percents += 1;
  if ((trait & UPPER_CASE) !== 0 && index > 0 && isLowerCase(units[index - 1] ?? 0)) shape.identifiers += 1;
  if ((trait & CONTEXTUAL) !== 0) countInContext(shape, units, index);
}

function countInContext(shape: TextShape, units: Uint16Array, index: number): void {
  const before = index === 0 ? 0 : (units[index - 1] ?? 0);
  const after = units[index + 1] ?? 0;
  const next = units[index + 2] ?? 0;
  switch (units[index]) {
    case HASH:
      if ((before === 0 || before === SPACE) && isLetter(after)) shape.hashtags += 1;
      break;
    case DOLLAR:
      if (isLetter(after)) shape.tickers += 1;
      break;
    case AT:
      if (isLetter(before) && isLetter(after)) shape.addresses += 1;
      break;
    case UNDERSCORE:
      if (isLowerCase(before) && isLowerCase(after)) shape.identifiers += 1;
      break;
    case COLON:
      if (isDigit(before) && isDigit(after) && isDigit(next)) shape.clockTimes += 1;
      if (after === SLASH && next === SLASH) shape.links += 1;
      break;
    case FENCE:
      if (after === FENCE && next === FENCE) shape.codeFences += 1;
      break;
    default:
  }
}

type Line = { start: number; dividers: number; dividersBefore: number };

/** Judges the line that ends here and begins the next one. */
function endLine(shape: TextShape, units: Uint16Array, line: Line, end: number): void {
  if (line.dividers >= ROW_DIVIDERS_MIN && line.dividers === line.dividersBefore) shape.tableLines += 1;
  const first = units[line.start] ?? 0;
  const second = units[line.start + 1] ?? 0;
  const isListed =
    (BULLETS.has(first) && second === SPACE) || (isDigit(first) && AFTER_NUMBER.has(second) && line.start + 1 < end);
  if (isListed) shape.listLines += 1;
  line.dividersBefore = line.dividers;
  line.dividers = 0;
  line.start = end + 1;
}
