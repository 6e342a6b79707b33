// A pass over the bytes of a JSON body before it is parsed. Parsing ten megabytes of brackets blocks the process for
// seconds, so depth and size of the structure are bounded first; this pass judges nothing else, the parser does.

import { ApiError } from '../errors/api-error.ts';

const DEPTH_MAX = 64;
const TOKENS_MAX = 200_000;
const NUMBER_LENGTH_MAX = 128;
/** Every integer of at most this many characters fits a double exactly. */
const EXACT_DIGITS_MAX = 15;
/** Larger bodies are checked in slices of this size, with other calls served in between. */
const SLICE_BYTES = 262_144;
/** Short strings are cheaper to walk than to hand over to the native search. */
const STRING_WALK_BYTES = 32;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

type Scan = {
  readonly bytes: Buffer;
  offset: number;
  depth: number;
  tokens: number;
  isInString: boolean;
  /** Start and end in turn of the integers that a double cannot hold. */
  readonly integerSpans: number[];
};

/** Refuses hostile structure with 400; otherwise answers where the integers beyond 2^53 are. */
export function scanJson(bytes: Buffer): readonly number[] | Promise<readonly number[]> {
  const scan: Scan = { bytes, offset: 0, depth: 0, tokens: 0, isInString: false, integerSpans: [] };
  if (bytes.length > SLICE_BYTES) return scanInSlices(scan);
  scanUntil(scan, bytes.length);
  return scan.integerSpans;
}

async function scanInSlices(scan: Scan): Promise<readonly number[]> {
  while (scan.offset < scan.bytes.length) {
    scanUntil(scan, Math.min(scan.offset + SLICE_BYTES, scan.bytes.length));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return scan.integerSpans;
}

function scanUntil(scan: Scan, end: number): void {
  const { bytes } = scan;
  let { offset, depth, tokens } = scan;
  if (scan.isInString) offset = skipString(scan, offset, end);
  while (offset < end) {
    const byte = bytes[offset] ?? 0;
    offset += 1;
    if (byte === QUOTE) {
      offset = skipString(scan, offset, end);
    } else if (byte === COMMA || byte === COLON) {
      tokens += 1;
    } else if ((byte >= DIGIT_0 && byte <= DIGIT_9) || byte === MINUS) {
      offset = skipNumber(scan, offset - 1, depth);
    } else if (byte === 0x7b || byte === 0x5b) {
      tokens += 1;
      depth += 1;
      if (depth > DEPTH_MAX) throw tooComplex(`is nested deeper than ${DEPTH_MAX} levels`);
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
    }
    if (tokens > TOKENS_MAX) throw tooComplex(`has more than ${TOKENS_MAX} elements`);
  }
  scan.offset = offset;
  scan.depth = depth;
  scan.tokens = tokens;
}

function tooComplex(how: string): ApiError {
  return new ApiError('http_400', `The JSON in the request body ${how}.`);
}

/** Where the string that `from` is inside of has ended, or a place at or beyond `end` with the string still open. */
function skipString(scan: Scan, from: number, end: number): number {
  const { bytes } = scan;
  let offset = from;
  scan.isInString = false;
  while (offset < end) {
    const walkEnd = offset + STRING_WALK_BYTES;
    while (offset < walkEnd) {
      const byte = bytes[offset];
      if (byte === QUOTE) return offset + 1;
      offset += byte === BACKSLASH ? 2 : 1;
    }
    const quote = bytes.indexOf(QUOTE, offset);
    if (quote === -1) return bytes.length;
    let backslashes = 0;
    while (quote - backslashes > offset && bytes[quote - backslashes - 1] === BACKSLASH) backslashes += 1;
    offset = quote + 1;
    if (backslashes % 2 === 0) return offset;
  }
  scan.isInString = true;
  return offset;
}

/** Steps over a number and notes it when a double cannot hold it. */
function skipNumber(scan: Scan, start: number, depth: number): number {
  const { bytes } = scan;
  let end = start + 1;
  let isInteger = true;
  let hasExponent = false;
  for (; ; end += 1) {
    const byte = bytes[end] ?? 0;
    if (byte >= DIGIT_0 && byte <= DIGIT_9) continue;
    if (byte === 0x65 || byte === 0x45) hasExponent = true;
    else if (byte !== 0x2e && byte !== 0x2b && byte !== MINUS) break;
    isInteger = false;
  }
  if (end - start > NUMBER_LENGTH_MAX) throw tooComplex('contains a number that is too long');
  if (isInteger && end - start > EXACT_DIGITS_MAX) noteInteger(scan, start, end);
  // A field of the body itself is left to its validator, which has a code of its own for it.
  if (hasExponent && depth > 1 && Math.abs(Number(bytes.toString('latin1', start, end))) === Number.POSITIVE_INFINITY) {
    throw tooComplex('contains a number that is out of range');
  }
  return end;
}

const INTEGER = /^-?[1-9]\d*$/;

function noteInteger(scan: Scan, start: number, end: number): void {
  const literal = scan.bytes.toString('latin1', start, end);
  // What is not a number by JSON's grammar, or stands where only a key may, stays in place for the parser to refuse.
  if (!INTEGER.test(literal) || Number.isSafeInteger(Number(literal))) return;
  let next = end;
  while (isSpace(scan.bytes[next])) next += 1;
  if (scan.bytes[next] !== COLON) scan.integerSpans.push(start, end);
}

const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** `__proto__` as a key would turn into the prototype of whatever the object is merged into. */
export function hasProtoKey(text: string, value: object): boolean {
  // Every spelling of the key either is plain or escapes an ASCII letter; without either there is nothing to walk for.
  return (text.includes('__proto__') || text.includes('\\u00')) && holdsProtoKey(value);
}

function holdsProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.hasOwn(value, '__proto__')) return true;
  return Object.values(value).some(holdsProtoKey);
}
