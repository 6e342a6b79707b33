// Cuts a stream of bytes into whole events, whatever the reads and the line ends. A long event that spans many reads is
// kept in pieces until its end arrives, so that it is not copied again for each of them.

/** The last event repeats the whole answer, the instructions and the tools, and an image may be inside. */
const EVENT_BYTES_MAX = 8 * 1024 * 1024;
const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf';

export class EventReader {
  readonly #pieces: string[] = [];
  #pendingLength = 0;
  isOversize = false;

  /** Whole events as latin1 text, each with its blank line; line ends are LF. Empty while none is complete. */
  push(chunk: Buffer): string {
    const piece = chunk.toString('latin1');
    // Most reads bring whole events and nothing else.
    if (this.#pendingLength === 0 && piece.endsWith('\n\n') && !piece.includes('\r')) return piece;
    this.#pieces.push(piece);
    this.#pendingLength += piece.length;
    if (this.#pendingLength > EVENT_BYTES_MAX && !hasLineEnd(piece)) {
      this.isOversize = true;
      return '';
    }
    return hasLineEnd(piece) ? this.#takeWhole() : '';
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
    if (rest.length > EVENT_BYTES_MAX) this.isOversize = true;
    return whole;
  }
}

/** The data of one event, its lines joined; empty for comments and for events without any. */
export function readEventData(frame: string): string {
  const parts: string[] = [];
  for (const line of frame.split('\n')) {
    const field = line.startsWith(BYTE_ORDER_MARK) ? line.slice(BYTE_ORDER_MARK.length) : line;
    if (field.startsWith('data: ')) parts.push(field.slice('data: '.length));
    else if (field.startsWith('data:')) parts.push(field.slice('data:'.length));
  }
  return parts.join('\n').trim();
}

function hasLineEnd(text: string): boolean {
  return text.includes('\n') || text.includes('\r');
}

function normalizeLines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
