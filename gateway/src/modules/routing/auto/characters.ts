// How the phrase matcher reads characters: without case, accents or width, and each as a separator, as a part of a
// word, or as a word by itself. Tables for the whole basic plane are made once, so reading a character is one array
// look-up; no regular expression runs over a stranger's text.

export const SEPARATOR = 0;
export const WORD_PART = 1;
/** Chinese and Japanese put no spaces between words: every character may begin one. */
export const IDEOGRAPH = 2;

export type Characters = Readonly<{ folded: Uint16Array; kinds: Uint8Array }>;

export const UNITS = 0x1_0000;
const LETTER_OR_DIGIT = /[\p{L}\p{N}\p{M}]/u;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const MARKS = /\p{M}/gu;
const SPACE = /\s/;

/** Typographic variants that people type in either form. */
const TWINS = new Map([
  ['’', "'"],
  ['‘', "'"],
  ['´', "'"],
  ['‐', '-'],
  ['‑', '-'],
  ['–', '-'],
]);

let made: Characters | null = null;

export function characterTables(): Characters {
  made ??= makeTables();
  return made;
}

function makeTables(): Characters {
  const folded = new Uint16Array(UNITS);
  const kinds = new Uint8Array(UNITS);
  for (let unit = 0; unit < UNITS; unit += 1) {
    const character = String.fromCharCode(unit);
    folded[unit] = foldCharacter(character);
    kinds[unit] = UNSPACED.test(character) ? IDEOGRAPH : LETTER_OR_DIGIT.test(character) ? WORD_PART : SEPARATOR;
  }
  return { folded, kinds };
}

function foldCharacter(character: string): number {
  const unit = character.charCodeAt(0);
  if (SPACE.test(character)) return 0x20;
  const twin = TWINS.get(character);
  if (twin !== undefined) return twin.charCodeAt(0);
  // Ideographs and syllables have no case, and decomposing them would change them.
  const isPlain = unit >= 0x2e80 && !(unit >= 0xff00 && unit <= 0xffef);
  if (isPlain) return unit;
  const plain = character.normalize('NFKD').replace(MARKS, '').toLowerCase();
  return plain.length === 1 ? plain.charCodeAt(0) : character.toLowerCase().charCodeAt(0);
}
