// Cuts the bytes of an event stream into whole events, wherever a read ends: inside a character, between CR and LF,
// before the blank line. The text is latin1, one character for each byte, so that an event that is passed on leaves as
// the bytes it came in; `upstreams/sse-frames.ts` decodes it for streams that are translated. Memory is bounded.

import { PIECE_BYTES } from './piece-bytes.ts';

export class WholeEvents {
  readonly #eventBytesMax: number;
  /** A long event that spans many reads is kept in pieces, so that it is not copied again for each of them. */
  readonly #pieces: string[] = [];
  #pendingLength = 0;
  /** What is kept ends with a line end: another one makes the blank line. */
  #endsLine = false;
  /** The last byte of a read was CR; an LF that follows belongs to it. */
  #endsWithCarriageReturn = false;
  /** An event that is not complete has exceeded the limit. */
  isOversize = false;

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  /** What the event that is not complete takes in memory. */
  get keptBytes(): number {
    return this.#pendingLength + this.#pieces.length * PIECE_BYTES;
  }

  /** Each with its blank line; line ends are LF. Empty while none is complete. */
  push(chunk: Buffer): string {
    const piece = this.#withLineFeeds(chunk.toString('latin1'));
    // Most reads bring whole events and nothing else.
    if (this.#pendingLength === 0 && piece.endsWith('\n\n')) return piece;
    const end = this.#endOfWhole(piece);
    if (end === 0) {
      this.#keep(piece);
      return '';
    }
    const whole = this.#takeAll() + piece.slice(0, end);
    this.#keep(piece.slice(end));
    return whole;
  }

  /** The stream has ended; a last event without its blank line still counts. */
  end(): string {
    const rest = this.#takeAll().replace(/\n+$/, '');
    return rest === '' ? '' : `${rest}\n\n`;
  }

  #withLineFeeds(text: string): string {
    let piece = text;
    if (this.#endsWithCarriageReturn && piece !== '') {
      this.#endsWithCarriageReturn = false;
      if (piece.startsWith('\n')) piece = piece.slice(1);
    }
    if (!piece.includes('\r')) return piece;
    this.#endsWithCarriageReturn = piece.endsWith('\r');
    return piece.replace(/\r\n?/g, '\n');
  }

  /** How much of the piece belongs to events that are complete with it. */
  #endOfWhole(piece: string): number {
    const last = piece.lastIndexOf('\n\n');
    if (last !== -1) return last + 2;
    return this.#endsLine && piece.startsWith('\n') ? 1 : 0;
  }

  #takeAll(): string {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    this.#pieces.length = 0;
    this.#pendingLength = 0;
    this.#endsLine = false;
    return text;
  }

  #keep(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#pendingLength += piece.length;
    this.#endsLine = piece.endsWith('\n');
    if (this.#pendingLength > this.#eventBytesMax) this.#dropComments();
  }

  /** An upstream may send comments without end. They must be half of what is kept, or dropping them would cost more. */
  #dropComments(): void {
    const text = withoutComments(this.#takeAll());
    if (text.length > this.#eventBytesMax / 2) this.isOversize = true;
    else this.#keep(text);
  }
}

/** The lines of an event that are no comments. */
export const withoutComments = (event: string): string => event.replace(/^:.*\n/gm, '');

type EventFields = Readonly<{
  /** The value of the `event:` line; null without one. */
  name: string | null;
  /** The values of the `data:` lines, joined; empty without any. */
  data: string;
}>;

/** One event without its blank line, in latin1 or decoded. */
export function readFields(event: string): EventFields {
  if (event.startsWith('data: ') && !event.includes('\n')) return { name: null, data: event.slice('data: '.length) };
  let name: string | null = null;
  const lines: string[] = [];
  for (const line of event.split('\n')) {
    if (line.startsWith('data:')) lines.push(fieldValue(line, 'data:'.length));
    else if (line.startsWith('event:')) name = fieldValue(line, 'event:'.length);
    else if (line === 'data') lines.push('');
    else if (line === 'event') name = '';
  }
  return { name, data: lines.length === 1 ? (lines[0] ?? '') : lines.join('\n') };
}

const fieldValue = (line: string, start: number): string =>
  line.charCodeAt(start) === 0x20 ? line.slice(start + 1) : line.slice(start);
