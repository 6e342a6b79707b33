// Stream frames as bytes, in the plain form or in one of the odd but legal forms that a parser must survive.

import type { Frame } from '../answer.ts';
import type { FrameStyle } from '../command-rules.ts';
import { INVALID_BYTE_MARK } from '../content/reply.ts';

const INVALID_MARK_BYTES = Buffer.from(INVALID_BYTE_MARK);
const INVALID_BYTE = Buffer.from([0xff]);
const BYTE_ORDER_MARK = '\u{feff}';

export function plainFrame(frame: Frame): string {
  const event = frame.event === undefined ? '' : `event: ${frame.event}\n`;
  return `${event}data: ${frame.data}\n\n`;
}

function dataLines(data: string, styles: readonly FrameStyle[]): readonly string[] {
  const isSplittable = styles.includes('multi-line') && data.startsWith('{');
  // Lines of data are joined by a line feed, which JSON allows between tokens and nowhere else.
  return isSplittable ? JSON.stringify(JSON.parse(data), null, 1).split('\n') : [data];
}

function styledFrame(frame: Frame, styles: readonly FrameStyle[]): string {
  const lineEnd = styles.includes('crlf') ? '\r\n' : styles.includes('cr') ? '\r' : '\n';
  const separator = styles.includes('no-space') ? ':' : ': ';
  const lines: string[] = [];
  if (styles.includes('comments')) lines.push(': keep-alive', ':', '');
  if (styles.includes('field-noise')) lines.push('id: 7', 'retry: 3000', 'colour: blue');
  if (frame.event !== undefined) lines.push(`event${separator}${frame.event}`);
  for (const line of dataLines(frame.data, styles)) lines.push(`data${separator}${line}`);
  return `${lines.join(lineEnd)}${lineEnd}${lineEnd}`;
}

export function withInvalidByte(bytes: Buffer): Buffer {
  const at = bytes.indexOf(INVALID_MARK_BYTES);
  if (at < 0) return bytes;
  return Buffer.concat([bytes.subarray(0, at), INVALID_BYTE, bytes.subarray(at + INVALID_MARK_BYTES.length)]);
}

/** Cuts after the first byte of every multi-byte character, so that every piece but the last ends inside one. */
function splitInsideCharacters(bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let start = 0;
  for (const [index, byte] of bytes.entries()) {
    if (byte < 0xc0) continue;
    pieces.push(bytes.subarray(start, index + 1));
    start = index + 1;
  }
  pieces.push(bytes.subarray(start));
  return pieces;
}

export function splitEvery(bytes: Buffer, length: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += length) pieces.push(bytes.subarray(start, start + length));
  return pieces;
}

export function splitForStyle(bytes: Buffer, styles: readonly FrameStyle[]): readonly Buffer[] {
  if (styles.includes('byte-by-byte')) return splitEvery(bytes, 1);
  return styles.includes('split-utf8') ? splitInsideCharacters(bytes) : [bytes];
}

/** The pieces to write, one or more for each frame; lazily, because the frames may never end. */
export function* framePieces(frames: Iterable<Frame>, styles: readonly FrameStyle[]): Generator<Buffer> {
  if (styles.includes('bom')) yield Buffer.from(BYTE_ORDER_MARK);
  let last: Frame | undefined;
  for (const frame of frames) {
    const bytes = frame.packed ?? withInvalidByte(Buffer.from(styledFrame(frame, styles)));
    yield* splitForStyle(bytes, styles);
    if (frame.kind === 'content') last = frame;
  }
  if (styles.includes('after-done') && last !== undefined) yield Buffer.from(styledFrame(last, styles));
}
