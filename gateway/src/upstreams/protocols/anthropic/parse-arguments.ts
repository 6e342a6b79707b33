// The text of a tool call's arguments as the object that the API demands. The text is a caller's and may be anything, so
// it is scanned before it is parsed; what is no JSON object is wrapped, because the model should see what it once wrote.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { markIntegers, parseMarkedJson } from '../../../platform/exact-json.ts';

const DEPTH_MAX = 64;
const ELEMENTS_MAX = 200_000;
/** Every integer of at most this many characters fits a double exactly. */
const EXACT_DIGITS_MAX = 15;
const NUMBER = /-?\d[\d.eE+-]*/y;
const INTEGER = /^-?\d+$/;

export function parseArguments(text: string): JsonObject {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  // The name is the one that the vendor's own guide gives to text of this kind.
  return isJsonObject(value) ? value : { INVALID_JSON: text };
}

function parseJson(text: string): unknown {
  const bytes = Buffer.from(text, 'utf8');
  const integerSpans = findLargeIntegers(bytes);
  if (integerSpans === null) return undefined;
  try {
    return parseMarkedJson(markIntegers(bytes, integerSpans));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Where the integers are that a double cannot hold, start and end in turn; null for a structure beyond all reason. */
function findLargeIntegers(bytes: Buffer): readonly number[] | null {
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
