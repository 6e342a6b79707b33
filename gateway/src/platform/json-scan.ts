// One pass over the bytes of a stranger's JSON before it is parsed. It bounds depth and size, because parsing megabytes
// of brackets blocks the process for seconds, and notes what parsing loses: where the large integers and the outermost
// members are. It does not validate: its notes hold only for a text that the parser then accepts.

import type { LongTask } from './turns.ts';

export type JsonLimits = Readonly<{
  depthMax: number;
  /** Commas, colons and opening brackets together. */
  tokensMax: number;
  /** For one object, because a parser builds a separate, slow table for each large one. */
  membersMax: number;
  numberLengthMax: number;
  /** Numbers below the outermost object must fit a double. */
  refusesHugeNumbers: boolean;
}>;

/** Longer strings are not for the parser. */
const TEXT_BYTES_MAX = 4_096;

export type ScannedJson = Readonly<{
  /** Start and end, in turn, of the integers that a double cannot hold, and of long strings that are values. */
  spans: readonly number[];
  hasLargeIntegers: boolean;
  /** All keys of all objects, with repetitions. */
  keyCount: number;
  /** Where the outermost object opens, then in turn the colon and the end of each member. Null when there are many. */
  marks: readonly number[] | null;
}>;

/** The structure exceeds a limit; the message says which, without repeating the text. */
export class JsonLimitError extends Error {}

/** Every integer of at most this many characters fits a double exactly. */
const EXACT_DIGITS_MAX = 15;
/** Short strings are faster to walk here than by a native search; beyond that it is only for quotes in dense rows. */
const STRING_WALK_BYTES = 32;
const ESCAPED_WALK_BYTES = 8;
const MARKS_MAX = 2 * 96 + 1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

const NOTHING = Buffer.alloc(0);
/** For bytes that have been scanned before. */
export const NO_LIMITS: JsonLimits = {
  depthMax: Number.POSITIVE_INFINITY,
  tokensMax: Number.POSITIVE_INFINITY,
  membersMax: Number.POSITIVE_INFINITY,
  numberLengthMax: Number.POSITIVE_INFINITY,
  refusesHugeNumbers: false,
};
const NO_SPANS: readonly number[] = [];

export function scanJson(bytes: Buffer, limits: JsonLimits): ScannedJson {
  shared.begin(bytes, limits);
  try {
    shared.runTo(bytes.length);
    return shared.result();
  } finally {
    shared.begin(NOTHING, limits);
  }
}

/**
 * The same in turns: however many long texts there are, one slice of one of them is read in each round of the event
 * loop, or one is parsed.
 */
export async function scanJsonInSlices(bytes: Buffer, limits: JsonLimits, task: LongTask): Promise<ScannedJson> {
  const scan = new JsonScan();
  scan.begin(bytes, limits);
  while (scan.offset < bytes.length) {
    await task.before(task.pieceMax);
    scan.runTo(Math.min(scan.offset + task.pieceMax, bytes.length));
  }
  return scan.result();
}

class JsonScan {
  offset = 0;
  #bytes: Buffer = NOTHING;
  #limits = NO_LIMITS;
  readonly #marks = new Int32Array(MARKS_MAX);
  #spans: number[] | null = null;
  #hasLargeIntegers = false;
  #markCount = 0;
  #depth = 0;
  #tokens = 0;
  #keyCount = 0;
  #isInString = false;
  #stringStart = 0;
  /** The member count of the open object at each depth. */
  readonly #members: number[] = [];

  begin(bytes: Buffer, limits: JsonLimits): void {
    this.#bytes = bytes;
    this.#limits = limits;
    this.offset = 0;
    this.#spans = null;
    this.#hasLargeIntegers = false;
    this.#markCount = 0;
    this.#depth = 0;
    this.#tokens = 0;
    this.#keyCount = 0;
    this.#isInString = false;
  }

  result(): ScannedJson {
    const count = this.#markCount;
    return {
      spans: this.#spans ?? NO_SPANS,
      hasLargeIntegers: this.#hasLargeIntegers,
      keyCount: this.#keyCount,
      marks: count > MARKS_MAX ? null : this.#copyMarks(count),
    };
  }

  /** For these few a list is much cheaper than a typed array. */
  #copyMarks(count: number): number[] {
    const marks: number[] = [];
    for (let index = 0; index < count; index += 1) marks.push(this.#marks[index] as number);
    return marks;
  }

