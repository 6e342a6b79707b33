// A text as it reads: without characters that cannot be seen, and with those that only look different (full-width forms,
// letters of mathematics, odd spaces) as what they are. Rules that look for shapes, such as numbers of cards, look at
// this as well as at the text itself.

import { takeTurn } from '../../platform/turns.ts';

export type View = Readonly<{
  text: string;
  /** Where a character of the view stands in the text itself; null where both are the same. */
  places: Int32Array | null;
  /** Where it begins and ends there. */
  from: number;
  to: number;
}>;

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const NOT_ASCII = /[^\0-\x7f]/;
/** Ornaments that stand for whole sentences would make a text many times longer. */
const READING_LENGTH_MAX = 4;
const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;

/** As many as any text uses, and not as many as there are. */
const KNOWN_MAX = 20_000;
const shown = new Map<number, string>();

/** Between the two places, which must not be far apart. The places of the view count from the beginning of the text. */
export function viewsOf(text: string, from: number, to: number): readonly View[] {
  const piece = text.slice(from, to);
  const plain = { text: piece, places: null, from, to };
  return readsAsWritten(piece) ? [plain] : [plain, visibleView(text, from, to)];
}

const PIECE_LENGTH = 32_768;

/** Of a whole text of any length, in turns with everybody else where it is long. */
export function viewsOfWhole(text: string, owner: string): readonly View[] | Promise<readonly View[]> {
  if (text.length <= PIECE_LENGTH) return viewsOf(text, 0, text.length);
  return viewsInTurns(text, owner);
}

async function viewsInTurns(text: string, owner: string): Promise<readonly View[]> {
  const plain = { text, places: null, from: 0, to: text.length };
  if (!NOT_ASCII.test(text)) return [plain];
  const views: View[] = [];
  let isOther = false;
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    await takeTurn(owner);
    const [asWritten, visible] = viewsOf(text, from, Math.min(text.length, from + PIECE_LENGTH));
    if (visible !== undefined) isOther = true;
    const view = visible ?? asWritten;
    if (view !== undefined) views.push(view);
  }
  return isOther ? [plain, joinViews(views, text.length)] : [plain];
}

function joinViews(views: readonly View[], to: number): View {
  const places = new Int32Array(views.reduce((sum, view) => sum + view.text.length, 0));
  let offset = 0;
  for (const view of views) {
    if (view.places !== null) places.set(view.places, offset);
    else for (let index = 0; index < view.text.length; index += 1) places[offset + index] = view.from + index;
    offset += view.text.length;
  }
  return { text: views.map((view) => view.text).join(''), places, from: 0, to };
}

/** Nothing in it is hidden or only looks like something else. */
export function readsAsWritten(text: string): boolean {
  return !NOT_ASCII.test(text) || (!UNSEEN.test(text) && text.normalize('NFKC') === text);
}

function visibleView(text: string, from: number, to: number): View {
  const pieces: string[] = [];
  const places: number[] = [];
  for (let offset = from; offset < to; ) {
    const codePoint = text.codePointAt(offset) ?? 0;
    const reading = readingOf(codePoint);
    pieces.push(reading);
    for (let index = 0; index < reading.length; index += 1) places.push(offset);
    offset += codePoint > 0xffff ? 2 : 1;
  }
  return { text: pieces.join(''), places: Int32Array.from(places), from, to };
}

function readingOf(codePoint: number): string {
  if (codePoint < 0x80) return String.fromCharCode(codePoint);
  const known = shown.get(codePoint);
  if (known !== undefined) return known;
  const reading = read(codePoint);
  if (shown.size < KNOWN_MAX) shown.set(codePoint, reading);
  return reading;
}

function read(codePoint: number): string {
  // Invisible copies of ASCII, which models read and people do not.
  if (codePoint >= TAG_FIRST && codePoint <= TAG_LAST) return String.fromCodePoint(codePoint - 0xe0000);
  const character = String.fromCodePoint(codePoint);
  if (ODD_SPACE.test(character)) return ' ';
  if (UNSEEN.test(character)) return '';
  // A lone half of a pair has no other form.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return character;
  return character.normalize('NFKC').slice(0, READING_LENGTH_MAX);
}

/** From a match in a view to the same in the text. */
export function placesOf(
  { places, from, to }: View,
  match: Readonly<{ start: number; end: number }>,
): Readonly<{ start: number; end: number }> {
  if (places === null) return { start: from + match.start, end: from + match.end };
  return { start: places[match.start] ?? from, end: places[match.end] ?? to };
}
