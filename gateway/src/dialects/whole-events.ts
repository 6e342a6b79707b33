// Cuts a stream that is passed on into whole events, whatever the reads and the line ends, as latin1 text: one
// character for each byte, so that an event leaves as the bytes it came in. Streams that are translated are cut by
// `upstreams/sse-frames.ts` instead, which decodes each line and keeps nothing of the bytes.

import type { JsonObject } from '../canonical/json.ts';
import { readJsonObject } from '../platform/read-json-object.ts';

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

export class WholeEvents {
  readonly #eventBytesMax: number;
  /** A long event that spans many reads is kept in pieces, so that it is not copied again for each of them. */
  readonly #pieces: string[] = [];
  #pendingLength = 0;
  isOversize = false;

  constructor(eventBytesMax: number) {
    this.#eventBytesMax = eventBytesMax;
  }

  /** Each with its blank line; line ends are LF. Empty while none is complete. */
  push(chunk: Buffer): string {
    const piece = chunk.toString('latin1');
    // Most reads bring whole events and nothing else.
    if (this.#pendingLength === 0 && piece.endsWith('\n\n') && !piece.includes('\r')) return piece;
    this.#pieces.push(piece);
    this.#pendingLength += piece.length;
    if (hasLineEnd(piece)) return this.#takeWhole();
    if (this.#pendingLength > this.#eventBytesMax) this.isOversize = true;
    return '';
  }

  /** The stream has ended; a last event without its blank line still counts. */
  end(): string {
    const rest = normalizeLines(this.#takeAll()).replace(/\n+$/, '');
    return rest === '' ? '' : `${rest}\n\n`;
  }

  #takeAll(): string {
    const text = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    this.#pieces.length = 0;
    this.#pendingLength = 0;
    return text;
  }

  #takeWhole(): string {
    let text = this.#takeAll();
    let carry = '';
    if (text.includes('\r')) {
      // A lone CR at the very end may be the first half of CRLF, so it waits for the next read.
      if (text.endsWith('\r')) {
        carry = '\r';
        text = text.slice(0, -1);
      }
      text = normalizeLines(text);
    }
    const last = text.lastIndexOf('\n\n');
    const whole = last === -1 ? '' : text.slice(0, last + 2);
    const rest = (last === -1 ? text : text.slice(last + 2)) + carry;
    if (rest !== '') this.#pieces.push(rest);
    this.#pendingLength = rest.length;
    if (rest.length > this.#eventBytesMax) this.isOversize = true;
    return whole;
  }
}

export type SentEvent = Readonly<{
  /** Empty where the event has none. */
  name: string;
  /** The lines of it, joined. */
  data: string;
}>;

/** One event, taken apart; null for a comment, or anything else without data. */
export function readEvent(frame: string): SentEvent | null {
  if (frame.startsWith('data: ') && !frame.includes('\n')) return sent('', frame.slice('data: '.length));
  let name = '';
  const lines: string[] = [];
  for (const line of frame.split('\n')) {
    const field = line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
    if (field.startsWith('data:')) lines.push(fieldValue(field, 'data:'.length));
    else if (field.startsWith('event:')) name = fieldValue(field, 'event:'.length);
  }
  return sent(name, lines.join('\n'));
}

function sent(name: string, text: string): SentEvent | null {
  const data = text.trim();
  return data === '' ? null : { name, data };
}

/** Null for whatever is no JSON object, or one that nests too deeply. */
export const parseEventData = (latin1: string): JsonObject | null => readJsonObject(Buffer.from(latin1, 'latin1'));

/** As the text of a stream that is passed on. */
export const encodeLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

const fieldValue = (field: string, start: number): string =>
  field.charCodeAt(start) === 0x20 ? field.slice(start + 1) : field.slice(start);

const hasLineEnd = (text: string): boolean => text.includes('\n') || text.includes('\r');

const normalizeLines = (text: string): string => text.replace(/\r\n?/g, '\n');
