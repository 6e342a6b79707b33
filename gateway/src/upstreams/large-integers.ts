// Finds the integers in a JSON text that a double cannot hold, so that whoever parses it can keep them. The text is a
// stranger's and may be anything: this pass judges nothing but structure beyond all reason.

const DEPTH_MAX = 64;
const ELEMENTS_MAX = 200_000;
/** Every integer of at most this many characters fits a double exactly. */
const EXACT_DIGITS_MAX = 15;
const NUMBER = /-?\d[\d.eE+-]*/y;
const INTEGER = /^-?\d+$/;

/** Start and end in turn; null for a structure beyond all reason. */
export function findLargeIntegers(bytes: Buffer): readonly number[] | null {
  // One character a byte, so that offsets in the text are offsets in the bytes.
  const text = bytes.toString('latin1');
  const spans: number[] = [];
  let depth = 0;
  let elements = 0;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text.charAt(offset);
    if (character === '"') offset = stringEnd(text, offset + 1);
    else if (character === '{' || character === '[') {
      depth += 1;
      elements += 1;
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') elements += 1;
    else if (character === '-' || (character >= '0' && character <= '9')) {
      NUMBER.lastIndex = offset;
      const number = NUMBER.exec(text)?.[0] ?? character;
      if (number.length > EXACT_DIGITS_MAX && INTEGER.test(number)) spans.push(offset, offset + number.length);
      offset += number.length - 1;
    }
    if (depth > DEPTH_MAX || elements > ELEMENTS_MAX) return null;
  }
  return spans;
}

/** Where the string's closing quote is, or the end of a text that never closes it. */
function stringEnd(text: string, start: number): number {
  let quote = text.indexOf('"', start);
  while (quote !== -1) {
    let escapes = 0;
    while (text.charAt(quote - 1 - escapes) === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
