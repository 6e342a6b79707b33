// A text as it reads: without invisible characters, and with look-alikes (full-width forms, mathematical letters, odd
// spaces) replaced by what they look like. Rules that search for shapes, such as card numbers, search this view as well
// as the text itself.

import { LongTask } from '../../platform/turns.ts';

export type View = Readonly<{
  text: string;
  /** Where each character of the view stands in the text; null where both are the same. */
  places: Int32Array | null;
  /** Where the view begins and ends in the text. */
  from: number;
  to: number;
}>;

const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/u;
const ODD_SPACE = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
/** Ornaments that stand for whole phrases would make a text many times longer. */
const READING_LENGTH_MAX = 4;
const TAG_FIRST = 0xe0020;
const TAG_LAST = 0xe007e;

/** As many characters as texts use, and fewer than exist. */
const KNOWN_MAX = 20_000;
const shown = new Map<number, string>();

/**
 * The views of the text between two places, which must not be far apart. Places count from the beginning of the text.
 */
export function viewsOf(text: string, from: number, to: number): readonly View[] {
  const piece = text.slice(from, to);
  const plain = { text: piece, places: null, from, to };
  return readsAsWritten(piece) ? [plain] : [plain, visibleView(text, from, to)];
}

const PIECE_LENGTH = 32_768;

/** The views of a whole text of any length; a long one takes turns with others. */
export function viewsOfWhole(text: string, owner: string): readonly View[] | Promise<readonly View[]> {
  if (text.length <= PIECE_LENGTH) return viewsOf(text, 0, text.length);
  return viewsInTurns(text, owner);
}

async function viewsInTurns(text: string, owner: string): Promise<readonly View[]> {
  const plain = { text, places: null, from: 0, to: text.length };
  if (isPlain(text)) return [plain];
  const views: View[] = [];
  let isOther = false;
  const task = new LongTask(owner, PIECE_LENGTH);
  for (let from = 0; from < text.length; from += PIECE_LENGTH) {
    await task.before(PIECE_LENGTH);
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

/** Counting bytes is native and forty times as fast as a search for other characters than those of ASCII. */
const isPlain = (text: string): boolean => Buffer.byteLength(text) === text.length;

/** Nothing in the text is hidden or looks like something else. */
export function readsAsWritten(text: string): boolean {
  return isPlain(text) || (!UNSEEN.test(text) && text.normalize('NFKC') === text);
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
  // Half of a surrogate pair has no other form.
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return character;
  return character.normalize('NFKC').slice(0, READING_LENGTH_MAX);
}

/** Turns a match in a view into its place in the text. */
export function placesOf(
  { places, from, to }: View,
  match: Readonly<{ start: number; end: number }>,
): Readonly<{ start: number; end: number }> {
  if (places === null) return { start: from + match.start, end: from + match.end };
  return { start: places[match.start] ?? from, end: places[match.end] ?? to };
}
