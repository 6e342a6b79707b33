// The text of bytes in UTF-8, exactly as Buffer's `toString` gives it. That decodes everything beyond ASCII one byte at
// a time; what is here takes a third of the time, and for Chinese a tenth.

import { isAscii, isUtf8, transcode } from 'node:buffer';

/** For fewer bytes, checking and converting them costs more than it saves. */
const CONVERTED_BYTES_MIN = 512;

/** Bytes of a character after its first. */
const CHARACTER_TAIL_MAX = 3;

export function decodeText(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  // Only `toString` puts something in the place of bytes that are no text.
  if (bytes.length < CONVERTED_BYTES_MIN || !isUtf8(bytes)) return bytes.toString('utf8');
  return transcode(bytes, 'utf8', 'utf16le').toString('utf16le');
}

/** A place at or shortly before `end` at which the bytes can be divided without cutting a character in two. */
export function characterEnd(bytes: Buffer, end: number): number {
  for (let place = end; place >= end - CHARACTER_TAIL_MAX; place -= 1) {
    if (((bytes[place] ?? 0) & 0xc0) !== 0x80) return place;
  }
  // What goes on for longer belongs to no character.
  return end;
}
