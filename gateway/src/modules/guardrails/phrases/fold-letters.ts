// How a character reads to a person: one letter for all its disguises. Full-width and mathematical letters, accents,
// letters of other alphabets that look the same, and characters that cannot be seen at all are common ways around a
// list of phrases. What is folded here is only compared and never sent anywhere.

/** Answers that are not letters. */
export const IGNORED = 0xffff;
export const SPACE = 0x20;
export const PUNCTUATION = 0x2e;
/** The character reads as several letters; `foldSlowly` names them. */
export const SEVERAL = 0xfffe;
const UNKNOWN = 0;

/** No letter of a living alphabet reads as more; other characters are ornaments that stand for whole phrases. */
export const LETTERS_PER_CHARACTER_MAX = 4;

const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;
const TAG_OFFSET = 0xe0000;

/** Letters of other alphabets, each with the Latin letter that it looks like. */
const LOOK_ALIKES =
  'аa вb еe іi јj кk мm нh оo рp сc тt уy хx һh ѕs ԁd ԛq ԝw ӏl αa βb εe ιi κk νv οo ρp τt υu χx ωw γy ηn ɑa ɡg ɩi';

const MARKS = /[\u0300-\u036f]/g;
const WHITESPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;
/** Marks of other scripts are letters of their own; these are put on top of Latin ones. */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]|[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/u;
const LETTER = /[\p{L}\p{N}\p{M}]/u;
const HAS_CASE_AND_ACCENTS = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

const lookAlikes: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.split(' ').map((pair) => [pair.slice(0, 1), pair.slice(1)]),
);

/** Filled when a character is first met: folding all of them at the start would delay it. */
const folded = new Uint16Array(65_536);

/** Of one UTF-16 unit: a letter, or one of the answers above. Surrogates are `SEVERAL`. */
export function foldUnit(unit: number): number {
  const answer = folded[unit] ?? UNKNOWN;
  return answer === UNKNOWN ? learn(unit) : answer;
}

function learn(unit: number): number {
  const answer = unit >= 0xd800 && unit <= 0xdfff ? SEVERAL : answerFor(foldSlowly(unit));
  folded[unit] = answer;
  return answer;
}

function answerFor(letters: readonly number[]): number {
  const [first, second] = letters;
  if (first === undefined) return IGNORED;
  return second === undefined ? first : SEVERAL;
}

/** As many characters as texts use, and fewer than exist. */
const KNOWN_MAX = 20_000;
const known = new Map<number, readonly number[]>();

/** The letters that a character reads as; none when it is invisible. */
export function foldSlowly(codePoint: number): readonly number[] {
  const units = known.get(codePoint);
  if (units !== undefined) return units;
  const read = readUnits(codePoint);
  if (known.size < KNOWN_MAX) known.set(codePoint, read);
  return read;
}

function readUnits(codePoint: number): readonly number[] {
  // Invisible copies of ASCII, which models read and people do not.
  if (codePoint >= TAG_FIRST && codePoint <= TAG_LAST) return readUnits(codePoint - TAG_OFFSET);
  const character = String.fromCodePoint(codePoint);
  if (WHITESPACE.test(character)) return [SPACE];
  if (INVISIBLE.test(character)) return [];
  const units: number[] = [];
  for (const letter of plainLetters(character)) {
    if (units.length >= LETTERS_PER_CHARACTER_MAX) break;
    if (!LETTER.test(letter)) units.push(PUNCTUATION);
    else for (let index = 0; index < letter.length; index += 1) units.push(letter.charCodeAt(index));
  }
  return units;
}

function plainLetters(character: string): string {
  const compatible = character.normalize('NFKC').toLowerCase().replaceAll('ß', 'ss');
  if (!HAS_CASE_AND_ACCENTS.test(compatible)) return compatible;
  const bare = compatible.normalize('NFD').replace(MARKS, '');
  return [...bare].map((letter) => lookAlikes.get(letter) ?? letter).join('');
}

/** Scripts without spaces between words: a phrase may begin and end anywhere. */
export function hasNoWordBreaks(unit: number): boolean {
  return (
    (unit >= 0x0e00 && unit <= 0x0eff) ||
    (unit >= 0x1000 && unit <= 0x109f) ||
    (unit >= 0x1780 && unit <= 0x17ff) ||
    (unit >= 0x2e80 && unit <= 0x9fff) ||
    (unit >= 0xac00 && unit <= 0xd7af) ||
    (unit >= 0xd800 && unit <= 0xdfff) ||
    (unit >= 0xf900 && unit <= 0xfaff)
  );
}
