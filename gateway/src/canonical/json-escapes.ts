// The escapes in texts of JSON, read letter by letter: a text may come in pieces, or be too long for one step for each
// of its escapes to be made with strings.

/** The escape is not complete: the rest of it may be in the next piece. */
export const INCOMPLETE = -1;
/** A backslash that begins no escape of JSON. */
const NO_ESCAPE = -2;

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
const UNICODE = 0x75;
const LETTERS = new Map(
  [...'"\\/bfnrt'].map((letter, index) => [letter.charCodeAt(0), '"\\/\b\f\n\r\t'.charCodeAt(index)]),
);

export type Escape = { code: number; length: number };

/** Reads the escape that begins at this place into `found`; what is none is a backslash. */
export function readEscape(text: string, place: number, found: Escape): void {
  const kind = text.charCodeAt(place + 1);
  found.length = kind === UNICODE ? 6 : 2;
  found.code = Number.isNaN(kind)
    ? INCOMPLETE
    : kind === UNICODE
      ? hexCode(text, place + 2)
      : (LETTERS.get(kind) ?? NO_ESCAPE);
  if (found.code !== NO_ESCAPE) return;
  found.code = BACKSLASH;
  found.length = 1;
}

function hexCode(text: string, start: number): number {
  let code = 0;
  for (let place = start; place < start + 4; place += 1) {
    if (place >= text.length) return INCOMPLETE;
    const digit = digitOf(text.charCodeAt(place));
    if (digit === NO_ESCAPE) return NO_ESCAPE;
    code = code * 16 + digit;
  }
  return code;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NO_ESCAPE;
}

/** Letters that are collected one by one. */
export class Letters {
  readonly #codes: Uint16Array;
  #length = 0;

  constructor(lengthMax: number) {
    this.#codes = new Uint16Array(lengthMax);
  }

  add(code: number): void {
    this.#codes[this.#length] = code;
    this.#length += 1;
  }

  get text(): string {
    return Buffer.from(this.#codes.buffer, 0, 2 * this.#length).toString('utf16le');
  }
}
