// Reads one long string of a JSON text. The parser goes through every character twice and cannot stop in the middle of
// megabytes; plain texts, as prose and pictures in base64 are, need no parser at all, and others are parsed in pieces.

import { isAscii } from 'node:buffer';
import { characterEnd, decodeText } from './decode-text.ts';
import type { LongTask } from './turns.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** `\u` and four digits. */
const ESCAPE_LENGTH_MAX = 6;

/** What is decoded and parsed in a millisecond; other characters than those of ASCII take far longer. */
const ASCII_PIECES = 4;
/** V8 asks the system for memory for each string of more than 128 KB, and a character may take two bytes. */
const PIECE_BYTES_MAX = 60_000;

/** A shorter one of ASCII is parsed as soon as looked at. */
const PLAIN_BYTES_MIN = 16_384;

/**
 * With its quotes. Throws what the parser throws. Null where nothing is saved by reading it apart from the rest of an
 * `isOfAscii` JSON.
 */
export function readText(literal: Buffer, isOfAscii: boolean): string | null {
  if (isOfAscii && literal.length < PLAIN_BYTES_MIN) return null;
  const bytes = literal.subarray(1, -1);
  const isPlainly = isOfAscii || isAscii(bytes);
  if (isPlainly && isPlain(bytes)) return bytes.toString('latin1');
  const pieceBytes = isPlainly ? 2 * PIECE_BYTES_MAX : PIECE_BYTES_MAX;
  if (bytes.length <= pieceBytes) return isOfAscii ? null : parseText(literal);
  return [...piecesOf(bytes, pieceBytes)].map(readPiece).join('');
}

/** The same in turns, the first of which has begun. A piece of the task has more bytes than an escape. */
export async function readTextInTurns(literal: Buffer, task: LongTask): Promise<string> {
  const bytes = literal.subarray(1, -1);
  const isOfAscii = isAscii(bytes);
  if (isOfAscii && isPlain(bytes)) return bytes.toString('latin1');
  const texts: string[] = [];
  for (const piece of piecesOf(bytes, Math.min(task.pieceMax, PIECE_BYTES_MAX))) {
    const turn = task.before(isOfAscii ? piece.length / ASCII_PIECES : piece.length);
    if (turn !== undefined) await turn;
    texts.push(readPiece(piece));
  }
  return texts.join('');
}

const isPlain = (ascii: Buffer): boolean => !ascii.includes(BACKSLASH) && !hasControls(ascii);

export const parseText = (literal: Buffer): string => String(JSON.parse(decodeText(literal)));

/** Quotes that are added to a text of this length would make the parser copy it. */
const quoted = Buffer.alloc(2 * PIECE_BYTES_MAX + 2, QUOTE);

function readPiece(bytes: Buffer): string {
  const length = bytes.copy(quoted, 1);
  quoted[length + 1] = QUOTE;
  return parseText(quoted.subarray(0, length + 2));
}

function* piecesOf(bytes: Buffer, pieceBytes: number): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = start + pieceBytes < bytes.length ? cutBefore(bytes, start, start + pieceBytes) : bytes.length;
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** A place at or shortly before `end` that is not inside a character or an escape; `start` is none either. */
function cutBefore(bytes: Buffer, start: number, end: number): number {
  for (let place = end - 1; place > end - ESCAPE_LENGTH_MAX; place -= 1) {
    if (bytes[place] === BACKSLASH && isEscape(bytes, start, place)) return place;
  }
  return characterEnd(bytes, end);
}

/** Of two backslashes the second belongs to the first. */
function isEscape(bytes: Buffer, start: number, place: number): boolean {
  let first = place;
  while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
  return (place - first) % 2 === 0;
}

const SPACES = 0x2020_2020;
const WORDS_AT_ONCE = 4;

/** Of ASCII, four characters at a time: subtracting a space from a smaller one borrows into its highest bit. */
function hasControls(ascii: Buffer): boolean {
  const { buffer, byteOffset, length } = ascii;
  const before = -byteOffset & 3;
  if (length < before) return hasControl(ascii, 0, length);
  const words = new Int32Array(buffer, byteOffset + before, (length - before) >> 2);
  const count = words.length & -WORDS_AT_ONCE;
  let borrowed = 0;
  for (let index = 0; index < count; index += WORDS_AT_ONCE) {
    borrowed |=
      ((words[index] as number) - SPACES) |
      ((words[index + 1] as number) - SPACES) |
      ((words[index + 2] as number) - SPACES) |
      ((words[index + 3] as number) - SPACES);
  }
  if ((borrowed & 0x8080_8080) !== 0) return true;
  return hasControl(ascii, 0, before) || hasControl(ascii, before + count * 4, length);
}

function hasControl(bytes: Buffer, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) if ((bytes[index] as number) < SPACE) return true;
  return false;
}
