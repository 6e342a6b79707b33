// Reads one long string of a JSON text in turns with other work: a parser that is given megabytes cannot stop in the
// middle. Plain texts, as pictures in base64 are, need no parser at all.

import { isAscii } from 'node:buffer';
import type { LongTask } from './turns.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
/** `\u` and four digits. */
const ESCAPE_LENGTH_MAX = 6;
/** Bytes of a character after its first. */
const CHARACTER_TAIL_MAX = 3;

/** What is decoded and parsed in a millisecond; other characters than those of ASCII take far longer. */
const ASCII_PIECES = 4;

/** With its quotes. Throws what the parser throws. A piece of the task has more bytes than an escape. */
export async function readLongText(literal: Buffer, task: LongTask): Promise<string> {
  await task.before(literal.length);
  const bytes = literal.subarray(1, -1);
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  if (encoding === 'latin1' && !bytes.includes(BACKSLASH) && !hasControls(bytes)) return bytes.toString(encoding);
  const pieceBytes = encoding === 'latin1' ? task.pieceMax * ASCII_PIECES : task.pieceMax;
  if (literal.length <= pieceBytes) return String(JSON.parse(literal.toString(encoding)));
  const pieces: string[] = [];
  // Quotes that are added to a text of this length would make the parser copy it.
  const quoted = Buffer.alloc(pieceBytes + 2, QUOTE);
  for (let start = 0; start < bytes.length; ) {
    const end = start + pieceBytes < bytes.length ? cutBefore(bytes, start, start + pieceBytes) : bytes.length;
    if (start > 0) await task.before(task.pieceMax);
    const length = bytes.copy(quoted, 1, start, end);
    quoted[length + 1] = QUOTE;
    pieces.push(String(JSON.parse(quoted.toString(encoding, 0, length + 2))));
    start = end;
  }
  return pieces.join('');
}

/** A place at or shortly before `end` that is not inside a character or an escape; `start` is none either. */
function cutBefore(bytes: Buffer, start: number, end: number): number {
  for (let place = end - 1; place > end - ESCAPE_LENGTH_MAX; place -= 1) {
    if (bytes[place] === BACKSLASH && isEscape(bytes, start, place)) return place;
  }
  for (let place = end; place >= end - CHARACTER_TAIL_MAX; place -= 1) {
    if (((bytes[place] ?? 0) & 0xc0) !== 0x80) return place;
  }
  // What goes on for longer belongs to no character.
  return end;
}

/** Of two backslashes the second belongs to the first. */
function isEscape(bytes: Buffer, start: number, place: number): boolean {
  let first = place;
  while (first > start && bytes[first - 1] === BACKSLASH) first -= 1;
  return (place - first) % 2 === 0;
}

/** Of an ASCII text, four characters at a time: subtracting a space from a smaller one borrows into its highest bit. */
function hasControls(bytes: Buffer): boolean {
  const { buffer, byteOffset, length } = bytes;
  if (length < 8) return bytes.some(isControl);
  const before = -byteOffset & 3;
  const words = new Int32Array(buffer, byteOffset + before, (length - before) >> 2);
  let borrowed = 0;
  for (let index = 0; index < words.length; index += 1) borrowed |= (words[index] as number) - 0x2020_2020;
  if ((borrowed & 0x8080_8080) !== 0) return true;
  const after = before + words.length * 4;
  return bytes.subarray(0, before).some(isControl) || bytes.subarray(after).some(isControl);
}

const isControl = (byte: number): boolean => byte < SPACE;