  runTo(end: number): void {
    const bytes = this.#bytes;
    const { depthMax, tokensMax } = this.#limits;
    let offset = this.offset;
    let depth = this.#depth;
    let tokens = this.#tokens;
    if (this.#isInString) offset = this.#readString(offset, end);
    while (offset < end) {
      const byte = bytes[offset] ?? 0;
      offset += 1;
      if (byte === QUOTE) {
        this.#stringStart = offset - 1;
        offset = this.#readString(offset, end);
      } else if (byte === COMMA || byte === COLON) {
        tokens += 1;
        if (byte === COLON) this.#countMember(depth);
        if (depth === 1) this.#mark(offset - 1);
      } else if ((byte >= DIGIT_0 && byte <= DIGIT_9) || byte === MINUS) {
        offset = this.#skipNumber(offset - 1, depth);
      } else if (byte === 0x7b || byte === 0x5b) {
        tokens += 1;
        depth += 1;
        this.#members[depth] = 0;
        if (depth === 1) this.#mark(offset - 1);
        if (depth > depthMax) throw new JsonLimitError(`is nested deeper than ${depthMax} levels`);
      } else if (byte === 0x7d || byte === 0x5d) {
        depth -= 1;
        if (depth === 0) this.#mark(offset - 1);
      }
      if (tokens > tokensMax) throw new JsonLimitError(`has more than ${tokensMax} elements`);
    }
    this.offset = offset;
    this.#depth = depth;
    this.#tokens = tokens;
  }

  #countMember(depth: number): void {
    // Outside of all objects there are no members; the parser refuses that.
    if (depth < 1) return;
    const { membersMax } = this.#limits;
    const count = (this.#members[depth] ?? 0) + 1;
    this.#members[depth] = count;
    this.#keyCount += 1;
    if (count > membersMax) throw new JsonLimitError(`has an object of more than ${membersMax} members`);
  }

  /** A typed array ignores what is written beyond its end. */
  #mark(offset: number): void {
    this.#marks[this.#markCount] = offset;
    this.#markCount += 1;
  }

  #readString(from: number, end: number): number {
    const offset = this.#skipString(from, end);
    if (offset - this.#stringStart > TEXT_BYTES_MAX && !this.#isInString) this.#noteText(this.#stringStart, offset);
    return offset;
  }

  /** Where the string around `from` ends, or a place at or beyond `end` with the string still open. */
  #skipString(from: number, end: number): number {
    const bytes = this.#bytes;
    let offset = from;
    let walkBytes = STRING_WALK_BYTES;
    this.#isInString = false;
    while (offset < end) {
      const walkEnd = offset + walkBytes;
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
      walkBytes = ESCAPED_WALK_BYTES;
    }
    this.#isInString = true;
    return offset;
  }

  /** Steps over a number and notes it when a double cannot hold it. */
  #skipNumber(start: number, depth: number): number {
    const bytes = this.#bytes;
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
    const { numberLengthMax, refusesHugeNumbers } = this.#limits;
    if (end - start > numberLengthMax) throw new JsonLimitError('contains a number that is too long');
    if (isInteger && end - start > EXACT_DIGITS_MAX) this.#noteInteger(start, end);
    // A field of the body itself is left to its validator, which has an error code for it.
    if (hasExponent && depth > 1 && refusesHugeNumbers && isHuge(bytes.toString('latin1', start, end))) {
      throw new JsonLimitError('contains a number that is out of range');
    }
    return end;
  }

  #noteInteger(start: number, end: number): void {
    const literal = this.#bytes.toString('latin1', start, end);
    // Text that is not a number by JSON's grammar, or that stands where a key must, is left for the parser to refuse.
    if (!INTEGER.test(literal) || Number.isSafeInteger(Number(literal)) || this.#isKey(end)) return;
    this.#noteSpan(start, end);
    this.#hasLargeIntegers = true;
  }

  /** A string without an end is left for the parser to refuse. */
  #noteText(start: number, end: number): void {
    if (this.#bytes[end - 1] === QUOTE && !this.#isKey(end)) this.#noteSpan(start, end);
  }

  #noteSpan(start: number, end: number): void {
    this.#spans ??= [];
    this.#spans.push(start, end);
  }

  #isKey(end: number): boolean {
    let next = end;
    while (isSpace(this.#bytes[next])) next += 1;
    return this.#bytes[next] === COLON;
  }
}

/** For scans that end in the turn in which they began. */
const shared = new JsonScan();

const INTEGER = /^-?[1-9]\d*$/;

const isHuge = (literal: string): boolean => Math.abs(Number(literal)) === Number.POSITIVE_INFINITY;
const isSpace = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
